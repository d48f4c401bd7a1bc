import { readFileSync } from 'node:fs'
import type { Locator, Page } from '@playwright/test'
import { driftList } from '../../electron/demo-host/drift/drift-list.ts'
import { expect, test } from './fixtures.ts'
import { expectAccessible, go, startOwnHost, waitForConnection } from './support.ts'

const getRows = (page: Page): Locator =>
  page
    .getByRole('grid', { name: 'Deviations' })
    .getByRole('row')
    .filter({ hasNot: page.getByRole('columnheader') })

/** Sends a read from the console, and waits for its response. */
async function send(page: Page, path: string): Promise<void> {
  await go(page, '#/console')
  const field = page.getByRole('textbox', { name: 'Path', exact: true })
  await field.fill(path)
  await field.press('Enter')
  const exchange = page.getByRole('region', { name: 'Answer' }).getByRole('region', { name: 'Exchange' })
  await expect(exchange.getByRole('heading', { name: `GET ${path}` })).toBeVisible()
}

test('what deviates is listed once, muted with a reason, and found to have begun with a version @either @core', async ({
  app,
}) => {
  test.slow()
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  const { topicid } = host.state.library.sets[0] ?? { topicid: '' }
  const palette = `/study-sets/${topicid}/note-palette`

  await send(page, palette)
  await go(page, '#/contract')
  await expect(page.getByText('Nothing deviates')).toBeVisible()
  await expect(page.getByRole('tab')).toHaveText(['Drift', 'Learned', 'Coverage', 'Routes', 'Guide'])

  host.setFault('drift')
  host.setDriftVersion('1.0')
  // The host tells its version, and what it sends from then on is of that version.
  await send(page, '/status')
  await send(page, palette)
  await send(page, palette)
  await go(page, '#/contract')
  await expect(getRows(page).filter({ hasText: 'displayColor/hex' })).toHaveCount(1)
  await expect(getRows(page).filter({ hasText: '/contrast' })).toHaveCount(0)
  await page.getByRole('checkbox', { name: /^Otherwise than seen on 0\.49/ }).check()
  const expected = driftList.filter(
    ({ template, until }) => template === '/study-sets/{topicid}/note-palette' && until === null,
  )
  for (const { pointer, kind } of expected) {
    const row = getRows(page).filter({ hasText: '/note-palette' }).filter({ hasText: pointer })
    await expect(row.filter({ hasText: kind.replace('-', ' ') })).toHaveCount(1)
  }
  await expect(page.getByText(/^\d+ deviations in [\d,]+ answers that were judged$/)).toBeVisible()

  await page.getByRole('searchbox', { name: 'Filter deviations' }).fill('/contrast')
  await expect(getRows(page)).toHaveCount(1)
  await getRows(page).first().click()
  const deviation = page.getByRole('region', { name: 'Deviation', exact: true })
  await expect(deviation).toContainText('"high"')
  await expect(deviation).toContainText('1.0')
  await expectAccessible(page, 'a deviation')

  await deviation.getByRole('link', { name: /^GET .*note-palette/ }).click()
  const exchange = page.getByRole('region', { name: 'Exchange' })
  await expect(exchange.locator('.cm-shown-line')).toContainText('contrast')
  await page.goBack()

  await deviation.getByRole('button', { name: 'Find when it began' }).click()
  await expect(page.getByText(/^Does not hold since .*: between version 0\.91 and 1\.0$/)).toBeVisible()
  await expect(page.getByRole('grid', { name: 'By version and day' }).getByRole('row')).toHaveCount(3)
  const comparison = page.getByRole('region', { name: 'Comparison' })
  await expect(comparison.getByRole('treeitem', { name: '+ contrast: "high"' })).toBeVisible()
  await expectAccessible(page, 'past')
  await page.goBack()

  await deviation.getByRole('button', { name: 'Mute…' }).click()
  await deviation.getByRole('textbox', { name: 'Reason' }).fill('known to the host team')
  await deviation.getByRole('button', { name: 'Mute', exact: true }).click()
  await expect(getRows(page)).toHaveCount(0)
  await page.getByRole('checkbox', { name: 'Show muted (1)' }).click()
  await expect(getRows(page)).toHaveCount(1)

  await page.getByRole('button', { name: 'Deviation tools' }).click()
  await page.getByRole('button', { name: 'Judge again' }).click()
  await expect(getRows(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Mark all as seen' }).click()
  await expect(page.getByText(/new since/)).toBeHidden()
  await host.close()
})

test('all reads are asked once after the dialog has named them, and the deviations are saved as SARIF', async ({
  app,
}) => {
  test.slow()
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  await go(page, '#/contract')
  await page.getByRole('button', { name: 'Ask all reads…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Ask all reads' })
  await dialog.getByText('What is sent').click()
  await expect(dialog.getByRole('listitem').filter({ hasText: 'GET /study-sets/{topicid}/tree' })).toBeVisible()
  await expectAccessible(page, 'ask all reads')
  const before = host.log.length
  await dialog.getByRole('button', { name: 'Ask', exact: true }).click()
  await expect(dialog.getByText(/^\d+ reads asked/)).toBeVisible()
  const requests = host.log.slice(before)
  expect(requests.filter(({ endpoint }) => endpoint === 'studySets.tree')).toHaveLength(1)
  expect(requests.filter(({ endpoint }) => endpoint === 'notes.batchGet').length).toBeGreaterThan(0)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByText(/^[34]\d of \d\d routes seen$/)).toBeVisible()

  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByRole('combobox', { name: 'Format' }).selectOption('sarif')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const log = JSON.parse(readFileSync(await (await download).path(), 'utf8')) as { version: string; runs: unknown[] }
  expect([log.version, log.runs.length]).toEqual(['2.1.0', 1])
  const toast = page.getByRole('status').filter({ hasText: /Saved “.+\.sarif”/ })
  await toast.getByRole('button', { name: 'Copy text' }).click()
  await expect(toast.getByRole('button', { name: 'Copied' })).toBeVisible()
  await host.close()
})

test('an assertion of the console is asked of everything that is recorded', async ({ page }) => {
  await waitForConnection(page)
  await send(page, '/decks')
  await page.getByRole('button', { name: 'Save request' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Add assertion' }).click()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('button', { name: 'Ask the past: Status is 200' }).click()
  await expect(page.getByText('It always held.')).toBeVisible()
  await expect(page).toHaveURL(/#\/contract\/past\?/)
  await expectAccessible(page, 'past of an assertion')
  await page.reload()
  await expect(page.getByText('It always held.')).toBeVisible()
})

test('what answers really hold is learned, compared with the contract and exported @core', async ({ page }) => {
  await waitForConnection(page)
  await send(page, '/decks')
  await go(page, '#/contract?view=learned')
  await page.getByRole('grid', { name: 'Learned routes' }).getByRole('row').filter({ hasText: '/decks' }).click()
  const shape = page.getByRole('tree', { name: 'Shape' })
  await expect(shape.getByRole('treeitem', { name: /^decks: list, / })).toContainText('not shown')
  await expect(shape.getByRole('treeitem', { name: /^bridgeApiVersion: string/ })).toContainText('contract: string')
  await expectAccessible(page, 'learned')

  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Export' })
  await expect(dialog).toContainText('No values of the library leave with it')
  await expectAccessible(page, 'export of what was learned')
  const downloading = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const openApi = JSON.parse(readFileSync(await (await downloading).path(), 'utf8')) as {
    openapi: string
    paths: Record<string, unknown>
  }
  expect([openApi.openapi.slice(0, 3), Object.keys(openApi.paths).includes('/decks')]).toEqual(['3.1', true])
  await expect(dialog).toBeHidden()

  await page.getByRole('button', { name: 'Compare…' }).click()
  const differences = page.getByRole('grid', { name: 'Schema differences' })
  await expect(differences.getByRole('row').filter({ hasText: 'GET /decks' }).first()).toContainText('member added')
  await expectAccessible(page, 'comparison of schemas')
})
