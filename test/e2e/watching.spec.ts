import type { Page } from '@playwright/test'
import type { DemoHost } from '../../electron/demo-host/server.ts'
import { expect, test } from './fixtures.ts'
import { waitForConnection, expectAccessible, go, openTools } from './support.ts'
import {
  CARD,
  compose,
  dialog,
  field,
  openRecord,
  getVerifiedText,
  record,
  send,
  connectToSlowHost,
} from './writing.ts'

const grid = (page: Page) => page.getByRole('grid', { name: 'Operations' })

async function commit(page: Page, requestId: string, surfaceId: string): Promise<void> {
  await compose(page, 'Commit pencil strokes')
  await field(page, 'surfaceId').fill(surfaceId)
  await field(page, 'requestId').fill(requestId)
  await send(page)
}

test('the end of a watched operation is announced in every place, and by the badge until it is opened', async ({
  page,
}) => {
  await waitForConnection(page)
  await commit(page, 'announced', 'main')
  await dialog(page).getByRole('button', { name: 'Close' }).click()
  await go(page, '#/library')
  const notice = page.getByRole('status').filter({ hasText: 'Commit pencil strokes · Settled.' })
  await expect(notice).toContainText('Saved and verified.')
  await expect(page.getByRole('link', { name: 'Operations' })).toHaveText(/1$/)
  await expectAccessible(page, 'an operation has ended')
  await notice.getByRole('link', { name: 'Open the record' }).click()
  await expect(record(page).getByRole('heading', { name: 'Settled' })).toBeVisible()
  await expect(notice).toBeHidden()
  await expect(page.getByRole('link', { name: 'Operations' })).not.toHaveText(/1$/)
})

test('a reused request id with another target is shown next to the earlier request, in the review and afterwards', async ({
  page,
}) => {
  await waitForConnection(page)
  await commit(page, 'twice', 'main')
  await dialog(page).getByRole('button', { name: 'Close' }).click()
  await compose(page, 'Commit pencil strokes')
  await field(page, 'surfaceId').fill('main')
  await field(page, 'requestId').fill('twice')
  await dialog(page).getByRole('button', { name: 'Review' }).click()
  await expect(dialog(page)).toContainText('the host returns the original result and redoes nothing')
  await dialog(page).getByRole('button', { name: 'Back' }).click()
  await field(page, 'surfaceId').fill('another')
  await dialog(page).getByRole('button', { name: 'Review' }).click()
  const differenceRow = (container: ReturnType<typeof dialog>) =>
    container.getByRole('row', { name: 'surfaceId "main" "another"' })
  await expect(differenceRow(dialog(page))).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Send', exact: true }).click()
  await expect(dialog(page)).toContainText('Conflict')
  await openRecord(page)
  await expect(differenceRow(record(page))).toBeVisible()
})

test('the operations list is filtered by kind, state, study set and id, which its address holds', async ({ page }) => {
  await waitForConnection(page)
  await compose(page, 'Set the title')
  await field(page, 'text').fill('Filtered')
  await send(page)
  await dialog(page).getByRole('button', { name: 'Close' }).click()
  await commit(page, 'to-be-found', 'main')
  await dialog(page).getByRole('button', { name: 'Close' }).click()
  await go(page, '#/operations')
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '3')
  await page.getByRole('combobox', { name: 'Kind' }).selectOption({ label: 'Set the title' })
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '2')
  await expect(page).toHaveURL(/kind=notes\.title/)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await openTools(page)
  await page.getByRole('combobox', { name: 'Study set' }).selectOption({ label: '系统解剖学 Systematic Anatomy' })
  await expect(grid(page).getByRole('row', { name: /Commit pencil strokes/ })).toBeVisible()
  await page.getByRole('combobox', { name: 'State' }).selectOption('persisted')
  await expect(grid(page).getByRole('row', { name: /Commit pencil strokes/ })).toBeHidden()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('searchbox', { name: 'Filter by request, card or record id' }).fill('to-be-f')
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '2')
})

test.describe('a host that is restarted', () => {
  let host: DemoHost
  test.afterEach(() => host.close())

  test('turns its earlier records grey with the reason, and one button reads everything back', async ({ app }) => {
    const slowDemo = await connectToSlowHost(app, 60_000)
    host = slowDemo.host
    const { page } = slowDemo
    await compose(page, 'Set the title')
    await field(page, 'text').fill('Before the restart')
    await send(page)
    await expect(dialog(page)).toContainText(getVerifiedText())
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await commit(page, 'lost', 'main')
    await openRecord(page)
    await expect(record(page)).toContainText(/next check in \d+ s|checking now/)
    await host.restart(200)
    await expect(record(page).getByRole('heading', { name: 'Unknown: host restarted' })).toBeVisible({
      timeout: 20_000,
    })
    await expect(record(page)).toContainText('This doesn’t mean nothing was saved.')
    await go(page, '#/operations')
    // The commit is read back automatically; if that happens before the restart is noticed, its
    // record counts as well.
    await expect(page.getByText(/[12] records? predates? the host’s restart/)).toBeVisible()
    await page.getByRole('button', { name: 'Read back all' }).click()
    await expect(page.getByText(/[12] read back, 0 failed/)).toBeVisible()
    await grid(page)
      .getByRole('row', { name: /Set the title/ })
      .click()
    await expect(record(page)).toContainText(getVerifiedText())
    await expect(record(page)).toContainText(CARD)
  })
})
