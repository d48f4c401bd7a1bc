import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { openFolder } from './panel-page.ts'
import { expectAccessible, go, waitForConnection, openTools } from './support.ts'

/** Creates a panel that lists its finished requests in their order. */
function createPanel(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-breakpoints-'))
  writeFileSync(
    path.join(folder, 'index.html'),
    `<!doctype html><html lang="en"><title>Racing</title><h1>Racing</h1>
    <button>Read both</button><button>Write</button><output></output><script src="panel.js"></script></html>`,
  )
  writeFileSync(
    path.join(folder, 'panel.js'),
    `const [read, write] = document.querySelectorAll('button')
    const say = (text) => { document.querySelector('output').append(text + '; ') }
    const load = async (name, ...input) => {
      try {
        const response = await fetch('/bridge/v1' + input[0], input[1])
        say(name + ' ' + response.status + ' ' + (await response.text()).slice(0, 40))
      } catch { say(name + ' rejected') }
    }
    read.onclick = () => { load('first', '/ui-state'); load('second', '/library/study-sets') }
    write.onclick = () => load('written', '/notes/N-1/practice-verdict', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"self":"again"}',
    })`,
  )
  return folder
}

const heldList = (page: Page): Locator => page.getByRole('list', { name: 'Held', exact: true })

async function addBreakpoint(page: Page, route: string, point: string): Promise<void> {
  await page.getByRole('button', { name: /^Breakpoints/ }).click()
  const drawer = page.getByRole('dialog', { name: 'Breakpoints' })
  await drawer.getByRole('button', { name: 'Add breakpoint' }).click()
  const field = drawer.getByRole('combobox', { name: 'Path' })
  await field.fill(route)
  await field.press('Tab')
  await drawer.getByText(point, { exact: true }).click()
  await drawer.getByRole('button', { name: 'Save' }).click()
  await expect(drawer.getByRole('switch', { name: `Use “* ${route}”` })).toBeVisible()
  await expectAccessible(page, 'breakpoints')
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()
}

test('a request is held, edited, reviewed as edited, and responses are released in reversed order @either @core', async ({
  app,
}) => {
  const page = await app.restart(['--demo'])
  await waitForConnection(page)
  const panel = await openFolder(app, createPanel())
  const output = panel.locator('output')
  await addBreakpoint(page, '/notes/{noteid}/practice-verdict', 'Request')
  // What stands above the panel changed, so that a click could miss the button.
  await panel.getByRole('button', { name: 'Write' }).press('Enter')
  const row = heldList(page).getByRole('listitem')
  await expect(row).toHaveCount(1)
  await expect(row).toContainText('POST /notes/N-1/practice-verdict')
  await row.getByRole('button', { name: 'Edit' }).click()
  const editor = page.getByRole('dialog', { name: 'Edit the request' })
  await expect(editor.getByRole('timer')).toContainText(/Goes on unchanged in \d+ s/)
  await expect(editor.getByRole('textbox', { name: 'Method' })).toHaveValue('POST')
  await editor.getByRole('textbox', { name: 'Path' }).fill('/notes/N-2/practice-verdict')
  await expect(editor.getByRole('textbox', { name: 'Query' })).toHaveValue('')
  await editor.getByRole('textbox', { name: 'Body' }).fill('{"self":"good"}')
  await editor.getByRole('button', { name: 'Continue' }).click()
  const review = page.getByRole('dialog', { name: 'Write of the panel' })
  await expect(review).toContainText('"good"')
  await expect(review).toContainText('/notes/N-2/practice-verdict')
  await expect(review).not.toContainText('"again" }')
  await review.getByRole('button', { name: 'Refuse' }).click()
  await expect(output).toContainText('written 403')
  await expect(heldList(page)).toHaveCount(0)

  // The editor covers the details of the selected call, which keep a height of their own.
  await page.getByRole('grid', { name: 'Calls' }).getByRole('row').filter({ hasText: '403' }).click()
  await panel.getByRole('button', { name: 'Write' }).press('Enter')
  await row.getByRole('button', { name: 'Edit' }).click()
  await editor.getByRole('heading', { name: 'Edit the request' }).click()
  await editor.getByRole('button', { name: 'Cancel' }).click()
  await row.getByRole('button', { name: 'Fail' }).click()
  await expect(heldList(page)).toHaveCount(0)

  await openTools(page)
  await page.getByRole('button', { name: 'Hold all', exact: true }).click()
  await page.keyboard.press('Escape')
  await panel.getByRole('button', { name: 'Read both' }).press('Enter')
  await expect(row).toHaveCount(2)
  await row.filter({ hasText: '/library/study-sets' }).getByRole('button', { name: 'Continue' }).click()
  await expect(output).toContainText('second 200')
  await expect(output).not.toContainText('first')
  await expect(row).toHaveCount(1)
  await row.getByRole('button', { name: 'Answer' }).click()
  const byHand = page.getByRole('dialog', { name: 'Answer by hand' })
  await byHand.getByRole('textbox', { name: 'Body' }).fill('{"by":"hand"}')
  await byHand.getByRole('button', { name: 'Answer', exact: true }).click()
  await expect(output).toContainText('first 200 {"by":"hand"}')
  await openTools(page)
  await page.getByRole('button', { name: 'Hold all', exact: true }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('row', { name: /ui-state/ }).click()
  await page.getByRole('tab', { name: 'Gate' }).click()
  await expect(page.getByText(/^Response held .*, then answered by hand$/)).toBeVisible()
})

test('a new breakpoint begins with the route of the selected exchange, also in Traffic @either @core', async ({
  app,
}) => {
  const page = await app.restart(['--demo'])
  await waitForConnection(page)
  await go(page, '#/traffic')
  const row = page.getByRole('grid', { name: 'Traffic' }).getByRole('row', { name: /\/capabilities/ })
  await row.first().click()
  await openTools(page)
  await page.getByRole('button', { name: 'Breakpoints' }).click()
  const drawer = page.getByRole('dialog', { name: 'Breakpoints' })
  await drawer.getByRole('button', { name: 'Add breakpoint' }).click()
  await expect(drawer.getByRole('combobox', { name: 'Path' })).toHaveValue('/capabilities')
  await page.keyboard.press('Escape')
  await row.first().click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Break on this call' }).click()
  await expect(drawer.getByRole('combobox', { name: 'Path' })).toHaveValue('/capabilities')
})
