import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { letWritesThrough, openFolder } from './panel-page.ts'
import { waitForConnection, expectAccessible, go, openTools } from './support.ts'
import { CARD, compose, dialog, field, getVerifiedText, record, send, SET, connectToSlowHost } from './writing.ts'

const grid = (page: Page) => page.getByRole('grid', { name: 'Operations' })
const operationsLink = (page: Page) => page.getByRole('link', { name: /^Operations/ })

async function rename(page: Page, title: string): Promise<void> {
  await compose(page, 'Set the title')
  await field(page, 'text').fill(title)
  await send(page)
  await expect(dialog(page)).toContainText(getVerifiedText())
  await dialog(page).getByRole('button', { name: 'Close' }).click()
}

test('records of another host are grey, name that host, and send no requests', async ({ app }) => {
  const { host, page } = await connectToSlowHost(app, 60_000)
  try {
    await rename(page, 'On the first host')
    await go(page, '#/connect')
    await page.getByRole('button', { name: 'Open the demo library' }).click()
    await expect(page.getByRole('contentinfo')).toContainText('Demo library')
    await waitForConnection(page)
    await go(page, '#/operations')
    // The title on the other host is the only one that is known.
    await expect(grid(page).getByRole('row').nth(1)).toContainText('On the first host')
    await openTools(page)
    await expect(page.getByRole('combobox', { name: 'Study set' })).toContainText('系统解剖学')
    await grid(page)
      .getByRole('row')
      .nth(1)
      .click({ position: { x: 30, y: 10 } })
    await expect(record(page).getByRole('note')).toContainText('another host is connected')
    await expect(record(page)).toContainText(host.baseUrl)
    await expect(record(page).getByRole('button', { name: 'Read back' })).toBeDisabled()
    await expect(record(page).getByRole('link', { name: 'On the first host' })).toHaveCount(0)
    await openTools(page)
    await page.getByRole('checkbox', { name: 'Only this host' }).check()
    await expect(grid(page).getByRole('row', { name: /Set the title/ })).toHaveCount(0)
    await expectAccessible(page, 'records of another host')
  } finally {
    await host.close()
  }
})

test('a request id that the host does not know is not blamed on a restart, and a tree that was read before a write says so', async ({
  page,
}) => {
  await test.step('a request id that the host does not know is not blamed on a restart', async () => {
    await waitForConnection(page)
    await go(page, '#/operations')
    await openTools(page)
    await page.getByRole('button', { name: 'Watch request id…' }).click()
    await dialog(page).getByRole('textbox').fill('never-made')
    await dialog(page).getByRole('button', { name: 'Watch', exact: true }).click()
    await expect(record(page).getByRole('heading', { name: /^Unknown: no record/ })).toBeVisible()
    await expect(record(page)).toContainText('This doesn’t mean nothing was saved.')
    await expect(record(page)).toContainText('Check the id.')
  })
  await test.step('a tree that was read before a write says so until it is reloaded', async () => {
    await go(page, `#/study-sets/${SET}/tree`)
    await expect(page.getByRole('treeitem').first()).toBeVisible()
    const mark = page.getByRole('status').filter({ hasText: /^Changed since/ })
    await expect(mark).toBeHidden()
    await compose(page, 'Change hashtags')
    await dialog(page)
      .getByRole('combobox', { name: /^operation/ })
      .selectOption('add')
    await field(page, 'hashtags').fill('#meanwhile')
    await send(page)
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await go(page, `#/study-sets/${SET}/tree`)
    await expect(mark).toBeVisible()
    await expect(mark).toContainText('POST /notes/hashtags')
    await page.getByRole('status').getByRole('button', { name: 'Reload' }).click()
    await expect(page.getByRole('treeitem').first()).toBeVisible()
    await expect(mark).toBeHidden()
  })
})

/** Creates a panel that makes no calls by itself. */
function createQuietPanel(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-panel-'))
  writeFileSync(
    path.join(folder, 'index.html'),
    '<!doctype html><html lang="en"><title>Quiet</title><h1>Quiet</h1></html>',
  )
  return folder
}

