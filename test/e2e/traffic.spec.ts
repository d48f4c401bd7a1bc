import { readFileSync } from 'node:fs'
import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import {
  waitForConnection,
  expectAccessible,
  go,
  startOwnHost,
  readSavedSettings,
  waitUntilSettled,
  getDialect,
  openTools,
  chooseFilter,
} from './support.ts'
import { compose, dialog, field, send } from './writing.ts'

const grid = (page: Page): Locator => page.getByRole('grid', { name: 'Traffic' })
const rowOf = (page: Page, path: string | RegExp): Locator => grid(page).getByRole('row').filter({ hasText: path })
const exchange = (page: Page): Locator => page.getByRole('region', { name: 'Exchange' })
const openTab = (page: Page, name: string): Promise<void> => exchange(page).getByRole('tab', { name }).click()

async function openTraffic(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Traffic' }).click()
  await expect(grid(page).getByRole('row').nth(1)).toBeVisible()
}

test('the list shows every exchange, and the selected one beside it with a body that can be saved @either @core', async ({
  page,
  app,
}) => {
  await waitForConnection(page)
  await openTraffic(page)
  for (const name of ['Time', 'Method', 'Path', 'Status', 'Waterfall']) {
    await expect(grid(page).getByRole('columnheader', { name })).toBeVisible()
  }
  const row = rowOf(page, '/library/study-sets').first()
  await expect(row).toContainText('GET')
  await expect(row).toContainText('200')
  await expect(row).toContainText('this program')
  // Heartbeats are hidden by default.
  await expect(rowOf(page, 'heartbeat')).toHaveCount(0)
  await chooseFilter(page, /Heartbeats/)
  await expect(rowOf(page, 'heartbeat').first()).toBeVisible()

  await row.click()
  await expect(page).toHaveURL(/#\/traffic\/[0-9a-f-]{36}/)
  await expect(exchange(page).getByRole('heading', { level: 2 })).toContainText('GET /library/study-sets')
  // The desktop app would open the system's save dialog.
  if (app.mode === 'browser') {
    const download = page.waitForEvent('download')
    await exchange(page).getByRole('button', { name: 'Save body' }).click()
    const file = await download
    expect(file.suggestedFilename()).toBe('library-study-sets.json')
    expect(readFileSync(await file.path(), 'utf8')).toContain('"topicid"')
  }
  await openTab(page, 'Response')
  await expect(exchange(page).locator('.cm-content')).toContainText('topicid')
  await openTab(page, 'Contract')
  const judged = getDialect() === 'loose' ? 'values read in another shape' : 'The answer matches the contract.'
  await expect(exchange(page)).toContainText(judged)
  await openTab(page, 'Timing')
  await expect(exchange(page).getByRole('table', { name: 'Timing' })).toContainText('Waiting for the host')
})

test('three clicks in the list show what differs from the previous exchange, and two the slowest call', async ({
  app,
}) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  await go(page, '#/library')
  await waitUntilSettled(page)
  const [first] = host.state.library.sets
  if (!first) throw new Error('the demo library has no study sets')
  Object.assign(first, { title: 'Another title' })
  await page.reload()
  await waitForConnection(page)
  await openTraffic(page)
  await rowOf(page, '/library/study-sets').first().click()
  await exchange(page).getByRole('link', { name: 'What differs from the last time' }).click()
  const changes = page.getByRole('grid', { name: 'Differences' })
  await expect(changes.getByRole('row').nth(1)).toContainText('changed')
  await expect(changes).toContainText('Another title')
  await expect(changes).toContainText('/title')
  await expectAccessible(page, 'comparison')

  await waitUntilSettled(page)
  // The latency is longer than any request takes on a busy machine.
  host.setLatency(3_000)
  const before = host.log.length
  await go(page, '#/search?q=slow')
  await expect.poll(() => host.log.slice(before).some(({ path: to }) => to.includes('slow'))).toBe(true)
  await waitUntilSettled(page)
  host.setLatency(0)
  await openTraffic(page)
  const duration = grid(page).getByRole('columnheader', { name: 'Duration' })
  await duration.click()
  await duration.click()
  await expect(duration).toHaveAttribute('aria-sort', 'descending')
  await expect(grid(page).getByRole('row').nth(1)).toContainText('/search')
  await host.close()
})

