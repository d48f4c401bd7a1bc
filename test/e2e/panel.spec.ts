import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { FrameLocator, Locator, Page } from '@playwright/test'
import type { DemoHost } from '../../electron/demo-host/server.ts'
import { toExpectedPrefix } from '../../shared/cards.ts'
import { expect, test, type RunningApp } from './fixtures.ts'
import { openFolder, getPanel } from './panel-page.ts'
import { waitForConnection, expectAccessible, go, startOwnHost, openTools } from './support.ts'
import { CARD, titleOf } from './writing.ts'

const calls = (page: Page): Locator => page.getByRole('grid', { name: 'Calls' })
const region = (page: Page): Locator => page.getByRole('region', { name: 'Panel', exact: true })
const inside = (page: Page): FrameLocator => region(page).frameLocator('iframe')
/** The native radio buttons lie under their labels, so the labels are clicked. */
const writes = (page: Page, mode: string): Locator =>
  page.getByRole('radiogroup', { name: 'Writes' }).getByText(mode, { exact: true })

/** Where the toolbar of the panel lab and the list of its calls are. */
const measurePlaces = (page: Page) =>
  Promise.all([page.getByRole('radiogroup', { name: 'Writes' }), calls(page)].map((item) => item.boundingBox()))

/** Creates a panel with a button for each call, which shows the result. */
function createWritingPanel(expectedPrefix: string): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-panel-'))
  const buildButton = (name: string, method: string, to: string, body: unknown): string =>
    `<button data-call='${JSON.stringify({ method, to, body })}'>${name}</button>`
  writeFileSync(
    path.join(folder, 'index.html'),
    `<!doctype html><html lang="en"><title>Own panel</title><h1>Own panel</h1>
    ${buildButton('Read', 'GET', '/ui-state', null)}
    ${buildButton('Rename', 'POST', `/notes/${CARD}/title`, { text: 'Renamed by a panel', expectedPrefix, confirm: false })}
    ${buildButton('Pair', 'POST', '/pair', { code: '000000', deviceName: 'x' })}
    <output>nothing</output><script src="panel.js"></script></html>`,
  )
  writeFileSync(
    path.join(folder, 'panel.js'),
    `for (const button of document.querySelectorAll('button')) button.onclick = async () => {
      const { method, to, body } = JSON.parse(button.dataset.call)
      document.querySelector('output').textContent = 'waits'
      const opts = body ? { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : { method }
      const answer = await host.api(to, opts)
      document.querySelector('output').textContent = answer.error ? 'error ' + answer.error.code : 'done'
    }
    console.warn('a warning of the panel')`,
  )
  return folder
}

/** Connects the app to the test's own host, and opens that panel. */
async function openWritingPanel(app: RunningApp) {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  const title = titleOf(host)
  // Some hosts require the expected prefix in a write of the title.
  const folder = createWritingPanel(toExpectedPrefix(title))
  const panel = await openFolder(app, folder)
  await expect(panel.getByRole('heading', { name: 'Own panel' })).toBeVisible()
  return { page, panel, host, folder }
}
const countRenames = ({ log }: DemoHost): number => log.filter(({ endpoint }) => endpoint === 'notes.title').length

test('a sample panel opens, shows its calls from both sides, and closes with Stop @core', async ({ page }) => {
  await waitForConnection(page)
  await go(page, '#/panel')
  await page.getByRole('button', { name: 'Practice', exact: true }).click()
  await expect(
    inside(page)
      .getByText(/\d+ cards/)
      .first(),
  ).toBeVisible()
  const row = calls(page).getByRole('row').filter({ hasText: '/immersive/template' })
  await expect(row).toContainText('Passed on')
  await row.click()
  const call = page.getByRole('region', { name: 'Call', exact: true })
  await expect(call).toContainText('/immersive/template')
  await expect(call).toContainText('Status 200')
  await call.getByRole('tab', { name: 'Host', exact: true }).click()
  await expect(call.getByRole('region', { name: 'Exchange' })).toContainText('200')
  await expectAccessible(page, 'panel lab')

  await page.getByRole('button', { name: 'Reload panel' }).click()
  await expect(region(page)).toContainText('Reloaded at')
  await expect(
    inside(page)
      .getByText(/\d+ cards/)
      .first(),
  ).toBeVisible()

  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(region(page)).toContainText('The panel is stopped')
  await expect(page.locator('iframe')).toHaveCount(0)
  await page.getByRole('button', { name: 'Open again' }).click()
  await expect(
    inside(page)
      .getByText(/\d+ cards/)
      .first(),
  ).toBeVisible()
})

