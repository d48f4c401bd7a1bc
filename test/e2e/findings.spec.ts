import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { movable, setAhead } from './clock.ts'
import { expect, test } from './fixtures.ts'
import { openFolder, getPanel } from './panel-page.ts'
import { waitForConnection, expectAccessible, findListingPath, go, openTools, startOwnHost } from './support.ts'

const getClass = (page: Page, name: string): Locator =>
  page.getByRole('radiogroup', { name: 'What is listed' }).getByText(name, { exact: true })
const grid = (page: Page): Locator => page.getByRole('grid', { name: 'Findings' })
const rows = (page: Page): Locator =>
  grid(page)
    .getByRole('row')
    .filter({ hasNot: page.getByRole('columnheader') })

/** Sends a read from the console, and waits for the response with this status. */
async function send(page: Page, path: string, status: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Path', exact: true })
  await field.fill(path)
  await field.press('Enter')
  const exchange = page.getByRole('region', { name: 'Answer' }).getByRole('region', { name: 'Exchange' })
  await expect(exchange.getByRole('heading', { name: `GET ${path}` })).toBeVisible()
  await expect(exchange).toContainText(status)
}

test.describe('a caller that breaks rules', () => {
  test.use({ breaks: ['parameter-out-of-range', 'cursor-invented', 'paging-stopped'] })
  // Electron reads such options itself, and warns of what it does not take.
  test.use({ env: ({ mode }, use) => use(mode === 'browser' ? movable : {}) })

  test('gets one finding per rule beside the exchange, which can be muted @either @core', async ({ app }) => {
    test.slow()
    const { host, flags } = await startOwnHost()
    const page = await app.restart(flags)
    await waitForConnection(page)
    await go(page, '#/traffic?view=findings')
    await expect(page.getByText('No findings', { exact: true })).toBeVisible()

    const { topicid } = host.state.library.sets[0] ?? { topicid: '' }
    const listing = await findListingPath(host, topicid)
    await go(page, '#/console')
    await send(page, '/documents/NO-SUCH/pages/0/parts', '4')
    await send(page, `${listing}?limit=2`, '200')
    await send(page, `${listing}?limit=2&cursor=made-up`, '422')
    await send(page, `${listing}?limit=2`, '200')

    await go(page, '#/traffic?view=findings')
    // A missing follow-up request becomes a finding after half a minute, so the clock is moved
    // ahead.
    await setAhead(app, 30_000)
    await expect(getClass(page, 'Advice 1')).toBeVisible({ timeout: 60_000 })
    await expect(rows(page)).toHaveCount(2)
    for (const title of ['Parameter out of range', 'Cursor not from the previous page'])
      await expect(rows(page).filter({ hasText: title })).toHaveCount(1)
    // Advice is not counted.
    await expect(
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Findings, 2' }),
    ).toBeVisible()
    await getClass(page, 'Advice 1').click()
    await expect(rows(page)).toHaveCount(1)
    await expect(rows(page)).toContainText('Paging stopped before the end')
    await expectAccessible(page, 'advice')
    await getClass(page, 'Findings 2').click()

    await rows(page).filter({ hasText: 'Cursor not' }).click()
    const finding = page.getByRole('region', { name: 'Finding', exact: true })
    await expect(finding).toContainText('made-up')
    await expect(finding).toContainText('Take cursor from nextCursor')
    await expect(finding).toContainText('spec §4')
    await expectAccessible(page, 'findings')
    await finding.getByRole('link', { name: /cursor=made-up/ }).click()
    const exchange = page.getByRole('region', { name: 'Exchange' })
    await expect(exchange.getByRole('list', { name: 'Findings' })).toContainText('Cursor not from the previous page')
    const marked = page.getByRole('grid', { name: 'Traffic' }).getByRole('row', { name: /cursor=made-up/ })
    await expect(marked.getByRole('img', { name: '1 finding' })).toBeVisible()

    await exchange.getByRole('link', { name: 'Cursor not from the previous page' }).click()
    await finding.getByRole('button', { name: 'Mute this rule' }).click()
    await finding.getByRole('textbox', { name: 'Reason' }).fill('made up by this spec')
    await finding.getByRole('button', { name: 'Mute', exact: true }).click()
    await expect(page.getByRole('list', { name: 'Muted rules' })).toContainText('made up by this spec')
    await expect(rows(page)).toHaveCount(1)

    // Findings and muted rules survive a restart if there is a database, which the tests' Electron
    // may lack.
    if (app.mode === 'electron') return host.close()
    const restarted = await app.restart(flags)
    await waitForConnection(restarted)
    await go(restarted, '#/traffic?view=findings')
    await expect(rows(restarted)).toHaveCount(1)
    await restarted.getByRole('button', { name: 'Report again: Cursor not from the previous page' }).click()
    await expect(rows(restarted)).toHaveCount(2)

    // Safety 61: after the clock goes back two days, new requests still belong to this run and come
    // first.
    await setAhead(app, -2 * 86_400_000)
    await go(restarted, '#/console')
    await send(restarted, '/decks', '200')
    await go(restarted, '#/traffic')
    await expect(restarted.getByRole('grid', { name: 'Traffic' }).getByRole('row').nth(1)).toContainText('/decks')
    await host.close()
  })
})

