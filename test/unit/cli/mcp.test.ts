import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ensureBuilt } from '../../../scripts/lib/build.mjs'
import { root } from '../../../scripts/lib/paths.mjs'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { flagsFor } from '../../support/command-line.ts'
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
