import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { findTestChromium } from '../../scripts/lib/chromium.mjs'
import { bin, root } from '../../scripts/lib/paths.mjs'
import { expect, test } from './fixtures.ts'
import { openSample } from './panel-page.ts'
import { expectAccessible, go, waitForConnection } from './support.ts'

test('recorded calls of a panel become a spec that passes, and show what was never tested', async ({ app, page }) => {
  await waitForConnection(page)
  const panel = await openSample(app, 'Practice')
  await expect(panel.getByText(/^\d+ cards$/)).toBeVisible()
  await go(page, '#/traffic')
  const rows = page.getByRole('grid', { name: 'Traffic' }).getByRole('row').filter({ hasText: 'panel' })
  await rows.first().click()
  await rows.last().click({ modifiers: ['Shift'] })
  await page.getByRole('button', { name: 'Create a test…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create a test' })
  await expect(dialog).toContainText('startPanel')
  await expectAccessible(page, 'a created test')
  const downloading = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save as file' }).click()
  const source = readFileSync(await (await downloading).path(), 'utf8')
  await expect(dialog).toHaveCount(0)

  const folder = mkdtempSync(path.join(root, 'test-results', 'created-'))
  writeFileSync(path.join(folder, 'session.spec.ts'), source)
  const launchOptions = { executablePath: await findTestChromium(), args: ['--no-sandbox'] }
  const config = {
    testDir: folder,
    outputDir: path.join(folder, 'out'),
    respectGitIgnore: false,
    use: { launchOptions },
  }
  writeFileSync(path.join(folder, 'playwright.config.mjs'), `export default ${JSON.stringify(config)}\n`)
  const { status, stdout } = spawnSync(process.execPath, [bin('playwright'), 'test', '--config', folder], {
    encoding: 'utf8',
  })
  expect([status, status === 0 ? '' : stdout]).toEqual([0, ''])
  rmSync(folder, { recursive: true, force: true })

  await go(page, '#/contract?view=coverage')
  const coverage = page.getByRole('grid', { name: 'Coverage' })
  await expect(coverage.getByRole('row').filter({ hasText: '/ui-state' }).first()).toContainText('answered')
  await expect(coverage.getByRole('row').filter({ hasText: 'Not recorded' }).first()).toBeVisible()
  await expectAccessible(page, 'coverage')
  await page.getByRole('button', { name: 'Add override' }).first().click()
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue(/^Untested: GET /)
})