test('a panel’s writes are refused, confirmed by the user, or let through by a profile that may write @either @core', async ({
  app,
}) => {
  const { page, panel, host } = await openWritingPanel(app)
  const output = panel.locator('output')
  // The page of the panel moves as notes come and go, so that a click could miss the button.
  const rename = panel.getByRole('button', { name: 'Rename' })
  await writes(page, 'Refuse').click()
  await expect(page.getByRole('radio', { name: 'Refuse' })).toBeChecked()
  await rename.press('Enter')
  await expect(output).toContainText('error')
  await expect(calls(page).getByRole('row').nth(1)).toContainText('Write refused')

  // The profile is read-only: the dialog opens and says so, and sends nothing before the unlock.
  await writes(page, 'Ask').click()
  await rename.press('Enter')
  await expect(page.getByRole('dialog')).toContainText('This host is read-only: no writes are sent.')
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true })).toBeDisabled()
  await page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click()
  await expect(output).toContainText('error')
  expect(countRenames(host)).toBe(0)

  // Letting writes through asks the same question as everywhere.
  await writes(page, 'Let through').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Unlock until the app exits' }).first().click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('note')).toContainText('without asking')
  await page.getByRole('button', { name: 'Ask instead' }).click()
  await expect(page.getByText('without asking')).toHaveCount(0)

  await rename.press('Enter')
  await expect(output).toHaveText('waits')
  await expect(dialog).toContainText('Renamed by a panel')
  await expect(dialog).toContainText('The page sent “confirm”: false. No effect')
  await dialog.getByRole('button', { name: 'Refuse' }).click()
  await expect(output).toContainText('error')
  expect(countRenames(host)).toBe(0)

  await rename.press('Enter')
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(output).toHaveText('done')
  expect(countRenames(host)).toBe(1)

  // Nothing moves under the pointer that has pressed the choice.
  const places = await measurePlaces(page)
  await writes(page, 'Let through').click()
  await expect(page.getByRole('note')).toContainText('without asking')
  expect(await measurePlaces(page)).toEqual(places)
  await rename.press('Enter')
  await expect.poll(() => countRenames(host)).toBe(2)
  await expect(dialog).toHaveCount(0)
  await host.close()
})

