import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Locator } from '@playwright/test'
import { expect, test, type RunningApp } from './fixtures.ts'
import { letWritesThrough, openSample } from './panel-page.ts'
import { expectAccessible, getDialect, go, waitForConnection } from './support.ts'

/** A button of the panel, a part of its call's path, and a part of the line that makes the call. */
const bugs: readonly (readonly [button: string, call: string, line: string])[] = [
  ['Count the cards', '?limit=40', 'getListingPath(largeSet)'],
  ['Save the strokes', '/writing/pencil-commit', "host.api('/writing/pencil-commit', createPost(commit))"],
  ['Pause the session', '/writing/session-pause', "host.api('/writing/session-pause', createPost(command))"],
  ['Read the commit’s result', '/writing/pencil-result', 'createPost({ requestId: createId() })'],
  ['Export the document', '/export', '/export`, createPost({ topicid })'],
  ['Read the guide', '/guide', "host.api('/guide')"],
  ['Read the palette', '/note-pallete', '/note-pallete`)'],
  ['Pair the device', '/pair', "host.api('/pair'"],
  ['Judge a card twice', '/practice-verdict', '/practice-verdict`, createPost(verdict)'],
  ['Show a title', '/notes/batch-get', 'createPost({ noteIds: [createId()] })'],
  ['Switch the study set', '?limit=2000', 'getListingPath(topicid)'],
  ['Read twelve cards', '/notes/batch-get', 'createPost({ noteIds: [noteid] })'],
]

/** Counts its clicks. */
function createClicker() {
  let count = 0
  return {
    async click(element: Locator): Promise<void> {
      count += 1
      await element.click()
    },
    getCount: (): number => count,
  }
}

test('two clicks lead from the call of each bug to its line @either', async ({ app, page }) => {
  test.slow()
  await waitForConnection(page)
  const panel = await openSample(app, 'Eleven bugs')
  await letWritesThrough(app)
  const calls = page.getByRole('grid', { name: 'Calls' })
  const exchangeCount = page.getByText(/^\d+ exchanges$/)
  const source = page.getByRole('dialog', { name: 'Source' })
  for (const [button, path, line] of bugs) {
    await test.step(button, async () => {
      const count = await exchangeCount.textContent()
      // Findings get a link above the panel, which may move.
      await panel.getByRole('button', { name: button }).press('Enter')
      await expect(panel.getByRole('button', { name: button })).toBeEnabled()
      await expect(exchangeCount).not.toHaveText(count ?? '')
      const { click, getCount } = createClicker()
      await click(calls.getByRole('row').filter({ hasText: path }).first())
      await click(page.getByRole('region', { name: 'Initiator' }).getByRole('button', { name: /^\/bugs\.js:\d+$/ }))
      await expect(source.locator('.cm-shown-line')).toContainText(line)
      expect(getCount()).toBeLessThanOrEqual(2)
      await source.getByRole('button', { name: 'Close' }).click()
    })
  }
})

/** Delays the first listing after that of the panel's start, so that the next one overtakes it. */
function delaySecondListing({ dataDir }: RunningApp): void {
  const folder = path.join(dataDir, 'panel-overrides')
  const route = `/study-sets/{topicid}/${getDialect() === 'loose' ? 'cards' : 'tree'}`
  const rule = {
    name: 'Late',
    match: { method: 'GET', path: route, nth: 2 },
    answer: { kind: 'change', changes: [] },
    delayMs: 500,
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'eleven-bugs.json'), JSON.stringify({ version: 1, rules: [rule] }))
}

test('the timeline marks calls whose responses crossed; a call that threw and a finding lead to their lines @either', async ({
  app,
  page,
}) => {
  await waitForConnection(page)
  delaySecondListing(app)
  const panel = await openSample(app, 'Eleven bugs')
  await test.step('the timeline marks calls whose responses crossed, and filters by a span', async () => {
    await panel.getByRole('button', { name: 'Switch the study set' }).press('Enter')
    await page.getByRole('tab', { name: 'Timeline' }).click()
    const events = page.getByRole('grid', { name: 'Events' })
    const row = (text: string) => events.getByRole('row').filter({ hasText: text })
    await expect(row('Race')).toHaveCount(1)
    await expect(row('Clicks')).toContainText('Switch the study set')
    await expectAccessible(page, 'timeline')
    await row('Race').click()
    await expect(page.getByRole('region', { name: 'Initiator' })).toContainText('/bugs.js')
    await page.getByRole('group', { name: /^Timeline of/ }).focus()
    await page.keyboard.press('ArrowRight')
    await expect(row('Clicks')).toHaveCount(0)
    await page.getByRole('tab', { name: 'Calls' }).click()
    await page.getByRole('button', { name: 'Show the whole load' }).click()
    await expect(
      page.getByRole('grid', { name: 'Calls' }).getByRole('row').filter({ hasText: 'limit=2000' }),
    ).toHaveCount(2)
  })
  await test.step('a call whose code threw says so, and leads to the line that threw', async () => {
    await panel.getByRole('button', { name: 'Show a title' }).click()
    const row = page.getByRole('grid', { name: 'Calls' }).getByRole('row').filter({ hasText: '/notes/batch-get' })
    await expect(row.getByRole('img', { name: 'Ended in an unhandled rejection' })).toBeVisible()
    await row.click()
    const rejection = page.getByRole('region', { name: 'Ended in an unhandled rejection' })
    await expect(rejection).toContainText('TypeError')
    await rejection.getByRole('button', { name: /^\/bugs\.js:\d+$/ }).click()
    const source = page.getByRole('dialog', { name: 'Source' })
    await expect(source.locator('.cm-shown-line')).toContainText('items[0].title')
    await expectAccessible(page, 'source')
    await source.getByRole('button', { name: 'Close' }).click()
  })
  await test.step('two clicks lead from a finding to the line', async () => {
    await panel.getByRole('button', { name: 'Read the guide' }).click()
    await expect(panel.getByRole('status', { name: 'Result' })).toHaveText('NOT_JSON')
    await go(page, '#/findings')
    const { click, getCount } = createClicker()
    await click(page.getByRole('grid', { name: 'Findings' }).getByRole('row').filter({ hasText: '/guide' }))
    await click(
      page.getByRole('region', { name: 'Finding', exact: true }).getByRole('button', { name: /^\/bugs\.js:\d+$/ }),
    )
    await expect(page.getByRole('dialog', { name: 'Source' }).locator('.cm-shown-line')).toContainText(
      "host.api('/guide')",
    )
    expect(getCount()).toBe(2)
  })
})
