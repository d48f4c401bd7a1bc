import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ensureBuilt } from '../../../scripts/lib/build.mjs'
import { root } from '../../../scripts/lib/paths.mjs'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { appForAgents, firstAsk } from '../../support/agents.ts'
import { flagsFor } from '../../support/command-line.ts'
import { tempDir } from '../../support/data-dir.ts'
import { demo } from '../../support/demo.ts'

/** The SDK's own client, connected to the bundled program. */
async function client(flags: readonly string[]): Promise<Client> {
  ensureBuilt('cli')
  const one = new Client({ name: 'test', version: '1' })
  const args = [path.join(root, 'out/cli/bridge-inspector.js'), 'mcp', '--quiet', ...flags]
  onTestFinished(() => one.close())
  await one.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }))
  return one
}

test('an agent reads what the host sent, and finds nothing to write with', async () => {
  const { host, send } = await demo({ nodes: 600 })
  const agent = await client(flagsFor(host))
  const { tools } = await agent.listTools()
  const reads = endpoints.filter(({ access, secret, upload }) => access === 'read' && !secret && !upload)
  expect(tools.map(({ name }) => name)).toEqual(reads.map(({ id }) => id.replaceAll('.', '_')))
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
  const { topicid } = host.state.generated
  const tree = await agent.callTool({ name: 'studySets_tree', arguments: { topicid, limit: 3 } })
  const sent = Buffer.from((await send('GET', `/study-sets/${topicid}/tree?limit=3`)).bytes).toString()
  expect(tree.content).toEqual([{ type: 'text', text: sent }])
  const failed = await agent.callTool({ name: 'studySets_tree', arguments: { topicid: 'no-such-set' } })
  expect(failed).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^[A-Z_]+: /) as string }] })
  const invalid = await agent.callTool({ name: 'studySets_tree', arguments: { topicid, limit: -1 } })
  expect(invalid.isError).toBe(true)
  expect(host.log.filter(({ endpoint }) => !reads.some(({ id }) => id === endpoint))).toEqual([])
  await host.close()
})

test('with --write it proposes each write, which a person sends or refuses in the running app', async () => {
  const dataDir = tempDir()
  const { app, host, card, written, end } = await appForAgents(dataDir)
  const agent = await client(['--write', ...flagsFor(host, dataDir)])
  const { tools } = await agent.listTools()
  const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)
  expect(writing.length).toBeGreaterThan(10)
  for (const { description, annotations } of writing) {
    expect(description).toMatch(/^Proposes a write: /)
    expect(annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true })
  }
  const title = (text: string) => ({ name: 'notes_title', arguments: { noteid: card.noteid, body: { text } } })
  const progress: string[] = []
  const sent = agent.callTool(title('By an agent'), undefined, {
    onprogress: ({ message }) => progress.push(message ?? ''),
  })
  const ask = await firstAsk(app)
  expect(ask).toMatchObject({ agent: 'test', prepared: { endpoint: 'notes.title' } })
  expect(written()).toEqual([])
  await app.call('agents.decide', { id: ask.id, send: true })
  const { content, isError } = await sent
  const [{ text = '' } = {}] = content as { text?: string }[]
  expect(isError).toBe(false)
  expect(JSON.parse(text)).toMatchObject({ verdict: 'saved-and-verified', status: 200, says: 'Saved and verified.' })
  expect(progress).toEqual([expect.stringContaining('waiting for a person'), expect.stringContaining('sent')])
  expect(written()).toHaveLength(1)

  const refused = agent.callTool(title('No'))
  await app.call('agents.decide', { id: (await firstAsk(app)).id, send: false })
  expect(await refused).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^REFUSED_BY_PERSON: /) as string }],
  })
  const abort = new AbortController()
  const cancelled = agent.callTool(title('Never'), undefined, { signal: abort.signal }).catch((error: unknown) => error)
  await firstAsk(app)
  abort.abort()
  expect(await cancelled).toBeInstanceOf(Error)
  await vi.waitFor(async () => expect((await app.call('agents.asks', {})).asks).toEqual([]))
  await app.dispose()
  expect(await agent.callTool(title('Nobody'))).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^APP_NOT_RUNNING: .*Start it/) as string }],
  })
  expect(written()).toHaveLength(1)
  await end()
})

test('study sets and cards are resources', async () => {
  const { host } = await demo({ nodes: 20 })
  const agent = await client(flagsFor(host))
  const [set] = host.state.library.sets
  const note = set?.cards[0]?.noteid ?? ''
  const { resources } = await agent.listResources()
  expect(resources).toContainEqual(
    expect.objectContaining({ uri: `bridge://study-sets/${set?.topicid ?? ''}`, name: set?.title }),
  )
  const texts = async (uri: string): Promise<string> => JSON.stringify((await agent.readResource({ uri })).contents)
  expect(await texts(`bridge://study-sets/${set?.topicid ?? ''}`)).toContain(note)
  expect(await texts(`bridge://cards/${note}`)).toContain(note)
  await expect(agent.readResource({ uri: 'bridge://study-sets/no-such-set' })).rejects.toThrow()
  await host.close()
})
