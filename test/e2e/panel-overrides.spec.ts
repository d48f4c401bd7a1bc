import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Frame, Locator, Page } from '@playwright/test'
import { OVERRIDES_FILE, type OverrideRule } from '../../shared/panel/overrides.ts'
import { expect, test, type RunningApp } from './fixtures.ts'
import { openFolder } from './panel-page.ts'
import { waitForConnection, expectAccessible, go, startOwnHost } from './support.ts'

const overrides = (page: Page): Locator => page.getByRole('button', { name: /^Overrides/ })
const drawer = (page: Page): Locator => page.getByRole('dialog', { name: 'Overrides' })
const getOutput = (panel: Frame): Locator => panel.locator('output')

/** Creates a panel that requests the path in its field and shows the result. */
function createAskingPanel(rules: readonly Partial<OverrideRule>[] = []): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-overrides-'))
  writeFileSync(
    path.join(folder, 'index.html'),
    `<!doctype html><html lang="en"><title>Asking</title><h1>Asking</h1>
    <label>Path <input></label><button>Ask</button><output>nothing</output><script src="panel.js"></script></html>`,
  )
  writeFileSync(
    path.join(folder, 'panel.js'),
    `document.querySelector('button').onclick = async () => {
      const say = (text) => { document.querySelector('output').textContent = text }
      say('waits')
      try {
        const answer = await fetch('/bridge/v1' + document.querySelector('input').value)
        say(answer.status + ' ' + await answer.text())
      } catch { say('rejected') }
    }`,
  )
  if (rules.length > 0) writeRules(folder, rules)
  return folder
}
const writeRules = (folder: string, rules: readonly Partial<OverrideRule>[]): void =>
  writeFileSync(path.join(folder, OVERRIDES_FILE), JSON.stringify({ version: 1, rules }))

async function open(app: RunningApp, folder: string): Promise<Frame> {
  const panel = await openFolder(app, folder)
  await expect(panel.getByRole('heading', { name: 'Asking' })).toBeVisible()
  return panel
}
async function ask(panel: Frame, route: string): Promise<void> {
  await panel.getByRole('textbox', { name: 'Path' }).fill(route)
  // The page of the panel may move as a drawer goes, so that a click could miss the button.
  await panel.getByRole('button', { name: 'Ask' }).press('Enter')
}

