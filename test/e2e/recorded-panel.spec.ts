import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { expect, test, type RunningApp } from './fixtures.ts'
import { openFolder } from './panel-page.ts'
import { expectAccessible, findListingPath, go, startOwnHost, waitForConnection, openTools } from './support.ts'

/** Creates a panel that takes the last card of a page for the cursor of the next one. */
function createFailingPanel(listing: string): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-failing-'))
  writeFileSync(
    path.join(folder, 'index.html'),
    `<!doctype html><html lang="en"><title>Failing</title><output></output>
    <script type="module" src="panel.js"></script></html>`,
  )
  writeFileSync(
    path.join(folder, 'panel.js'),
    `const output = document.querySelector('output')
    const listing = ${JSON.stringify(listing)}
    const { nodes } = await host.api(listing + '?limit=2')
    const next = await host.api(listing + '?limit=2&cursor=' + nodes.at(-1).noteid)
    output.textContent = next.error?.code ? 'failed with a code' : 'read'`,
  )
  return folder
}

/** Replaces the system's dialogs for files, which a browser does not have. */
async function chooseInDialogs(app: RunningApp, file: string): Promise<void> {
  if (app.mode === 'browser') return
  await app.electron.evaluate(({ dialog }, chosen) => {
    dialog.showSaveDialog = (() => Promise.resolve({ canceled: false, filePath: chosen })) as never
    dialog.showOpenDialog = (() => Promise.resolve({ canceled: false, filePaths: [chosen] })) as never
  }, file)
}

const findings = (page: Page): Locator =>
  page.getByRole('grid', { name: 'Findings' }).getByRole('row').filter({ hasText: 'Cursor not from the previous page' })

/** Opens the finding, and reads what it says about the failure and from how many exchanges. */
async function readFinding(page: Page): Promise<{ sentence: string; exchangeCount: number }> {
  await findings(page).click()
  const finding = page.getByRole('region', { name: 'Finding', exact: true })
  const exchanges = finding.getByRole('listitem')
  await expect(exchanges.last()).toContainText('cursor=')
  return {
    sentence: await finding.getByText('A page was requested with').innerText(),
    exchangeCount: await exchanges.count(),
  }
}

/** Saves the current load of the panel in the lab, with the settings that the dialog suggests. */
async function saveLoad(app: RunningApp, file: string): Promise<void> {
  const { page } = app
  await chooseInDialogs(app, file)
  await openTools(page)
  await page.getByRole('button', { name: 'Save recording…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save recording' })
  await expect(dialog.getByRole('region', { name: 'What the file will hold' })).toContainText('Findings')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Second page fails')
  const downloading = app.mode === 'browser' ? page.waitForEvent('download') : null
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Saved “Second page fails”' })).toBeVisible()
  await (await downloading)?.saveAs(file)
}

async function openRecording(app: RunningApp, file: string): Promise<void> {
  const { page } = app
  await go(page, '#/recordings')
  await chooseInDialogs(app, file)
  if (app.mode === 'electron') await page.getByRole('button', { name: 'Open recording…' }).click()
  else await page.getByLabel('Open recording…').setInputFiles(file)
  await expect(page.getByRole('status', { name: 'Connection' })).toContainText(/^\s*Recording of/)
}

/** Serves the recording that was opened last, and connects to it as to any host. */
async function connectToServedRecording({ page }: RunningApp): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Recordings' }).click()
  await page.getByRole('grid', { name: 'Recordings' }).getByText('Second page fails').click()
  const detail = page.getByRole('region', { name: 'Recording', exact: true })
  await detail.getByRole('button', { name: 'Serve', exact: true }).click()
  const served = detail.getByRole('region', { name: 'Served as a host' })
  const readValue = (label: string): Promise<string> =>
    served.getByRole('button', { name: `Copy ${label}: ` }).innerText()
  const [address, tokenFile] = [await readValue('Base URL'), await readValue('Token file')]
  await go(page, '#/connect')
  await page.getByRole('button', { name: 'Add a host' }).click()
  await page.getByLabel('Address').fill(address)
  await page.getByRole('textbox', { name: 'Token' }).fill(readFileSync(tokenFile, 'utf8').trim())
  await page.getByRole('dialog').getByRole('button', { name: 'Connect', exact: true }).click()
  await waitForConnection(page)
}

test('a panel that fails is recorded, opened elsewhere without a host, and fails there in the same way @either', async ({
  app,
  otherApp,
}) => {
  test.slow()
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  const { topicid } = host.state.library.sets[0] ?? { topicid: '' }
  const folder = createFailingPanel(await findListingPath(host, topicid))
  const panel = await openFolder(app, folder)
  // The code itself is a word of this host, which the default redaction replaces.
  await expect(panel.getByRole('status')).toHaveText('failed with a code')
  await expect(page.getByRole('link', { name: '1 finding', exact: true })).toBeVisible()
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-file-')), 'Second page fails.birec')
  await saveLoad(app, file)
  await page.getByRole('link', { name: '1 finding', exact: true }).click()
  const finding = await readFinding(page)
  await host.close()

  // Nothing responds at the address of the host any more.
  const otherPage = await otherApp.restart(flags)
  await expect(otherPage.getByRole('status', { name: 'Connection' })).toHaveText(/^\s*Offline/)
  await openRecording(otherApp, file)
  await otherPage
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Findings/ })
    .click()
  expect(await readFinding(otherPage)).toEqual(finding)
  await expectAccessible(otherPage, 'a finding of a recording')
  await otherPage.getByRole('button', { name: 'Close recording' }).click()
  await expect(otherPage.getByRole('status', { name: 'Connection' })).toHaveText(/^\s*Offline/)

  await connectToServedRecording(otherApp)
  const otherPanel = await openFolder(otherApp, folder)
  await expect(otherPanel.getByRole('status')).toHaveText('failed with a code')
  await otherPage.getByRole('link', { name: '1 finding', exact: true }).click()
  await expect(findings(otherPage)).toHaveCount(1)
  expect(await readFinding(otherPage)).toEqual(finding)
})
