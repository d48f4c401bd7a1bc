import { test, type Locator, type Page } from '@playwright/test'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isDialectName } from '../../electron/demo-host/dialects/index.ts'
import { startDemoHost, type DemoHost, type DemoHostOptions } from '../../electron/demo-host/server.ts'
import { compareCapabilities } from '../../shared/bridge/capabilities.ts'
import { getEndpointById } from '../../shared/bridge/endpoints/index.ts'
import { capabilitiesSchema } from '../../shared/bridge/resources/state.ts'
import { createAxeBuilder } from './axe.ts'
import { expect } from './fixtures.ts'

/** A narrow window, a usual one and a very wide one. */
export const WINDOW_SIZES = [
  { width: 1000, height: 650 },
  { width: 1440, height: 900 },
  { width: 2560, height: 1440 },
] as const

/** Goes to a place as pasting its address does. */
export async function go(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to
  }, hash)
}

/**
 * Waits until the place is at rest: it is the one asked for, nothing is loading, and what it shows
 * stays the same.
 */
export async function waitUntilSettled(page: Page): Promise<void> {
  let before: string | null = null
  const isAtRest = async (): Promise<boolean> => {
    const main = page.getByRole('main')
    const now = await main.innerText()
    const isUnchanged = now === before
    before = now
    return (
      isUnchanged &&
      (await main.getAttribute('aria-busy')) === 'false' &&
      (await page.locator('.loading').count()) === 0
    )
  }
  await expect.poll(isAtRest, { intervals: [200] }).toBe(true)
}

/**
 * The current settings file; empty while there is none. It is written some time after the page
 * shows a change.
 */
export function readSavedSettings(dataDir: string): string {
  const file = path.join(dataDir, 'settings.json')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** One of the colours of an element, as it is drawn. */
export const readColor = (locator: Locator, property: string): Promise<string> =>
  locator.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property)

/** Resolves one of the colours of the page. */
export const readTokenColor = (page: Page, name: string): Promise<string> =>
  page.evaluate((selector) => {
    const probe = document.createElement('i')
    probe.style.color = `var(${selector})`
    document.body.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }, name)

/** Waits until the status "Connection" shows that the app is connected. */
export async function waitForConnection(page: Page): Promise<void> {
  await expect(page.getByRole('status', { name: 'Connection' })).toHaveText(/^\s*Online/)
}

/** Opens a study set's tree from the library, as a user does. */
export async function openTree(page: Page, title: string | RegExp): Promise<void> {
  await go(page, '#/library')
  await page.getByRole('link', { name: title }).click()
  await expect(page.getByRole('treeitem').first()).toBeVisible()
}

/** Opens a view of the study set from the menu “More”. */
export async function openMore(page: Page, view: string): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: view }).click()
}

/** Opens what the bar of a place has behind “⋯”, if it is not open. */
export async function openTools(page: Page): Promise<void> {
  const button = page.getByRole('main').getByRole('button', { name: 'All tools' }).last()
  if ((await button.getAttribute('aria-expanded')) !== 'true') await button.click()
}

/** Chooses from the menu “Level” of a tree or map. */
export async function chooseLevel(page: Page, level: string): Promise<void> {
  await page.getByRole('button', { name: 'Expand to level' }).click()
  await page.getByRole('menuitem', { name: level, exact: true }).click()
}

/** Chooses one of the filters of a list. */
export async function chooseFilter(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByRole('checkbox', { name }).click()
  await page.keyboard.press('Escape')
}

/** Goes from the library to the documents of the anatomy study set. */
export async function openDocuments(page: Page): Promise<void> {
  await waitForConnection(page)
  await openTree(page, /系统解剖学/)
  await page.getByRole('link', { name: 'Documents' }).click()
  await expect(page.getByRole('grid', { name: 'Documents' }).getByRole('row').nth(1)).toBeVisible()
}

/** Goes from the library to the excerpts of the first document of the anatomy study set. */
export async function openExcerpts(page: Page): Promise<void> {
  await openDocuments(page)
  await page
    .getByRole('grid', { name: 'Documents' })
    .getByRole('link', { name: /^(\d+|Excerpts)$/ })
    .first()
    .click()
}

/** Expects no serious or critical axe finding on the current page. */
export async function expectAccessible(page: Page, label: string): Promise<void> {
  const { violations } = await (await createAxeBuilder(page)).analyze()
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  expect(
    grave.map(({ id, nodes }) => `${label}: ${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`),
  ).toEqual([])
}

/**
 * Starts a demo host in the test's process, with the dialect of the project and a known token.
 * Returns the host and the flags that point the app to it.
 */
export async function startOwnHost(
  options: DemoHostOptions = {},
): Promise<{ host: DemoHost; flags: string[]; token: string }> {
  const token = `mnb0.e2e-${'secret'.repeat(4)}-0123456789`
  const dialect = getDialect()
  const host = await startDemoHost({ nodes: 3_000, token, ...(isDialectName(dialect) ? { dialect } : {}), ...options })
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-token-')), 'token')
  writeFileSync(file, token, { mode: 0o600 })
  return { host, token, flags: ['--base-url', host.baseUrl, '--token-file', file] }
}

/**
 * The path at which this host serves the card listing of a study set: the contract does not show
 * it.
 */
export async function findListingPath(host: DemoHost, topicid: string): Promise<string> {
  const headers = { authorization: `Bearer ${host.token}` }
  const response = await fetch(`${host.baseUrl}/capabilities`, { headers })
  const { pathOverrides } = compareCapabilities(capabilitiesSchema.parse(await response.json()))
  const template = pathOverrides['studySets.tree'] ?? getEndpointById('studySets.tree').path
  return template.replace(/\{\w+\}/, topicid)
}

/** The dialect in which the demo host speaks in this test. */
export function getDialect(): string {
  const { use } = test.info().project
  return 'dialect' in use && typeof use.dialect === 'string' ? use.dialect : '0.91'
}
