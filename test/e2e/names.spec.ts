import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { go, startOwnHost, waitForConnection, waitUntilSettled, WINDOW_SIZES } from './support.ts'
import { CARD, compose, connectToSlowHost, dialog, field, SET, titleOf } from './writing.ts'

const rows = (page: Page, path: string): Locator =>
  page.getByRole('grid', { name: 'Traffic' }).getByRole('row').filter({ hasText: path })

async function request(page: Page, path: string): Promise<void> {
  await go(page, '#/console')
  await page.getByRole('button', { name: 'New request' }).click()
  await page.getByRole('textbox', { name: 'Path', exact: true }).fill(path)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Answer' })).toContainText('200')
}

/** The parts of the row's path that are drawn, and whether a part of the route is cut. */
const readDrawnPath = (row: Locator): Promise<{ text: string; isRouteCut: boolean }> =>
  row.locator('[aria-hidden="true"]:has(bdi)').evaluate((path) => ({
    text: path.textContent,
    isRouteCut: [...path.children]
      .filter((part) => part.textContent.startsWith('/'))
      .some((part) => part.scrollWidth > part.clientWidth),
  }))

test('two calls on different cards differ by the names of the cards at any width', async ({ app }) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  const cards = host.state.library.sets.find(({ topicid }) => topicid === SET)?.cards ?? []
  const other = cards.find(({ noteid, title }) => noteid !== CARD && title.length > 3 && title !== titleOf(host))
  const titles: [string, string][] = [
    [CARD, titleOf(host)],
    [other?.noteid ?? '', other?.title ?? ''],
  ]
  for (const [noteid] of titles) await request(page, `/notes/${noteid}/render?format=png`)
  await go(page, '#/traffic')
  for (const size of WINDOW_SIZES) {
    await page.setViewportSize(size)
    await waitUntilSettled(page)
    for (const [noteid, title] of titles) {
      const row = rows(page, `/notes/${noteid}/render?format=png`)
      await expect(row).toHaveCount(1)
      await expect(row).toContainText('GET')
      await expect(row.getByText(title, { exact: true })).toBeVisible()
      await expect
        .poll(async () => [size.width, await readDrawnPath(row)])
        .toEqual([size.width, { text: `/notes/${title}/render?format=png`, isRouteCut: false }])
    }
  }

  // Reading names causes no further reads of names.
  const countReads = (): Promise<number> => rows(page, '/notes/batch-get').count()
  await waitUntilSettled(page)
  const before = await countReads()
  await go(page, '#/operations')
  await waitUntilSettled(page)
  await go(page, '#/traffic')
  await waitUntilSettled(page)
  expect(await countReads()).toBe(before)

  await rows(page, CARD).first().click()
  const exchange = page.getByRole('region', { name: 'Exchange' })
  await expect(exchange.getByRole('heading', { level: 2 })).toContainText(`GET /notes/${CARD}/render?format=png`)
  await expect(exchange.getByRole('heading', { level: 2 })).toContainText(titleOf(host))
  const names = exchange.getByRole('region', { name: 'What it names' })
  await expect(names.getByRole('link', { name: titleOf(host) })).toContainText(CARD)
})

test('the review of a write names its card, and shows exactly what is sent', async ({ app }) => {
  const { host, page } = await connectToSlowHost(app, 0)
  await compose(page, 'Set the title')
  await field(page, 'text').fill('Atlas')
  await dialog(page).getByRole('button', { name: 'Review' }).click()
  const names = dialog(page).getByRole('list', { name: 'What it names' })
  await expect(names).toContainText(titleOf(host))
  await expect(names).toContainText(CARD)
  await expect(dialog(page)).toContainText(`POST /bridge/v1/notes/${CARD}/title`)
})
