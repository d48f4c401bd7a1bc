/** @module-tag slow */

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startDirectPanelListener } from '../../../electron/browser-host/panel-listener.ts'
import { ensureBuilt } from '../../../scripts/lib/build.mjs'
import { root } from '../../../scripts/lib/paths.mjs'
import { isProposable } from '../../../electron/core/agent-socket.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { startAppForAgents, waitForProposal } from '../../support/program/agents.ts'
import { createConnectionFlags } from '../../support/program/command-line.ts'
import { respondJson } from '../../support/hosts/behaviours.ts'
import { startMisbehavingHost } from '../../support/hosts/misbehaving-host.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startDemo } from '../../support/hosts/demo.ts'
import { breakRule, FAULTY_PLUGIN, FAULTY_PLACE } from '../../support/services/faulty-panel.ts'

const debuggingTools = [
  'findings_list',
  'exchanges_search',
  'exchange_get',
  'exchanges_compare',
  'operations_list',
  'operation_get',
  'changes_list',
  'answer_read',
]

/** Returns the size of a result in bytes as it is sent. */
const getJsonSize = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** Returns the data of a result that is no error, and checks that its text is the same JSON. */
function getData(result: unknown): Record<string, unknown> {
  const { content, structuredContent, isError } = result as {
    content: { type: string; text?: string }[]
    structuredContent: Record<string, unknown>
    isError?: boolean
  }
  expect([isError ?? false, content[0]?.text?.slice(0, 200)]).toEqual([false, expect.any(String)])
  const text = JSON.parse(content[0]?.text ?? '') as unknown
  expect(text).toEqual(structuredContent['whole'] === true ? structuredContent['data'] : structuredContent)
  return structuredContent
}

/** Connects the client of the SDK to the bundled program. */
async function connectClient(flags: readonly string[]): Promise<Client> {
  ensureBuilt('cli')
  const client = new Client({ name: 'test', version: '1' })
  const args = [path.join(root, 'out/cli/bridge-inspector.js'), 'mcp', '--quiet', ...flags]
  onTestFinished(() => client.close())
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }))
  return client
}

test('an agent reads the responses of the host and finds no tool that writes', async () => {
  const { host, send } = await startDemo({ nodes: 600 })
  const agent = await connectClient(createConnectionFlags(host))
  const { tools } = await agent.listTools()
  const reads = endpoints.filter(
    ({ access, returnsSecret: secret, isUpload: upload }) => access === 'read' && !secret && !upload,
  )
  const names = tools.map(({ name }) => name)
  expect(names.slice(0, reads.length)).toEqual(reads.map(({ id }) => id.replaceAll('.', '_')))
  expect(names.slice(reads.length)).toEqual(debuggingTools)
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
  const { topicid } = host.state.generatedSet
  const tree = await agent.callTool({ name: 'studySets_tree', arguments: { topicid, limit: 3 } })
  const response = Buffer.from((await send('GET', `/study-sets/${topicid}/tree?limit=3`)).bytes).toString()
  expect(tree.content).toEqual([{ type: 'text', text: response }])
  expect(tree.structuredContent).toEqual({ whole: true, data: JSON.parse(response) as unknown })
  const failed = await agent.callTool({ name: 'studySets_tree', arguments: { topicid: 'no-such-set' } })
  expect(failed).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^[A-Z_]+: /) as string }] })
  const invalid = await agent.callTool({ name: 'studySets_tree', arguments: { topicid, limit: -1 } })
  expect(invalid.isError).toBe(true)
  const unknown = await agent.callTool({ name: 'studySets_tree', arguments: { topicid, limt: 3 } })
  expect(unknown).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('limt') as string }] })
  const outside = await agent.callTool({ name: 'studySets_tree', arguments: { topicid: '../../pair' } })
  expect(outside).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^PARAM_SEGMENT/) as string }],
  })
  await expect(agent.callTool({ name: 'no_such_tool' })).rejects.toThrow('no_such_tool')
  expect(host.log.filter(({ endpoint }) => !reads.some(({ id }) => id === endpoint))).toEqual([])
  await host.close()
})

