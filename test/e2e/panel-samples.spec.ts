import { expect, test } from './fixtures.ts'
import { letWritesThrough, openSample } from './panel-page.ts'
import { waitForConnection } from './support.ts'

test('the practice panel works from the tree to a settled commit @either', async ({ app, page }) => {
  await waitForConnection(page)
  const panel = await openSample(app, 'Practice')
  await expect(panel.getByText(/^\d+ cards$/)).toBeVisible()
  await letWritesThrough(app)
  await panel.getByRole('button', { name: '颈椎 C1 寰椎（无椎体）', exact: true }).click()
  await expect(panel.getByRole('heading', { name: '颈椎 C1 寰椎（无椎体）' })).toBeVisible()
  await expect(panel.locator('#images img')).toHaveCount(2)
  const readWidths = (): Promise<number[]> =>
    panel.locator('#images img').evaluateAll((all) => all.map((element) => (element as HTMLImageElement).naturalWidth))
  await expect.poll(async () => Math.min(...(await readWidths()))).toBeGreaterThan(1)

  const progress = panel.getByRole('status', { name: 'Progress' })
  await panel.getByText('Not yet').click()
  await panel.getByRole('combobox').selectOption({ label: 'Concept not understood' })
  await panel.getByRole('button', { name: 'Save verdict' }).click()
  await expect(progress).toHaveText('Saved: #practice/question #practice/again #practice/error/concept')
  await panel.getByRole('button', { name: 'Append a blank band' }).click()
  await expect(progress).toHaveText('The card has 1 blank bands.')
  await panel.getByRole('button', { name: 'Commit the pencil' }).click()
  await expect(progress).toHaveText('Settled: the strokes are saved.')
  await expect(panel.getByRole('alert')).toHaveText('')

  const calls = page.getByRole('grid', { name: 'Calls' })
  await expect(calls.getByRole('row').filter({ hasText: '/writing/pencil-result' }).first()).toBeVisible()
  await expect(
    calls
      .getByRole('row')
      .filter({ hasText: /\/content\// })
      .first(),
  ).toBeVisible()
})
