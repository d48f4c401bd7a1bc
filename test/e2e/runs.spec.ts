import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from './fixtures.ts'
import { getPanel, openFolder } from './panel-page.ts'
import { expectAccessible, go, waitForConnection, openTools } from './support.ts'

/** Lets the panel send these requests one after the other. */
const writeScript = (folder: string, paths: readonly string[]): void =>
  writeFileSync(
    path.join(folder, 'panel.js'),
    `for (const path of ${JSON.stringify(paths)}) await host.api(path)
    document.querySelector('output').textContent = 'read ${paths.length}'`,
  )

test('a load of a panel is compared with the load that worked @core', async ({ app, page }) => {
  await waitForConnection(page)
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-runs-'))
  writeFileSync(
    path.join(folder, 'index.html'),
    `<!doctype html><html lang="en"><title>Reader</title><output></output>
    <script type="module" src="panel.js"></script></html>`,
  )
  writeScript(folder, ['/library/study-sets', '/decks', '/guide'])
  const panel = await openFolder(app, folder)
  await expect(panel.getByText('read 3')).toBeVisible()
  // The lab loads a panel again whose files changed.
  writeScript(folder, ['/library/study-sets', '/guide', '/decks/none/cards', '/status'])
  await expect(async () => expect((await getPanel(app)).getByText('read 4')).toBeVisible({ timeout: 1_000 })).toPass()

  await openTools(page)
  await page.getByRole('button', { name: 'Compare with the run that worked' }).click()
  await expect(page.getByRole('heading', { name: 'Two runs side by side' })).toBeVisible()
  const after = new URLSearchParams(new URL(page.url()).hash.split('?')[1]).get('after') ?? ''
  const compareWith = (run: string) =>
    go(page, `#/recordings/compare?after=${encodeURIComponent(after)}&before=${encodeURIComponent(run)}`)
  await compareWith(after.replace(/^load:\d+/, 'load:1'))
  const differences = page.getByRole('grid', { name: 'Differences' })
  const missing = differences.getByRole('row').filter({ hasText: 'Missing' })
  await expect(missing).toContainText('/decks')
  await expect(differences.getByRole('row').filter({ hasText: 'Extra' }).first()).toContainText('/decks/none/cards')
  // On a busy machine some are slower as well.
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Kinds of differences' })).toContainText(/Missing\s*1\s*Extra\s*2/)
  await page.keyboard.press('Escape')
  await missing.click()
  const detail = page.getByRole('region', { name: 'Compared request', exact: true })
  await expect(detail.getByRole('region', { name: 'Compared run' })).toContainText('no such request')
  await expectAccessible(page, 'runs: list')

  await openTools(page)
  await page.getByRole('radio', { name: 'Lanes' }).check({ force: true })
  const lanes = page.getByRole('grid', { name: 'Lanes' })
  await lanes.getByRole('row').filter({ hasText: '/decks/none/cards' }).click()
  await expect(detail.getByRole('region', { name: 'Run that worked' })).toContainText('no such request')
  await expectAccessible(page, 'runs: lanes')

  // A run is the same as itself.
  await compareWith(after)
  await expect(page.getByText('Nothing differs in what was compared.')).toBeVisible()
  await openTools(page)
  await page.getByRole('radio', { name: 'Lanes' }).check({ force: true })
  await lanes.getByRole('row').filter({ hasText: '/library/study-sets' }).click()
  await expect(detail).toContainText('No differences')
})