test('the chosen list decides what a panel may call @either', async ({ app }) => {
  const { page, panel, host } = await openWritingPanel(app)
  const output = panel.locator('output')
  await panel.getByRole('button', { name: 'Pair' }).press('Enter')
  await expect(output).toHaveText('error IN_PROCESS_NOT_ALLOWED')
  await expect(calls(page).getByRole('row').nth(1)).toContainText('Not allowed')
  expect(host.log.filter(({ path: to }) => to.includes('/pair'))).toEqual([])

  await page.getByRole('tab', { name: 'Allowed' }).click()
  await page.getByRole('button', { name: 'Edit my list' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Allowed routes' }).fill('GET /nowhere\nnothing')
  await expect(dialog.getByRole('alert')).toContainText('Line 2')
  await dialog.getByRole('textbox', { name: 'Allowed routes' }).fill('GET /nowhere')
  await dialog.getByRole('button', { name: 'Use my list' }).click()
  await openTools(page)
  await expect(page.getByRole('combobox', { name: 'Allow-list' })).toHaveValue('mine')
  await panel.getByRole('button', { name: 'Read' }).press('Enter')
  await expect(output).toHaveText('error IN_PROCESS_NOT_ALLOWED')

  await page.getByRole('combobox', { name: 'Allow-list' }).selectOption('all')
  await expect(page.getByText('A panel inside a host would not get this.')).toBeVisible()
  await panel.getByRole('button', { name: 'Read' }).press('Enter')
  await expect(output).toHaveText('done')

  // The panel keeps running behind another place; once it reloads, earlier calls are not listed any
  // more.
  await go(page, '#/traffic')
  await go(page, '#/panel')
  await expect(output).toHaveText('done')
  await expect(page.getByRole('tab', { name: 'Allowed' })).toHaveAttribute('aria-selected', 'true')
  await page.getByRole('tab', { name: 'Calls' }).click()
  await expect(calls(page).getByRole('row').nth(1)).toContainText('Passed on')
  await panel.evaluate(() => void setTimeout(() => location.reload(), 0))
  await expect(region(page)).toContainText('Reloaded itself at')
  await expect(calls(page).getByRole('row')).toHaveCount(1)
  await host.close()
})

test('the console follows its newest entry, stays put while the user reads older ones, and says that a changed file reloaded the panel', async ({
  app,
}) => {
  const { page, panel, host, folder } = await openWritingPanel(app)
  await page.getByRole('tab', { name: /^Console/ }).click()
  const log = page.getByRole('region', { name: 'Console' })
  await expect(log).toContainText('a warning of the panel')
  await expect(log).toContainText('panel.js:8')
  const logNotes = (from: number, count: number): Promise<void> =>
    panel.evaluate(
      ([first, manyCards]) => {
        for (let n = first; n < first + manyCards; n += 1) console.log(`note ${n}\n${'line\n'.repeat(n % 7)}end ${n}.`)
      },
      [from, count] as const,
    )
  // More entries in one second would be dropped.
  await logNotes(0, 80)
  await expect(log.getByText('end 79.')).toBeInViewport()
  // Only the visible entries are rendered.
  expect(await log.getByRole('listitem').count()).toBeLessThan(75)
  await page.waitForTimeout(1_100)
  await logNotes(80, 10)
  await expect(log.getByText('end 89.')).toBeInViewport()
  await log.hover()
  await page.mouse.wheel(0, -3000)
  await expect(page.getByRole('button', { name: 'To the newest' })).toBeVisible()
  const readScrollTop = (): Promise<number> => log.evaluate((box) => box.scrollTop)
  await expect
    .poll(
      async () =>
        (await readScrollTop()) === (await new Promise((done) => setTimeout(done, 200)), await readScrollTop()),
    )
    .toBe(true)
  const readTopLine = (): Promise<string> =>
    log.evaluate((box) => {
      const { left, top: edge } = box.getBoundingClientRect()
      return (
        document
          .elementFromPoint(left + 60, edge + 60)
          ?.closest('li')
          ?.getAttribute('aria-posinset') ?? ''
      )
    })
  const before = await readTopLine()
  const knownCount = (await log.getByRole('listitem').first().getAttribute('aria-setsize')) ?? ''
  await logNotes(90, 10)
  await expect(log.getByRole('listitem').first()).not.toHaveAttribute('aria-setsize', knownCount)
  expect(await readTopLine()).toBe(before)
  await page.getByRole('button', { name: 'To the newest' }).click()
  await expect(log.getByText('end 99.')).toBeInViewport()

  writeFileSync(path.join(folder, 'panel.js'), "document.querySelector('output').textContent = 'changed'")
  await expect(inside(page).locator('output')).toHaveText('changed')
  await expect(region(page)).toContainText('A file changed')
  // The first load is out of sight by now.
  await expect(log.getByText('Loaded')).toBeInViewport()
  await host.close()
})

test('the console, a route and an exchange show who may call the route, and the keyboard alone opens, inspects and stops a panel', async ({
  page,
}) => {
  await test.step('the console, a route and an exchange show who may call the route', async () => {
    await waitForConnection(page)
    await go(page, `#/console?method=POST&path=${encodeURIComponent(`/notes/${CARD}/practice-verdict`)}`)
    await page.getByRole('button', { name: 'Who may call this?' }).click()
    const callers = page.getByRole('region', { name: 'Who may call this?' })
    await expect(callers.getByRole('region', { name: 'A plugin’s panel' })).toContainText('The host sets “addon” to')
    await expect(callers.getByRole('region', { name: 'A plugin’s panel' })).toContainText('/plugins/0/id')
    await expect(callers.getByRole('region', { name: 'An external tool' })).toContainText('Needs the token.')
    await page.keyboard.press('Escape')
    await expect(callers).toHaveCount(0)

    await go(page, '#/host?view=routes&q=/pair')
    await page.getByRole('grid', { name: 'Routes' }).getByRole('row').filter({ hasText: '/pair' }).first().click()
    await expect(callers).toContainText('gets 403 IN_PROCESS_NOT_ALLOWED')

    await go(page, '#/traffic')
    await page
      .getByRole('grid', { name: 'Traffic' })
      .getByRole('row')
      .filter({ hasText: '/capabilities' })
      .first()
      .click()
    await page.getByRole('tab', { name: 'Contract' }).click()
    // The required plan is shown once, by the list that contains the route.
    await expect(page.getByText('Max outside the host', { exact: true })).toHaveCount(0)
    // If the host has no list for panels, its routes decide.
    await expect(callers).toContainText(/\/(?:panelRoutes|routes)\//)
  })
  await test.step('the keyboard alone opens, inspects and stops a panel', async () => {
    await go(page, '#/panel')
    await page.getByRole('button', { name: 'Practice', exact: true }).focus()
    await page.keyboard.press('Enter')
    await expect(calls(page).getByRole('row').nth(1)).toContainText('Passed on')
    await calls(page).focus()
    await page.keyboard.press('ArrowDown')
    const call = page.getByRole('region', { name: 'Call', exact: true })
    await expect(call).toBeVisible()
    await call.getByRole('tab', { name: 'Page', exact: true }).focus()
    await page.keyboard.press('ArrowRight')
    await expect(call).toContainText('The allow-list names it.')
    await page.getByRole('separator', { name: 'Width of the panel' }).focus()
    await page.keyboard.press('ArrowLeft')
    await expect(page.getByRole('combobox', { name: 'Size' })).toHaveValue('free')
    await page.getByRole('button', { name: 'Stop', exact: true }).focus()
    await page.keyboard.press('Enter')
    await expect(region(page)).toContainText('The panel is stopped')
  })
})

test('the panel lab works in Chinese: open, refuse a write, read why, stop @either', async ({ app }) => {
  const { page, host } = await openWritingPanel(app)
  await go(page, '#/settings')
  await page.getByText('简体中文', { exact: true }).click()
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN')
  await go(page, '#/panel')
  await page.getByRole('radiogroup', { name: '写入' }).getByText('拒绝', { exact: true }).click()
  await expect(page.getByRole('radio', { name: '拒绝' })).toBeChecked()
  const visiblePanel = await getPanel(app)
  await visiblePanel.getByRole('button', { name: 'Rename' }).click()
  await expect(visiblePanel.locator('output')).toContainText('error')
  const row = page.getByRole('grid', { name: '调用' }).getByRole('row').nth(1)
  await expect(row).toContainText('写入被拒')
  await row.click()
  const call = page.getByRole('region', { name: '调用', exact: true })
  await expect(call).toContainText('面板的写入一律被拒绝。没有发送任何内容。')
  await expectAccessible(page, 'panel lab in Chinese')
  expect(countRenames(host)).toBe(0)
  await page.getByRole('button', { name: '停止', exact: true }).click()
  await expect(page.getByRole('button', { name: '重新打开' })).toBeVisible()
  await host.close()
})
