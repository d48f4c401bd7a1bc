import type { Locator, Page } from '@playwright/test'
import type { DemoHost } from '../../electron/demo-host/server.ts'
import { compareCapabilities } from '../../shared/bridge/capabilities.ts'
import { endpointNamed } from '../../shared/bridge/endpoints/index.ts'
import { capabilitiesSchema } from '../../shared/bridge/resources/state.ts'
import { movable, setAhead } from './clock.ts'
import { expect, test } from './fixtures.ts'
import { connected, expectAccessible, go, ownHost } from './support.ts'

const gridOf = (page: Page): Locator => page.getByRole('grid', { name: 'Findings' })
const listOf = (page: Page): Locator =>
  gridOf(page)
    .getByRole('row')
    .filter({ hasNot: page.getByRole('columnheader') })

/** Sends a read by the console, and waits for its answer. */
async function send(page: Page, path: string, status: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Path', exact: true })
  await field.fill(path)
  await field.press('Enter')
  const exchange = page.getByRole('region', { name: 'Answer' }).getByRole('region', { name: 'Exchange' })
  await expect(exchange.getByRole('heading', { name: `GET ${path}` })).toBeVisible()
  await expect(exchange).toContainText(status)
}

/** The path at which this host serves the card listing of a study set: the contract does not show it. */
async function listingPath(host: DemoHost, topicid: string): Promise<string> {
  const headers = { authorization: `Bearer ${host.token}` }
  const answer = await fetch(`${host.baseUrl}/capabilities`, { headers })
  const { pathOverrides } = compareCapabilities(capabilitiesSchema.parse(await answer.json()))
  const template = pathOverrides['studySets.tree'] ?? endpointNamed('studySets.tree').path
  return template.replace(/\{\w+\}/, topicid)
}

test.describe('a caller that breaks rules', () => {
  test.use({ breaks: ['parameter-out-of-range', 'cursor-invented', 'paging-stopped'] })
  // Electron reads such options itself, and warns of what it does not take.
  test.use({ env: ({ mode }, use) => use(mode === 'browser' ? movable : {}) })

  test('each is told once, beside its exchange, and can be muted @either @core', async ({ app }) => {
    test.slow()
    const { host, flags } = await ownHost()
    const page = await app.restart(flags)
    await connected(page)
    await go(page, '#/traffic?view=findings')
    await expect(page.getByText('No findings', { exact: true })).toBeVisible()
    await expectAccessible(page, 'findings: none')

    const { topicid } = host.state.library.sets[0] ?? { topicid: '' }
    const listing = await listingPath(host, topicid)
    await go(page, '#/console')
    await send(page, '/documents/NO-SUCH/pages/0/parts', '4')
    await send(page, `${listing}?limit=2`, '200')
    await send(page, `${listing}?limit=2&cursor=made-up`, '422')
    await send(page, `${listing}?limit=2`, '200')

    await go(page, '#/traffic?view=findings')
    // What does not follow is told half a minute later, which it is now.
    await setAhead(app, 30_000)
    await expect(listOf(page)).toHaveCount(3, { timeout: 60_000 })
    for (const title of [
      'Parameter out of range',
      'Cursor not from the previous page',
      'Paging stopped before the end',
    ]) {
      await expect(listOf(page).filter({ hasText: title })).toHaveCount(1)
    }
    await expect(
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Traffic, 3 findings' }),
    ).toBeVisible()

    await listOf(page).filter({ hasText: 'Cursor not' }).click()
    const finding = page.getByRole('region', { name: 'Finding', exact: true })
    await expect(finding).toContainText('made-up')
    await expect(finding).toContainText('Take cursor from nextCursor')
    await expect(finding).toContainText('spec §4')
    await expectAccessible(page, 'findings')
    await finding.getByRole('link', { name: /cursor=made-up/ }).click()
    const exchange = page.getByRole('region', { name: 'Exchange' })
    await expect(exchange.getByRole('list', { name: 'Findings' })).toContainText('Cursor not from the previous page')
    const marked = page.getByRole('grid', { name: 'Traffic' }).getByRole('row', { name: /cursor=made-up/ })
    await expect(marked.getByRole('img', { name: '1 finding' })).toBeVisible()

    await exchange.getByRole('link', { name: 'Cursor not from the previous page' }).click()
    await finding.getByRole('button', { name: 'Mute this rule' }).click()
    await finding.getByRole('textbox', { name: 'Reason' }).fill('made up by this spec')
    await finding.getByRole('button', { name: 'Mute', exact: true }).click()
    await expect(page.getByRole('list', { name: 'Muted rules' })).toContainText('made up by this spec')
    await expect(listOf(page)).toHaveCount(2)

    // Findings and muted rules are there after a restart, given a database, which the Electron of the tests may lack.
    if (app.mode === 'electron') return host.close()
    const again = await app.restart(flags)
    await connected(again)
    await go(again, '#/traffic?view=findings')
    await expect(listOf(again)).toHaveCount(2)
    await again.getByRole('button', { name: 'Report again: Cursor not from the previous page' }).click()
    await expect(listOf(again)).toHaveCount(3)
    await host.close()
  })
})
