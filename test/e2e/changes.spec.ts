import { expect, test } from './fixtures.ts'
import { expectAccessible, go, startOwnHost, waitForConnection } from './support.ts'
import { CARD, compose, dialog, field, record, SET, titleOf } from './writing.ts'

test('what changed between two snapshots has its call, or nobody that was recorded, as its cause @core', async ({
  app,
}) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  await page.getByRole('button', { name: 'Read-only' }).click()
  await page.getByRole('button', { name: 'Unlock until the app exits' }).click()
  await go(page, `#/study-sets/${SET}/changes`)
  await expect(page.getByText('No snapshot of this study set')).toBeVisible()
  const takeButton = page.getByRole('button', { name: 'Take snapshot' })
  await takeButton.click()
  await expect(page.getByText(/^One snapshot so far/)).toBeVisible()
  await takeButton.click()
  await expect(page.getByText(/The host lists the same [\d,]+ cards/)).toBeVisible()

  const oldTitle = titleOf(host)
  await compose(page, 'Set the title')
  await field(page, 'text').fill('Renamed by the form')
  await dialog(page).getByRole('button', { name: 'Review' }).click()
  const forecast = dialog(page).getByRole('region', { name: 'Forecast' })
  await expect(forecast).toContainText(`title: “${oldTitle}” → “Renamed by the form”`)
  await expect(forecast).toContainText('the host may do otherwise')
  await dialog(page).getByRole('button', { name: 'Send', exact: true }).click()
  await expect(page.getByRole('dialog')).toContainText(/Saved and verified\.|the read-back matches what was sent/)
  await page.keyboard.press('Escape')
  const cards = host.state.library.sets.find(({ topicid }) => topicid === SET)?.cards ?? []
  const byHand = cards.find(({ noteid, title }) => noteid !== CARD && title !== '')
  Reflect.set(byHand ?? {}, 'title', 'Renamed by hand')

  await go(page, `#/study-sets/${SET}/changes`)
  await takeButton.click()
  const tree = page.getByRole('tree', { name: 'Changes' })
  const renamedItem = tree.getByRole('treeitem', { name: 'Renamed by the form' })
  await expect(renamedItem).toContainText('renamed')
  await expect(renamedItem).toContainText(`/notes/${CARD}/title`)
  await expect(tree.getByRole('treeitem', { name: 'Renamed by hand' })).toContainText('nobody that was recorded')
  await expect(tree.getByRole('treeitem', { name: /… [\d,]+ unchanged/ }).first()).toBeVisible()
  await expectAccessible(page, 'changes')

  await renamedItem.click()
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await expect(inspector).toContainText('This recorded call names the card.')
  await expect(inspector.getByRole('table', { name: 'The card before and after' })).toContainText(oldTitle)
  await page.getByRole('button', { name: /^renamed/ }).click()
  await expect(page.getByText('2 of 2 changed cards')).toBeVisible()
  await page.getByText('List', { exact: true }).click()
  await expect(page.getByRole('grid', { name: 'Changes' }).getByRole('row')).toHaveCount(3)
  await inspector.getByRole('link', { name: 'Show the exchange' }).click()
  await expect(page).toHaveURL(/#\/traffic\//)

  await go(page, '#/operations')
  await page.getByRole('row', { name: /Set the title/ }).click()
  await expect(record(page).getByRole('region', { name: 'Forecast' })).toContainText(/As forecast, by the snapshot of/)
  await host.close()
})