test('with --write an agent proposes each write, which a person sends or refuses in the running app', async () => {
  const dataDir = createTempDir()
  const { app, host, card, listTitleWrites, stop } = await startAppForAgents(dataDir)
  const agent = await connectClient(['--write', ...createConnectionFlags(host, dataDir)])
  const { tools } = await agent.listTools()
  const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)
  expect(writing.map(({ name }) => name)).toEqual(['write_propose'])
  expect(writing[0]?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true })
  const endpointsToPropose = endpoints.filter(isProposable).map(({ id }) => id)
  expect(writing[0]?.inputSchema).toMatchObject({ properties: { endpoint: { enum: endpointsToPropose } } })
  expect(getJsonSize({ tools })).toBeLessThan(32_000)
  expect(
    tools.every(({ inputSchema, outputSchema }) => inputSchema['additionalProperties'] === false && outputSchema),
  ).toBe(true)
  const described = await agent.callTool({ name: 'write_describe', arguments: { endpoint: 'notes.title' } })
  expect(getData(described)['data']).toMatchObject({
    method: 'POST',
    arguments: { additionalProperties: false, properties: { noteid: {}, body: { properties: { text: {} } } } },
  })
  const wrong = { endpoint: 'notes.title', arguments: { noteId: card.noteid, body: { text: 'x' } } }
  expect(await agent.callTool({ name: 'write_propose', arguments: wrong })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^ARGUMENTS_INVALID: .*noteId.*Nothing was sent/) as string }],
  })
  const buildTitleProposal = (text: string) => ({
    name: 'write_propose',
    arguments: { endpoint: 'notes.title', arguments: { noteid: card.noteid, body: { text } } },
  })
  const progress: string[] = []
  const accepted = agent.callTool(buildTitleProposal('By an agent'), undefined, {
    onprogress: ({ message }) => progress.push(message ?? ''),
  })
  const ask = await waitForProposal(app)
  expect(ask).toMatchObject({ agent: 'test', prepared: { endpoint: 'notes.title' } })
  expect(listTitleWrites()).toEqual([])
  await app.call('agents.decide', { id: ask.id, send: true })
  expect(getData(await accepted)['data']).toMatchObject({
    verdict: 'saved-and-verified',
    status: 200,
    says: 'Saved and verified.',
  })
  expect(progress).toEqual([expect.stringContaining('waiting for a person'), expect.stringContaining('sent')])
  expect(listTitleWrites()).toHaveLength(1)

  const refused = agent.callTool(buildTitleProposal('No'))
  await app.call('agents.decide', { id: (await waitForProposal(app)).id, send: false })
  expect(await refused).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^REFUSED_BY_PERSON: /) as string }],
  })
  const abort = new AbortController()
  const cancelled = agent
    .callTool(buildTitleProposal('Never'), undefined, { signal: abort.signal })
    .catch((error: unknown) => error)
  await waitForProposal(app)
  abort.abort()
  expect(await cancelled).toBeInstanceOf(Error)
  await vi.waitFor(async () => expect((await app.call('agents.asks', {})).asks).toEqual([]))
  await app.dispose()
  expect(await agent.callTool(buildTitleProposal('Nobody'))).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^APP_NOT_RUNNING: .*Start it/) as string }],
  })
  expect(listTitleWrites()).toHaveLength(1)
  await stop()
})

