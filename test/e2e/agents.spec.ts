import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Locator, Page } from '@playwright/test'
import { ensureBuilt } from '../../scripts/lib/build.mjs'
import { root } from '../../scripts/lib/paths.mjs'
import { toExpectedPrefix } from '../../shared/cards.ts'
import { expect, test } from './fixtures.ts'
import { waitForConnection, expectAccessible, go, startOwnHost } from './support.ts'
import { CARD, titleOf } from './writing.ts'

const dialog = (page: Page): Locator => page.getByRole('dialog', { name: 'Write proposed by an agent' })

test('an agent proposes writes over MCP, and a person refuses one and sends one', async ({ app }) => {
  ensureBuilt('cli')
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  const agent = new Client({ name: 'Test agent', version: '1' })
  const program = path.join(root, 'out/cli/bridge-inspector.js')
  const args = [program, 'mcp', '--write', '--quiet', ...flags, '--data-dir', app.dataDir]
  await agent.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }))
  const countWrites = () => host.log.filter(({ endpoint }) => endpoint === 'notes.title').length
  const title = titleOf(host)
  // Some hosts require the expected prefix in a write of the title.
  const expectedPrefix = toExpectedPrefix(title)
  const proposeTitle = (text: string) =>
    agent.callTool({
      name: 'write_propose',
      arguments: { endpoint: 'notes.title', arguments: { noteid: CARD, body: { text, expectedPrefix } } },
    })
  const readContent = async (call: ReturnType<typeof proposeTitle>): Promise<string> =>
    JSON.stringify((await call).content)

  await go(page, '#/library')
  const refused = proposeTitle('Refused')
  // A locked profile is unlocked in the dialog of the proposal.
  await expect(dialog(page)).toContainText('This host is read-only: no writes are sent.')
  await expect(dialog(page).getByRole('button', { name: 'Send', exact: true })).toBeDisabled()
  await dialog(page).getByRole('button', { name: 'Unlock until the app exits' }).click()
  await expect(dialog(page).getByRole('button', { name: 'Send', exact: true })).toBeEnabled()
  await expect(dialog(page)).toContainText('Agent: Test agent')
  await expect(dialog(page)).toContainText('Refused')
  await expect(dialog(page)).toContainText('confirm')
  await expectAccessible(page, 'proposal of an agent')
  await dialog(page).getByRole('button', { name: 'Refuse' }).click()
  await expect(dialog(page)).toHaveCount(0)
  expect(await readContent(refused)).toContain('REFUSED_BY_PERSON')
  expect(countWrites()).toBe(0)

  const proposal = proposeTitle('Renamed by an agent')
  await expect(dialog(page)).toContainText('Renamed by an agent')
  await dialog(page).getByRole('button', { name: 'Send', exact: true }).click()
  await expect(dialog(page)).toHaveCount(0)
  expect(await readContent(proposal)).toMatch(/verified/)
  expect(countWrites()).toBe(1)
  await go(page, '#/operations')
  await expect(page.getByRole('grid').getByRole('row').nth(1)).toContainText('agent (MCP)')
  await go(page, '#/traffic')
  await expect(page.getByRole('grid', { name: 'Traffic' })).toContainText('agent (MCP): Test agent')
  await agent.close()
  await host.close()
})