/** Creates a panel that follows every rule; its button breaks one. */
function createLawfulPanel(listing: string): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-lawful-'))
  writeFileSync(
    path.join(folder, 'index.html'),
    `<!doctype html><html lang="en"><title>Lawful</title><output></output><button>Page 0</button>
    <script type="module" src="panel.js"></script></html>`,
  )
  writeFileSync(
    path.join(folder, 'panel.js'),
    `const listing = ${JSON.stringify(listing)}
    const xhr = (path) => new Promise((resolve) => {
      const request = new XMLHttpRequest()
      request.open('GET', '/bridge/v1' + path)
      request.onload = () => resolve(JSON.parse(request.responseText))
      request.send()
    })
    const plain = async (path) => (await fetch('/bridge/v1' + path)).json()
    const ways = [host.api, xhr, plain]
    // Not every browser gives a frame of another site a storage, but each keeps its name.
    const { begun, cards, ...kept } = JSON.parse(window.name || '{ "begun": 0, "cursor": null, "cards": [] }')
    let { cursor } = kept
    for (let pages = begun; pages === 0 || cursor !== null; pages += 1) {
      const query = '?limit=5' + (cursor === null ? '' : '&cursor=' + encodeURIComponent(cursor))
      const page = await ways[pages % 3](listing + query)
      cards.push(...page.nodes.map(({ noteid }) => noteid))
      cursor = page.nextCursor
      document.title = cards.length + ' of ' + page.nodeTotal
      window.name = JSON.stringify({ begun: pages + 1, cursor, cards })
      // Reloads itself in the middle, and goes on where it was.
      if (pages === 1) {
        location.reload()
        await new Promise(() => undefined)
      }
    }
    window.name = ''
    document.querySelector('output').textContent = 'read ' + cards.length
    document.querySelector('button').onclick = async () => {
      await host.api('/documents/NO-SUCH/pages/0/parts')
      document.querySelector('output').textContent = 'asked'
    }`,
  )
  return folder
}

test('safety 67: a panel that reloads, resumes and renames itself causes no finding, and each load is judged alone @either', async ({
  app,
}) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  const set = host.state.library.sets.find(({ cards }) => cards.length >= 30) ?? host.state.library.sets[0]
  const folder = createLawfulPanel(await findListingPath(host, set?.topicid ?? ''))
  const panel = await openFolder(app, folder)
  await expect(panel.getByRole('status')).toHaveText(/^read \d+$/, { timeout: 30_000 })
  await go(page, '#/findings')
  await expect(page.getByText('No findings', { exact: true })).toBeVisible()

  await go(page, '#/panel')
  const reopenedPanel = await getPanel(app)
  await expect(reopenedPanel.getByRole('status')).toHaveText(/^read \d+$/, { timeout: 30_000 })
  await reopenedPanel.getByRole('button', { name: 'Page 0' }).click()
  await expect(reopenedPanel.getByRole('status')).toHaveText('asked', { timeout: 30_000 })
  const beside = page.getByRole('link', { name: '1 finding', exact: true })
  await expect(beside).toBeVisible()
  await beside.click()
  await expect(rows(page).filter({ hasText: 'Parameter out of range' })).toHaveCount(1)
  await page.getByRole('combobox', { name: 'Whose findings' }).selectOption('')
  await expect(page).toHaveURL(/#\/findings$/)
  await expectAccessible(page, 'findings of everybody')

  // Each load has its own number, while the row keeps counting.
  await go(page, '#/panel')
  await page.getByRole('button', { name: 'Reload panel' }).click()
  await expect(beside).toBeHidden()
  const next = await getPanel(app)
  await expect(next.getByRole('status')).toHaveText(/^read \d+$/, { timeout: 30_000 })
  await next.getByRole('button', { name: 'Page 0' }).click()
  await expect(next.getByRole('status')).toHaveText('asked', { timeout: 30_000 })
  await go(page, '#/findings')
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page).first()).toContainText('2×')
  await openTools(page)
  await page.getByRole('button', { name: 'Clear findings' }).click()
  await expect(page.getByText('No findings', { exact: true })).toBeVisible()
  await host.close()
})