test('a long response is a page with a cursor or a summary with counts, and can be read to its last byte', async () => {
  const { host, send } = await startDemo({ nodes: 3_000 })
  const agent = await connectClient(createConnectionFlags(host))
  const { topicid } = host.state.generatedSet
  const response = JSON.parse(
    Buffer.from((await send('GET', `/study-sets/${topicid}/tree?limit=1000`)).bytes).toString(),
  ) as { nodes: unknown[]; nodeTotal: number; nextCursor: string }
  const first = await agent.callTool({ name: 'studySets_tree', arguments: { topicid, limit: 1000 } })
  expect(getJsonSize(first)).toBeLessThanOrEqual(40_000)
  const requestCount = host.log.length
  let page = getData(first)
  expect(page).toMatchObject({
    whole: false,
    pointer: '/nodes',
    from: 0,
    total: 1000,
    beside: { nodeTotal: response.nodeTotal, nextCursor: response.nextCursor },
  })
  const nodes = [...(page['data'] as unknown[])]
  while (page['cursor'] !== undefined) {
    const next = await agent.callTool({
      name: 'answer_read',
      arguments: { answer: page['answer'], cursor: page['cursor'] },
    })
    expect(getJsonSize(next)).toBeLessThanOrEqual(40_000)
    page = getData(next)
    nodes.push(...(page['data'] as unknown[]))
  }
  expect(nodes).toEqual(response.nodes)
  const [, link] = first.content as { type: string; uri: string; size: number }[]
  expect(link).toMatchObject({ type: 'resource_link', uri: page['answer'], size: page['bytes'] })
  let text = ''
  for (let start = 0; ; start += 20_000) {
    const range = await agent
      .readResource({ uri: `${link?.uri}/${start}/${start + 20_000}` })
      .catch((error: unknown) => error as Error)
    if (range instanceof Error) {
      expect(range.message).toContain('RANGE_INVALID')
      break
    }
    const [piece] = range.contents
    text += piece && 'text' in piece ? piece.text : ''
  }
  expect(JSON.parse(text)).toEqual(response)

  const summary = await agent.callTool({ name: 'answer_read', arguments: { answer: link?.uri, pointer: '' } })
  expect(getData(summary)['data']).toContainEqual({
    ...{ name: 'nodes', type: 'array', count: 1000, pointer: '/nodes' },
    bytes: expect.any(Number) as number,
  })
  const card = await agent.callTool({ name: 'answer_read', arguments: { answer: link?.uri, pointer: '/nodes/999' } })
  expect(getData(card)['data']).toEqual(response.nodes[999])
  for (const place of [{ pointer: '/nodes/1000' }, { cursor: 'x' }, { cursor: '@0', pointer: '' }]) {
    const rejected = await agent.callTool({ name: 'answer_read', arguments: { answer: link?.uri, ...place } })
    expect(rejected.isError).toBe(true)
  }
  expect(await agent.callTool({ name: 'answer_read', arguments: { answer: '99' } })).toMatchObject({
    content: [{ text: expect.stringContaining('ANSWER_GONE') as string }],
  })
  // All of this came from the stored response, without another request.
  expect(host.log.length).toBe(requestCount)
  await host.close()
})

interface DescribedSchema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, DescribedSchema>>
  readonly items?: DescribedSchema
}

/** Lists the members of a schema at every depth, each with its description. */
function listDescriptions({ properties = {}, items }: DescribedSchema, prefix: string): (readonly [string, string])[] {
  const members = Object.entries(properties).flatMap(([name, member]) => [
    [`${prefix}.${name}`, member.description ?? ''] as const,
    ...listDescriptions(member, `${prefix}.${name}`),
  ])
  return items ? [...members, ...listDescriptions(items, `${prefix}[]`)] : members
}

test('every argument and the data of every result are described, and prompts are the commonest jobs', async () => {
  const { host } = await startDemo({ nodes: 20 })
  const agent = await connectClient(['--write', ...createConnectionFlags(host)])
  const { tools } = await agent.listTools()
  const described = tools.flatMap(({ name, inputSchema, outputSchema }) =>
    listDescriptions(
      { properties: { ...inputSchema.properties, data: outputSchema?.properties?.['data'] ?? {} } } as DescribedSchema,
      name,
    ),
  )
  expect(described.map(([member]) => member)).toContain('documents_locate.body.text')
  expect(described.length).toBeGreaterThan(100)
  expect(described.filter(([, description]) => description === '')).toEqual([])
  const { prompts } = await agent.listPrompts()
  expect(prompts.map(({ name }) => name)).toEqual(['why_did_this_call_fail', 'what_changed', 'check_my_panel'])
  const names = new Set(tools.map(({ name }) => name))
  for (const { name, arguments: list = [] } of prompts) {
    const bare = await agent.getPrompt({ name })
    const values = Object.fromEntries(list.map((argument) => [argument.name, 'A "quoted" name']))
    const filled = await agent.getPrompt({ name, arguments: values })
    for (const { messages } of [bare, filled]) {
      const { text } = messages[0]?.content as { text: string }
      const mentioned = text.match(/\b[a-zA-Z]+_[a-z]+\b/g) ?? []
      expect(mentioned.length).toBeGreaterThan(0)
      expect(mentioned.filter((tool) => !names.has(tool))).toEqual([])
    }
    expect(JSON.stringify(filled.messages)).toContain(JSON.stringify(JSON.stringify('A "quoted" name')).slice(1, -1))
  }
  await expect(agent.getPrompt({ name: 'no_such_prompt' })).rejects.toThrow('no_such_prompt')
  await expect(agent.getPrompt({ name: 'what_changed', arguments: { panel: 'x' } })).rejects.toThrow('panel')
  await host.close()
})