test('a card leads to the reason why the host refused its write', async ({ app }) => {
  const { host, flags } = await startOwnHost({
    chooseFault: (endpoint) => (endpoint === 'notes.practiceVerdict' ? 'rate-limit' : null),
  })
  const page = await app.restart(flags)
  await waitForConnection(page)
  await page.getByRole('button', { name: 'Read-only' }).click()
  await page.getByRole('button', { name: 'Unlock until the app exits' }).click()
  await compose(page, 'Record a practice verdict')
  const sheet = dialog(page)
  await expect(sheet).toContainText(/expectedRevision is \d+/)
  await field(page, 'self').fill('again')
  await send(page)
  await sheet.getByRole('link', { name: 'Open the record' }).click()
  await page
    .getByRole('article', { name: 'Operation record' })
    .getByRole('link', { name: 'Traffic', exact: true })
    .click()
  const refused = rowOf(page, 'POST').filter({ hasText: '429' })
  await expect(refused).toContainText('SCAN_BUSY')
  await refused.click()
  await openTab(page, 'Response')
  await expect(exchange(page).locator('.cm-content')).toContainText('retryAfterSeconds')
  // The write is composed again, and nothing is sent before its review.
  const countPosts = (): number => host.log.filter(({ method }) => method === 'POST').length
  const before = countPosts()
  await exchange(page).getByRole('button', { name: 'Replay…' }).click()
  await expect(sheet.getByRole('button', { name: 'Send', exact: true })).toBeVisible()
  expect(countPosts()).toBe(before)
  await host.close()
})

test('the filter is in the address, can be saved by name, and a read can be sent again', async ({ page, app }) => {
  await waitForConnection(page)
  await openTraffic(page)
  await page.getByRole('searchbox', { name: 'Filter by method, path or code' }).fill('study-sets')
  await expect(page).toHaveURL(/[?&]q=study-sets/)
  await expect(rowOf(page, '/capabilities')).toHaveCount(0)
  await openTools(page)
  await page.getByRole('button', { name: 'Save filter…' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Study sets')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect.poll(() => readSavedSettings(app.dataDir)).toContain('q=study-sets')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(rowOf(page, '/capabilities').first()).toBeVisible()
  await openTools(page)
  await page.getByRole('combobox', { name: 'Saved filters' }).selectOption('Study sets')
  await expect(rowOf(page, '/capabilities')).toHaveCount(0)
  await page.reload()
  await expect(rowOf(page, '/library/study-sets').first()).toBeVisible()
  await expect(rowOf(page, '/capabilities')).toHaveCount(0)
  await rowOf(page, '/library/study-sets').first().click()
  await exchange(page).getByRole('button', { name: 'Replay', exact: true }).click()
  await expect(exchange(page)).toContainText('console')
  await expect(rowOf(page, 'console')).toHaveCount(1)
})

/** In a window this low the requests of the start fill more than one screen. */
async function openTrafficWithStrip(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 240 })
  await openTraffic(page)
  await expect(page.getByRole('group', { name: 'Requests over time' })).toBeVisible()
  await page.setViewportSize({ width: 1280, height: 800 })
}

test('tokens filter while they are typed, become chips, and are completed and excluded', async ({ page }) => {
  await waitForConnection(page)
  await openTraffic(page)
  await expect(page.getByRole('group', { name: 'Requests over time' })).toHaveCount(0)
  await expect(grid(page).getByRole('columnheader', { name: 'Type' })).toHaveCount(0)
  expect((await grid(page).getByRole('row').nth(1).boundingBox())?.y).toBeLessThanOrEqual(150)
  const field = page.getByRole('searchbox')
  const suggestions = page.getByRole('listbox', { name: 'Suggestions' })
  const chip = (token: string) => page.getByRole('button', { name: `Remove ${token}`, exact: true })
  await field.focus()
  for (const name of ['method:', 'status:', 'origin:', 'route:', 'has:', 'larger:', 'slower:'])
    await expect(suggestions.getByRole('option', { name })).toBeVisible()
  await field.pressSequentially('-route:/capab')
  await expect(suggestions.getByRole('option')).toHaveText('-route:/capabilities')
  // A half typed token hides nothing.
  await expect(rowOf(page, '/capabilities').first()).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(chip('-route:/capabilities')).toBeVisible()
  await expect(rowOf(page, '/capabilities')).toHaveCount(0)
  await expect(rowOf(page, '/library/study-sets').first()).toBeVisible()
  await field.pressSequentially('status:4xx')
  await expect(rowOf(page, '/library/study-sets')).toHaveCount(0)
  await page.keyboard.press('Space')
  await expect(chip('status:4xx')).toBeVisible()
  await expect(field).toHaveValue('')
  // The language covers no result of a finished token, and is listed again on demand.
  await expect(suggestions).toBeHidden()
  await page.keyboard.press('ArrowDown')
  await expect(suggestions.getByRole('option', { name: 'method:' })).toBeVisible()
  await page.reload()
  await expect(chip('status:4xx')).toBeVisible()
  await expectAccessible(page, 'traffic with chips')
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const scope = page.getByRole('checkbox', { name: 'Also in bodies and headers' })
  expect((await scope.boundingBox())?.height).toBeLessThan(30)
  await page.keyboard.press('Escape')
  await chip('status:4xx').click()
  await expect(rowOf(page, '/library/study-sets').first()).toBeVisible()
  await field.fill('has:finding')
  await expect(page.getByText('No exchange matches')).toBeVisible()
})

