import { describe, expect, it, onTestFinished } from 'vitest'
import { dialectTraits, type DialectName } from '../../../electron/demo-host/dialects/index.ts'
import { driftList, driftVersions, listDrift } from '../../../electron/demo-host/drift/drift-list.ts'
import type { DemoHostOptions } from '../../../electron/demo-host/server.ts'
import { toJudgedExchange } from '../../../electron/services/contract/exchange-facts.ts'
import { classifyRequest } from '../../../shared/bridge/endpoints/index.ts'
import { capabilitiesSchema } from '../../../shared/bridge/resources/state.ts'
import { judgeExchange, toHostFacts } from '../../../electron/core/contract/exchange-judge.ts'
import { getDeviationId } from '../../../shared/contract/deviation.ts'
import { startDemo, type DemoConnection, type DemoResponse } from '../../support/hosts/demo.ts'
import { askPlannedReads } from '../../support/hosts/planned-reads.ts'

/** Writes whose responses the contract shows, in an order in which each of them succeeds. */
async function sendShownWrites({ host, send }: DemoConnection): Promise<Exchange[]> {
  const [set] = host.state.library.sets
  const card = set?.cards.find(({ practice }) => practice.length > 0)
  const { noteid = '', revision = 0 } = card ?? {}
  const topicid = set?.topicid ?? ''
  Object.assign(host.state.openState, { topicid, noteid })
  const session = { runId: 'run', questionId: 'q', carrier: 'focus', confirm: true }
  const target = { topicid, noteid, layerId: '' }
  const verdict = { commentId: 'c', expectedRevision: revision, self: 'again', reason: 'careless', addon: 'demo' }
  const writes: readonly (readonly [path: string, body: object])[] = [
    ['/writing/session-focus-begin', { ...session, requestId: 'r1' }],
    ['/writing/pencil-commit', { surfaceId: 's', requestId: 'r2', target, confirm: true }],
    [`/notes/${noteid}/practice-verdict`, { ...verdict, practice: { topic: topicid }, confirm: true }],
    [`/notes/${noteid}/blank-bands`, { role: 'practice', height: 120, confirm: true }],
  ]
  const exchanges: Exchange[] = []
  for (const [path, body] of writes) {
    const response = await send('POST', path, { body })
    expect([path, response.status < 300]).toEqual([path, true])
    exchanges.push({ method: 'POST', path, endpoint: null, body, response })
  }
  return exchanges
}

interface Exchange {
  readonly method: string
  readonly path: string
  /** Null if it follows from the path. */
  readonly endpoint: string | null
  readonly body: unknown
  readonly response: DemoResponse
}

/** Asks everything that shows deviations, and lists them. */
async function listDeviations(options: DemoHostOptions): Promise<string[]> {
  const connection = await startDemo({ nodes: 50, ...options })
  onTestFinished(() => connection.host.close())
  const { exchanges } = await askPlannedReads(connection)
  const reads = exchanges.map(({ read, path, response }): Exchange => ({
    ...{ method: read.endpoint.method, endpoint: read.endpoint.id, path, response },
    body: read.body,
  }))
  const tags = { method: 'GET', path: '/library/tags', endpoint: null, body: undefined }
  const tagsExchange: Exchange = { ...tags, response: await connection.send('GET', '/library/tags') }
  const all = [...reads, tagsExchange, ...(await sendShownWrites(connection))]
  const capabilities = reads.find(({ endpoint }) => endpoint === 'capabilities.get')?.response.json
  const facts = toHostFacts(capabilitiesSchema.parse(capabilities))
  const ids = all.flatMap((exchange) => {
    const { method, path, body, response } = exchange
    const endpoint = exchange.endpoint ?? classifyRequest(method, path).endpoint?.id ?? null
    const { deviations } = judgeExchange(
      toJudgedExchange(
        { method, path, endpoint, mediaType: response.type.split(';')[0] ?? '', status: response.status },
        { bytes: body === undefined ? null : Buffer.from(JSON.stringify(body)), isWhole: true },
        { bytes: response.bytes, isWhole: true },
      ),
      facts,
    )
    return deviations.map(getDeviationId)
  })
  return [...new Set(ids)].sort()
}

describe('what is judged of a demo host', () => {
  it.each(driftVersions)('is exactly the list of version %s', async (version) => {
    const expected = listDrift(version).map((entry) => getDeviationId(entry))
    expect(await listDeviations({ fault: 'drift', driftVersion: version })).toEqual(expected.sort())
  })

  it('is each of the 40 deviations in some version', () => {
    expect(new Set(driftVersions.flatMap(listDrift).map((entry) => getDeviationId(entry))).size).toBe(driftList.length)
  })

  it.each(Object.keys(dialectTraits) as DialectName[])('is nothing in dialect %s', async (dialect) => {
    expect(await listDeviations({ dialect })).toEqual([])
  })
})
