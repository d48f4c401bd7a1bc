import { pathToFileURL } from 'node:url'
import type { Download, Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { openSample } from './panel-page.ts'
import { expectAccessible, go, openTree, waitForConnection, openTools } from './support.ts'

/** Opens a tree, and the dialog that saves what was seen of it. */
async function openSaveDialog(page: Page): Promise<Locator> {
  await openTree(page, /系统解剖学/)
  await go(page, '#/traffic')
  await expect(page.getByRole('grid', { name: 'Traffic' }).getByRole('row').nth(1)).toBeVisible()
  await openTools(page)
  await page.getByRole('button', { name: 'Save recording…' }).click()
  return page.getByRole('dialog', { name: 'Save recording' })
}

/** Fills in name and steps, and saves. `state` names the dialog in what axe finds. */
async function save(page: Page, dialog: Locator, state: string): Promise<{ saved: Locator; download: Download }> {
  await dialog.getByRole('textbox', { name: 'Name' }).fill('A tree that opens')
  await dialog.getByRole('textbox', { name: 'Steps, in your words' }).fill('I opened a tree.')
  await expectAccessible(page, state)
  const downloading = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  const saved = page.getByRole('status').filter({ hasText: 'Saved “A tree that opens”' })
  await expect(saved.getByRole('button', { name: 'Copy report' })).toBeVisible()
  await expect(dialog).toHaveCount(0)
  return { saved, download: await downloading }
}

test('what was seen is saved from Traffic, redacted, and listed @core', async ({ page }) => {
  await waitForConnection(page)
  await go(page, '#/recordings')
  await expect(page.getByText('No recordings yet')).toBeVisible()
  const dialog = await openSaveDialog(page)
  const preview = dialog.getByRole('region', { name: 'What the file will hold' })
  await expect(preview).toContainText('Exchanges')
  // A title of the library is shown as it is, and as it will be.
  await expect(preview).toContainText('系统解剖学')
  const { saved, download } = await save(page, dialog, 'recordings: save')
  expect(download.suggestedFilename()).toBe('A tree that opens.birec')
  await saved.getByRole('link', { name: 'Show', exact: true }).click()

  const row = page.getByRole('grid', { name: 'Recordings' }).getByRole('row').filter({ hasText: 'A tree that opens' })
  await expect(row).toHaveCount(1)
  const detail = page.getByRole('region', { name: 'Recording', exact: true })
  await expect(detail).toContainText('I opened a tree.')
  await expect(detail).toContainText('texts as placeholders')
  await expect(detail).not.toContainText('系统解剖学')
  await detail.getByRole('button', { name: 'Verify' }).click()
  await expect(detail.getByText('Nothing was changed since it was signed.')).toBeVisible()
  await expectAccessible(page, 'recordings: one')

  await detail.getByRole('button', { name: 'Redact again…' }).click()
  await detail.getByRole('radio', { name: 'Replace' }).check({ force: true })
  await detail.getByRole('button', { name: 'Save redacted copy' }).click()
  await expect(page.getByRole('grid', { name: 'Recordings' })).toHaveAttribute('aria-rowcount', '3')
  await page.getByRole('region', { name: 'Recording', exact: true }).getByRole('button', { name: 'Verify' }).click()
  await expect(
    page.getByRole('list', { name: 'Replaced or taken out by a redaction' }).getByRole('listitem').first(),
  ).toBeVisible()
})

test('a page is saved in place of a recording, and opens from disk', async ({ page }, testInfo) => {
  await waitForConnection(page)
  const dialog = await openSaveDialog(page)
  await expect(dialog.getByRole('region', { name: 'What the file will hold' })).toContainText('in this program')
  const format = dialog.getByRole('radiogroup', { name: 'Format' })
  await format.getByRole('radio', { name: 'Recording (.birec)' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(format.getByRole('radio', { name: 'Page (.html)' })).toBeChecked()
  await expect(dialog.getByRole('region', { name: 'What the file will hold' })).toContainText('but a browser')
  const { download } = await save(page, dialog, 'recordings: save as page')
  expect(download.suggestedFilename()).toBe('A tree that opens.html')
  const file = testInfo.outputPath('page.html')
  await download.saveAs(file)
  await go(page, '#/recordings')
  await expect(page.getByText('No recordings yet')).toBeVisible()

  const reader = await page.context().newPage()
  await reader.goto(pathToFileURL(file).href)
  await expect(reader.getByRole('region', { name: 'Evidence' })).toContainText('Intact.')
  await expect(reader.getByRole('region', { name: 'Steps' })).toContainText('I opened a tree.')
  await expect(
    reader
      .getByRole('grid')
      .getByRole('row', { name: /\/tree/ })
      .first(),
  ).toBeVisible()
  await expect(reader.locator('body')).not.toContainText('系统解剖学')
  await reader.close()
})

test('a recording is opened in place of the host, sends nothing, and is closed again', async ({ page }) => {
  await waitForConnection(page)
  await openTree(page, /系统解剖学/)
  const tree = new URL(page.url()).hash
  await go(page, '#/traffic')
  await expect(page.getByRole('grid', { name: 'Traffic' }).getByRole('row').nth(1)).toBeVisible()
  await openTools(page)
  await page.getByRole('button', { name: 'Save recording…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save recording' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('A day')
  const downloading = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await downloading
  await page.getByRole('link', { name: 'Show', exact: true }).click()
  const detail = page.getByRole('region', { name: 'Recording', exact: true })
  await detail.getByRole('button', { name: 'Open', exact: true }).click()

  const connection = page.getByRole('status', { name: 'Connection' })
  await expect(connection).toContainText(/^Recording/)
  // A link is followed even while the page is still starting, unlike a changed fragment.
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Traffic' }).click()
  await expect(page.getByRole('grid', { name: 'Traffic' }).getByRole('row').nth(1)).toBeVisible()
  await go(page, tree)
  await expect(page.getByRole('treeitem').first()).toBeVisible()
  await expectAccessible(page, 'recordings: open')
  await page.getByRole('button', { name: 'Close recording' }).click()
  await expect(connection).toContainText('Online')
})

test('the smallest case of a finding is written and opened, and can be checked', async ({ app, page }) => {
  await waitForConnection(page)
  const panel = await openSample(app, 'Rule breaker')
  await panel.getByRole('button', { name: 'Invent a cursor' }).click()
  await expect(page.getByRole('link', { name: '1 finding', exact: true })).toBeVisible()
  await openTools(page)
  await page.getByRole('button', { name: 'Save recording…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save recording' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('A long session')
  const downloading = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await downloading
  await page.getByRole('link', { name: 'Show', exact: true }).click()

  const section = page.getByRole('region', { name: 'Smallest case', exact: true })
  await section.getByRole('button', { name: 'Smallest case…' }).click()
  await expect(section).toContainText('Cursor not from the previous page')
  await expect(section).toContainText('bridge-inspector recording reduce')
  await expectAccessible(page, 'recordings: smallest case')
  await section.getByRole('button', { name: 'Find it' }).click()
  await expect(section).toContainText('Nothing further can be left out.')
  await section.getByRole('link', { name: 'Show the smallest case' }).click()

  const detail = page.getByRole('region', { name: 'Recording', exact: true })
  await expect(detail.getByRole('heading', { name: 'Smallest case of A long session' })).toBeVisible()
  await expect(detail).toContainText('Reduced from “A long session”')
  await detail.getByRole('button', { name: 'Verify' }).click()
  await expect(detail.getByText('Nothing was changed since it was signed.')).toBeVisible()
  await detail.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(page.getByRole('status', { name: 'Connection' })).toContainText(/^Recording/)
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Findings/ })
    .click()
  await expect(page.getByRole('grid', { name: 'Findings' })).toContainText('Cursor not from the previous page')
})