test('a panel’s write is shown at once in every place that shows the card', async ({ app }) => {
  const { host, page } = await connectToSlowHost(app, 600_000)
  const open = async (hash: string): Promise<Page> => {
    const tab = await page.context().newPage()
    await tab.goto(`${app.baseUrl ?? ''}/${hash}`)
    return tab
  }
  const card = await open(`#/notes/${CARD}?topicid=${SET}&tab=bands`)
  const library = await open('#/library')
  const hashtags = await open(`#/study-sets/${SET}/hashtags`)
  const tree = await open(`#/study-sets/${SET}/tree`)
  const bands = card.getByRole('list', { name: 'Blank bands' }).getByRole('button')
  const before =
    host.state.library.sets.flatMap(({ cards }) => cards).find(({ noteid }) => noteid === CARD)?.bands.length ?? 0
  await expect(bands).toHaveCount(before)
  await expect(library.getByRole('link', { name: /系统解剖学/ }).first()).toBeVisible()
  await expect(hashtags.getByRole('treeitem').first()).toBeVisible()
  await expect(tree.getByRole('treeitem').first()).toBeVisible()
  const countReads = (end: string): number =>
    host.log.filter(({ method, path: to }) => method === 'GET' && to.endsWith(end)).length
  const libraryReads = countReads('/library/study-sets')

  const panel = await openFolder(app, createQuietPanel())
  await letWritesThrough(app)
  const write = (to: string, body: unknown): Promise<unknown> =>
    panel.evaluate(
      async ([address, text]) => {
        const { host: door } = window as unknown as { host: { api(to: string, options: object): Promise<unknown> } }
        return door.api(address ?? '', { method: 'POST', body: text })
      },
      [to, JSON.stringify(body)],
    )
  await write(`/notes/${CARD}/blank-bands`, { role: 'practice', height: 300 })
  await expect(bands).toHaveCount(before + 1)
  await expect.poll(() => countReads('/library/study-sets')).toBe(libraryReads + 1)
  await write('/notes/hashtags', { noteIds: [CARD], operation: 'add', hashtags: ['#fromthepanel'] })
  await expect(hashtags.getByRole('treeitem', { name: 'fromthepanel' })).toBeVisible()
  // A tree of 200,000 cards is not reloaded automatically.
  const mark = tree.getByRole('status').filter({ hasText: /^Changed since/ })
  await expect(mark).toContainText('POST /notes/hashtags')
  await mark.getByRole('button', { name: 'Reload' }).click()
  await expect(mark).toHaveCount(0)
  await host.close()
})

test('unread records are marked, and can all be marked as read', async ({ app }) => {
  const { host, page } = await connectToSlowHost(app, 600_000)
  for (const surface of ['main', 'second']) {
    await compose(page, 'Commit pencil strokes')
    await field(page, 'surfaceId').fill(surface)
    await send(page)
    await expect(dialog(page)).toContainText('nothing is known of the canvas yet')
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await expect(dialog(page)).toHaveCount(0)
  }
  await go(page, '#/operations')
  await expect(grid(page).getByRole('row', { name: /Commit pencil strokes/ })).toHaveCount(2)
  // Both commits end while neither record is open.
  host.state.writingDesk.finishCommits()
  await expect(grid(page).getByRole('row', { name: /Settled/ })).toHaveCount(2)
  await expect(operationsLink(page)).toHaveText(/2$/)
  await expect(grid(page).getByRole('row', { name: /unread/ })).toHaveCount(2)
  await openTools(page)
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await expect(operationsLink(page)).not.toHaveText(/\d$/)
  await expect(grid(page).getByRole('row', { name: /unread/ })).toHaveCount(0)
  await host.close()
})

test('the write sheet follows a commit to its outcome, and works by keyboard @dialects', async ({ page }) => {
  await waitForConnection(page)
  await compose(page, 'Commit pencil strokes')
  await expect(field(page, 'surfaceId')).toHaveValue('main')
  await dialog(page).getByRole('button', { name: 'Review' }).press('Enter')
  await expect(dialog(page).getByRole('button', { name: 'Back' })).toBeFocused()
  await page.keyboard.press('Tab')
  const confirmed = dialog(page).getByRole('button', { name: 'Send', exact: true })
  await expect(confirmed).toBeEnabled()
  await confirmed.focus()
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toContainText('That is not an outcome: nothing is known of the canvas yet.')
  await expect(dialog(page).getByRole('button', { name: 'Close' })).toBeFocused()
  await expect(dialog(page)).toContainText('The host verified its snapshot', { timeout: 20_000 })
  await expect(dialog(page)).not.toContainText('not saved yet')
})