test('the keyboard reaches filter, list, exchange and span, a drag selects a span, and a pause keeps what is pinned', async ({
  page,
}) => {
  await waitForConnection(page)
  await openTrafficWithStrip(page)
  await test.step('the keyboard reaches the filter, the list, the exchange and the span', async () => {
    await page.keyboard.press('ControlOrMeta+f')
    await page.keyboard.insertText('study-sets')
    await expect(page).toHaveURL(/[?&]q=study-sets/)
    // The address changes before the list does.
    await expect(rowOf(page, '/decks')).toHaveCount(0)
    await expect(rowOf(page, '/library/study-sets').first()).toBeVisible()
    await grid(page).focus()
    await page.keyboard.press('ArrowDown')
    await expect(exchange(page).getByRole('heading', { level: 2 })).toContainText('study-sets')
    await exchange(page).getByRole('button', { name: 'Copy as cURL' }).focus()
    await page.keyboard.press('Enter')
    await expect(exchange(page).getByRole('status').first()).toHaveText('Copied')
    await exchange(page).getByRole('tab', { name: 'Overview' }).focus()
    await page.keyboard.press('ArrowRight')
    await expect(exchange(page).getByRole('tab', { name: 'Request' })).toHaveAttribute('aria-selected', 'true')
    await page.keyboard.press('Escape')
    await expect(exchange(page)).toHaveCount(0)
    await expect(grid(page)).toBeFocused()
    await page.getByRole('slider', { name: 'Start of the span' }).focus()
    await page.keyboard.press('Shift+ArrowRight')
    await expect(page).toHaveURL(/[?&]from=\d+/)
    await page.keyboard.press('Escape')
    await expect(page).not.toHaveURL(/[?&]from=\d+/)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect(rowOf(page, '/decks').first()).toBeVisible()
  })
  await test.step('a drag over the strip selects a span, a click shows everything again', async () => {
    const strip = page.getByRole('group', { name: 'Requests over time' })
    const box = await strip.getByRole('img').boundingBox()
    if (!box) throw new Error('the strip has no box')
    const middle = box.y + box.height / 2
    await page.mouse.move(box.x + box.width * 0.2, middle)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.5, middle, { steps: 4 })
    await page.mouse.up()
    await expect(page).toHaveURL(/[?&]from=\d+/)
    await expect(page).toHaveURL(/[?&]to=\d+/)
    // The filter bar may have become higher, which moves the strip.
    await strip.getByRole('img').click({ position: { x: box.width * 0.7, y: 10 } })
    await expect(page).not.toHaveURL(/[?&](?:from|to)=\d+/)
  })
  await test.step('pausing records nothing more, and clearing keeps only pinned exchanges', async () => {
    await openTools(page)
    await page.getByRole('button', { name: 'Pause recording' }).click()
    await expect(page.getByText('Recording is paused: what happens now is not kept')).toBeVisible()
    await rowOf(page, '/library/study-sets').first().click()
    await exchange(page).getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Pin', exact: true }).click()
    await expect(rowOf(page, '/library/study-sets').getByRole('img', { name: 'Pinned' }).first()).toBeVisible()
    await openTools(page)
    await page.getByRole('button', { name: 'Clear traffic' }).click()
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await expect(rowOf(page, '/capabilities')).toHaveCount(0)
    await expect(rowOf(page, '/library/study-sets')).toHaveCount(1)
  })
})
