import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { connected, expectAccessible, go } from './support.ts'
import { compose, dialog, field, proven, record, send, SET, slowHost } from './writing.ts'

const grid = (page: Page) => page.getByRole('grid', { name: 'Operations' })
const operations = (page: Page) => page.getByRole('link', { name: /^Operations/ })

async function rename(page: Page, title: string): Promise<void> {
  await compose(page, 'Set the title')
  await field(page, 'text').fill(title)
  await send(page)
  await expect(dialog(page)).toContainText(proven())
  await dialog(page).getByRole('button', { name: 'Close' }).click()
}

test('records of another host are grey, say whose they are, and send no requests', async ({ app }) => {
  const { host, page } = await slowHost(app, 60_000)
  try {
    await rename(page, 'On the first host')
    await go(page, '#/connect')
    await page.getByRole('button', { name: 'Open the demo library' }).click()
    await expect(page.getByRole('contentinfo')).toContainText('Demo library')
    await connected(page)
    await go(page, '#/operations')
    // What it was called there is all that can be known of it here.
    await expect(grid(page).getByRole('row').nth(1)).toContainText('On the first host')
    await expect(page.getByRole('combobox', { name: 'Study set' })).toContainText('系统解剖学')
    await grid(page)
      .getByRole('row')
      .nth(1)
      .click({ position: { x: 30, y: 10 } })
    await expect(record(page).getByRole('note')).toContainText('another host is connected')
    await expect(record(page)).toContainText(host.baseUrl)
    await expect(record(page).getByRole('button', { name: 'Read back' })).toBeDisabled()
    await expect(record(page).getByRole('link', { name: 'On the first host' })).toHaveCount(0)
    await page.getByRole('checkbox', { name: 'Only this host' }).check()
    await expect(grid(page).getByRole('row', { name: /Set the title/ })).toHaveCount(0)
    await expectAccessible(page, 'records of another host')
  } finally {
    await host.close()
  }
})

test('a tree read before a write says so until it is reloaded', async ({ page }) => {
  await connected(page)
  await go(page, `#/study-sets/${SET}/tree`)
  await expect(page.getByRole('treeitem').first()).toBeVisible()
  const mark = page.getByText('Cards in this study set have been changed since it was read')
  await expect(mark).toBeHidden()
  await rename(page, 'Written meanwhile')
  await go(page, `#/study-sets/${SET}/tree`)
  await expect(mark).toBeVisible()
  await page.getByRole('status').getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByRole('treeitem').first()).toBeVisible()
  await expect(mark).toBeHidden()
})

test('unread records are marked, and can all be marked as read', async ({ app }) => {
  const { host, page } = await slowHost(app, 600_000)
  for (const surface of ['main', 'second']) {
    await compose(page, 'Commit pencil strokes')
    await field(page, 'surfaceId').fill(surface)
    await send(page)
    await expect(dialog(page)).toContainText('the canvas is not saved yet')
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await expect(dialog(page)).toHaveCount(0)
  }
  await go(page, '#/operations')
  await expect(grid(page).getByRole('row', { name: /Commit pencil strokes/ })).toHaveCount(2)
  // They end while neither is open.
  host.state.desk.settle()
  await expect(grid(page).getByRole('row', { name: /Settled/ })).toHaveCount(2)
  await expect(operations(page)).toHaveText(/2$/)
  await expect(grid(page).getByRole('row', { name: /unread/ })).toHaveCount(2)
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await expect(operations(page)).not.toHaveText(/\d$/)
  await expect(grid(page).getByRole('row', { name: /unread/ })).toHaveCount(0)
  await host.close()
})

test('a request id unknown to the host is not said to be lost by a restart', async ({ page }) => {
  await connected(page)
  await go(page, '#/operations')
  await page.getByRole('button', { name: 'Watch request id…' }).click()
  await dialog(page).getByRole('textbox').fill('never-made')
  await dialog(page).getByRole('button', { name: 'Watch', exact: true }).click()
  await expect(record(page).getByRole('heading', { name: /^Unknown: no record/ })).toBeVisible()
  await expect(record(page)).toContainText('Check the id.')
})

test('the sheet follows a commit to its outcome, and works by keyboard @dialects', async ({ page }) => {
  await connected(page)
  await compose(page, 'Commit pencil strokes')
  await expect(field(page, 'surfaceId')).toHaveValue('main')
  await dialog(page).getByRole('button', { name: 'Review' }).press('Enter')
  await expect(dialog(page).getByRole('button', { name: 'Back' })).toBeFocused()
  await page.keyboard.press('Tab')
  const confirmed = dialog(page).getByRole('button', { name: 'Send', exact: true })
  await expect(confirmed).toBeEnabled()
  await confirmed.focus()
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toContainText('That is not an outcome: the canvas is not saved yet.')
  await expect(dialog(page).getByRole('button', { name: 'Close' })).toBeFocused()
  await expect(dialog(page)).toContainText('The host verified its snapshot', { timeout: 20_000 })
  await expect(dialog(page)).not.toContainText('not saved yet')
})