test('a read that takes long reports progress', async () => {
  const { promise: progressed, resolve: onprogress } = Promise.withResolvers<{ message?: string | undefined }>()
  const host = await startMisbehavingHost(async (socket, request) => {
    if (request.path.endsWith('/study-sets')) await progressed
    await respondJson({ studySets: [] })(socket, request)
  })
  const agent = await connectClient(['--base-url', host.baseUrl, '--data-dir', createTempDir()])
  const result = await agent.callTool({ name: 'studySets_list', arguments: {} }, undefined, { onprogress })
  expect((await progressed).message).toBe('reading')
  expect(result.isError ?? false).toBe(false)
  await host.close()
})

test('a picture comes in a size that an agent can look at', async () => {
  const { host } = await startDemo({ nodes: 20 })
  const agent = await connectClient(createConnectionFlags(host))
  const cards = host.state.library.sets.flatMap(({ cards }) => cards)
  const noteid = cards.find(({ parts }) => parts.some(({ kind }) => kind === 'image'))?.noteid
  const contentId = cards.find((card) => card.noteid === noteid)?.parts.find(({ kind }) => kind === 'image')?.contentId
  const picture = await agent.callTool({ name: 'notes_content', arguments: { noteid, contentId } })
  expect(picture.content).toMatchObject([{ type: 'text' }, { type: 'image' }])
  expect(host.log.at(-1)?.path).toContain('maxEdge=1024')
  await host.close()
})

test('an agent can read exchanges, their differences, findings and operations', async () => {
  const dataDir = createTempDir()
  const { app, host, card, stop } = await startAppForAgents(dataDir)
  const agent = await connectClient(['--write', ...createConnectionFlags(host, dataDir)])
  const callTool = async (name: string, input: Record<string, unknown> = {}) =>
    getData(await agent.callTool({ name, arguments: input }))['data'] as Record<string, unknown>
  // The search covers requests of the app, not those of the agent.
  const { topicid } = host.state.generatedSet
  for (const limit of [2, 3]) {
    await app.call('bridge.read', { endpoint: 'studySets.tree', params: { topicid }, query: { limit } })
  }
  const searchResult = await callTool('exchanges_search', { text: '/tree' })
  expect(searchResult).toMatchObject({ source: 'the running app', total: 2 })
  const [after, before] = searchResult['rows'] as { seq: number; path: string }[]
  expect(after?.path).toContain('limit=3')
  const exchange = await callTool('exchange_get', { seq: after?.seq })
  expect(exchange).toMatchObject({ row: { status: 200 }, requestBody: null, findings: [] })
  expect((exchange['responseBody'] as { nodes: unknown[] }).nodes).toHaveLength(3)
  const comparison = await callTool('exchanges_compare', { before: before?.seq, after: after?.seq })
  expect(JSON.stringify(comparison['request'])).toContain('/path')
  expect(JSON.stringify(comparison['responseBody'])).toContain('/nodes/2')

  const proposed = agent.callTool({
    name: 'write_propose',
    arguments: { endpoint: 'notes.title', arguments: { noteid: card.noteid, body: { text: 'New' } } },
  })
  await app.call('agents.decide', { id: (await waitForProposal(app)).id, send: true })
  await proposed
  const [operation] = (await callTool('operations_list'))['items'] as { id: string; endpoint: string }[]
  expect(operation).toMatchObject({ endpoint: 'notes.title', state: 'persisted' })
  expect(await callTool('operation_get', { id: operation?.id })).toMatchObject({
    method: 'POST',
    summary: { noteid: card.noteid },
  })
  const unknown = await agent.callTool({ name: 'exchange_get', arguments: { seq: 999_999 } })
  expect(unknown).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('EXCHANGE_UNKNOWN') as string }],
  })

  expect(await callTool('findings_list')).toMatchObject({ total: 0, complete: true, findings: [] })
  await stop()
  // Without the app, the search covers the requests of this session.
  await agent.callTool({ name: 'studySets_tree', arguments: { topicid: 'no-such-set' } })
  await vi.waitFor(async () => {
    const sessionResult = await callTool('exchanges_search', { text: 'no-such-set' })
    expect(sessionResult).toMatchObject({ source: expect.stringContaining('this session only') as string, total: 1 })
  })
})