test('a panel with overrides for every route runs without a host, and meets each fault @either', async ({ app }) => {
  const createGet = (to: string) => ({ method: 'GET', path: to })
  const faults = ['offline', 'reset', 'hang', 'rate-limit', 'html-error', 'cut', 'malformed'] as const
  const folder = createAskingPanel([
    {
      name: 'A card',
      match: createGet('/notes/{noteid}'),
      answer: { kind: 'canned', status: 200, headers: [], body: 'mine', base64: false },
    },
    ...faults.map((fault) => ({
      name: fault,
      match: createGet(`/${fault}`),
      answer: { kind: 'fault' as const, fault },
    })),
  ])
  const page = await app.restart([])
  const panel = await open(app, folder)
  await expect(overrides(page)).toContainText('8/8')
  await ask(panel, '/notes/N-1')
  await expect(getOutput(panel)).toHaveText('200 mine')
  const expected = {
    offline: 'rejected',
    reset: 'rejected',
    'rate-limit': /^429 \{"error":\{"code":"RATE_LIMITED".*"retryAfterSeconds":5\}\}$/,
    'html-error': /^500 <!doctype html>/,
    cut: 'rejected',
    malformed: /^200 \{"bridgeApiVersion"/,
  }
  for (const [fault, expectedResponse] of Object.entries(expected)) {
    await ask(panel, `/${fault}`)
    await expect(getOutput(panel)).toHaveText(expectedResponse)
  }
  await ask(panel, '/hang')
  await expect(getOutput(panel)).toHaveText('waits')
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(page.getByText('The panel is stopped')).toBeVisible()
  await go(page, '#/traffic')
  const traffic = page.getByRole('grid', { name: 'Traffic' })
  // The request is cancelled because the panel's page is closed.
  await expect(traffic.getByRole('row').filter({ hasText: '/hang' })).toContainText('Cancelled')
  const marked = traffic.getByRole('row').filter({ hasText: '/notes/N-1' })
  await expect(marked.getByRole('img', { name: 'Answered by the rule “A card”' })).toBeVisible()
})

test('a rule made in the drawer changes the host’s response, and a hand-edited one takes effect @either', async ({
  app,
}) => {
  const { flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  const folder = createAskingPanel()
  const panel = await open(app, folder)
  await ask(panel, '/ui-state')
  await expect(getOutput(panel)).toContainText('200 {')
  await overrides(page).click()
  await expectAccessible(page, 'overrides')
  await drawer(page).getByRole('button', { name: 'Add rule' }).click()
  await drawer(page).getByRole('combobox', { name: 'Path' }).fill('/ui-state')
  await expect(drawer(page)).toContainText('Matches 1 of the last 1 call')
  await drawer(page).getByRole('combobox', { name: 'JSON pointer' }).fill('/bridgeApiVersion')
  await drawer(page).getByRole('textbox', { name: 'Value', exact: true }).fill('"changed here"')
  await expectAccessible(page, 'a rule')
  await drawer(page).getByRole('button', { name: 'Save' }).click()
  await expect(drawer(page).getByRole('switch')).toHaveCount(1)
  const file = path.join(folder, OVERRIDES_FILE)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ rules: [{ name: 'GET /ui-state' }] })
  await page.keyboard.press('Escape')
  await expect(drawer(page)).toHaveCount(0)
  await expect(overrides(page)).toContainText('1/1')
  await ask(panel, '/ui-state')
  await expect(getOutput(panel)).toContainText('"changed here"')

  const theirs: OverrideRule['answer'] = { kind: 'canned', status: 200, headers: [], body: 'by hand', base64: false }
  writeRules(folder, [{ name: 'Theirs', match: { method: '*', path: '/ui-state' }, answer: theirs }, {}])
  await expect(overrides(page)).toContainText('1 problem')
  await ask(panel, '/ui-state')
  await expect(getOutput(panel)).toHaveText('200 by hand')
})

test('a recorded exchange is replayed without the host @either', async ({ app }) => {
  const { flags, host } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  const folder = createAskingPanel()
  const panel = await open(app, folder)
  await ask(panel, '/ui-state')
  await expect(getOutput(panel)).toContainText('200 {')
  const first = await getOutput(panel).textContent()
  const respondAgain = async (): Promise<void> => {
    await go(page, '#/traffic')
    await page.getByRole('grid', { name: 'Traffic' }).getByRole('row').filter({ hasText: 'panel' }).first().click()
    await page.getByRole('button', { name: 'Override with this response' }).click()
  }
  await respondAgain()
  await expect(drawer(page).getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('GET /ui-state')
  await page.keyboard.press('Escape')
  await expect(overrides(page)).not.toContainText('1')
  expect(existsSync(path.join(folder, OVERRIDES_FILE))).toBe(false)
  const countRequests = (): number => host.log.filter(({ path: to }) => to.includes('/ui-state')).length
  const beforeSaving = countRequests()
  await ask(panel, '/ui-state')
  await expect.poll(countRequests).toBe(beforeSaving + 1)

  await respondAgain()
  await drawer(page).getByRole('button', { name: 'Save' }).click()
  await page.keyboard.press('Escape')
  await expect(overrides(page)).toContainText('1/1')
  // The panel's page was not reloaded while the traffic was shown.
  await expect(getOutput(panel)).toHaveText(first ?? '')
  const before = countRequests()
  await ask(panel, '/ui-state')
  await expect(getOutput(panel)).toHaveText(first ?? '')
  expect(countRequests()).toBe(before)
})