test('an agent finds the line of a panel’s code that breaks a rule, and what to do instead', async () => {
  const dataDir = createTempDir()
  const { app, host, stop } = await startAppForAgents(dataDir)
  const listener = await startDirectPanelListener(app.app.panel)
  await app.call('panel.open', { source: { kind: 'folder', path: path.join(FAULTY_PLUGIN, 'built') } })
  await app.app.panel.waitForRules()
  const { url } = await app.call('panel.configure', { writes: 'refuse' })
  await breakRule(url ?? '')
  await app.app.panel.settleInitiators()
  const agent = await connectClient(createConnectionFlags(host, dataDir))
  const [exchanges, findings] = await Promise.all(
    ['exchanges_search', 'findings_list'].map(async (name) => {
      const filter = name === 'findings_list' ? { origin: 'panel' } : { text: '/token' }
      return getData(await agent.callTool({ name, arguments: filter }))['data'] as Record<string, unknown>
    }),
  )
  const [row] = exchanges?.['rows'] as { seq: number }[]
  expect(findings).toMatchObject({
    total: 1,
    findings: [
      {
        ...{ rule: 'outside-allow-list', severity: 'error', exchanges: [row?.seq], initiator: FAULTY_PLACE },
        message: expect.stringContaining('IN_PROCESS_NOT_ALLOWED') as string,
        remedy: expect.any(String) as string,
      },
    ],
  })
  await listener.close()
  await stop()
})

test('an agent learns what changed in a study set since a time, and who did it', async () => {
  const dataDir = createTempDir()
  const { app, host, card, stop } = await startAppForAgents(dataDir)
  const agent = await connectClient(['--write', ...createConnectionFlags(host, dataDir)])
  const { topicid } = card
  const callTool = async (input: Record<string, unknown>) => agent.callTool({ name: 'changes_list', arguments: input })
  const listChanges = async (input: Record<string, unknown> = {}) =>
    getData(await callTool({ topicid, ...input }))['data'] as Record<string, unknown>
  expect(await callTool({ topicid })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('SNAPSHOT_UNKNOWN') as string }],
  })
  const first = await app.call('snapshots.take', { topicid })
  expect(await listChanges()).toMatchObject({ changes: 0, coversSince: false })
  const proposed = agent.callTool({
    name: 'write_propose',
    arguments: { endpoint: 'notes.title', arguments: { noteid: card.noteid, body: { text: 'New' } } },
  })
  await app.call('agents.decide', { id: (await waitForProposal(app)).id, send: true })
  await proposed
  const other = host.state.library.sets.flatMap(({ cards }) => cards).filter((entry) => entry.topicid === topicid)[1]
  if (other) other.colorIndex = (other.colorIndex + 1) % 16
  await app.call('snapshots.take', { topicid })

  const changes = await listChanges({ since: first.endedAt })
  expect(changes).toMatchObject({
    ...{ source: 'the running app', changes: 2, coversSince: true, readSince: true },
    before: { id: first.id },
    causes: { named: 1, nobody: 1 },
  })
  const rows = changes['rows'] as { noteid: string; cause: { writes: { seq: number }[] } }[]
  const seq = rows.find(({ noteid }) => noteid === card.noteid)?.cause.writes[0]?.seq
  const exchange = getData(await agent.callTool({ name: 'exchange_get', arguments: { seq } }))['data']
  expect(exchange).toMatchObject({ row: { method: 'POST', path: expect.stringContaining(card.noteid) as string } })
  expect(await listChanges({ since: first.startedAt - 1_000 })).toMatchObject({ changes: 2, coversSince: false })
  expect(await listChanges({ since: Date.now() + 60_000 })).toMatchObject({ changes: 0, readSince: false })
  await stop()
})

test('study sets and cards are resources', async () => {
  const { host } = await startDemo({ nodes: 20 })
  const agent = await connectClient(createConnectionFlags(host))
  const [set] = host.state.library.sets
  const note = set?.cards[0]?.noteid ?? ''
  const { resources } = await agent.listResources()
  expect(resources).toContainEqual(
    expect.objectContaining({ uri: `bridge://study-sets/${set?.topicid ?? ''}`, name: set?.title }),
  )
  const readTexts = async (uri: string): Promise<string> => JSON.stringify((await agent.readResource({ uri })).contents)
  expect(await readTexts(`bridge://study-sets/${set?.topicid ?? ''}`)).toContain(note)
  expect(await readTexts(`bridge://cards/${note}`)).toContain(note)
  for (const uri of [
    'study-sets/no-such-set',
    'cards/no-such-card',
    'cards/..%2F..%2Fpair',
    'answers/7',
    'answers/1/2',
    'else',
    '%',
  ]) {
    await expect(agent.readResource({ uri: `bridge://${uri}` })).rejects.toThrow(/[A-Z_]{6}/)
  }
  await host.close()
})
