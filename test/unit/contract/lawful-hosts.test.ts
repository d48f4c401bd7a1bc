import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPath } from '../../../electron/services/bridge/client/request-path.ts'
import { toJudgedExchange } from '../../../electron/services/contract/exchange-facts.ts'
import { isBinding } from '../../../shared/bridge/basis.ts'
import { getRouteBasis } from '../../../shared/bridge/endpoints/endpoint.ts'
import { endpoints, getEndpointById, isJsonEndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { readResponse } from '../../../shared/bridge/response-reading.ts'
import { capabilitiesSchema } from '../../../shared/bridge/resources/state.ts'
import { isBindingDeviation } from '../../../shared/contract/deviation.ts'
import { judgeExchange, toHostFacts, type HostFacts } from '../../../shared/contract/exchange-judge.ts'
import { breaches, lawfulHosts, openPlaces } from '../../support/hosts/lawful-hosts.ts'
import { startDemo, type DemoRequest } from '../../support/hosts/demo.ts'

const DRAWN_HOSTS = 200

interface Exchange {
  readonly id: string
  readonly path: string
  readonly status: number
  readonly mediaType: string
  readonly requestBytes: Uint8Array | null
  readonly body: unknown
}

let facts: HostFacts
const exchanges: Exchange[] = []

/** Each read of the contract and each write whose response the spec shows, once. */
beforeAll(async () => {
  const demo = await startDemo({ nodes: 60, stepMs: 10 })
  const { host } = demo
  try {
    facts = toHostFacts(capabilitiesSchema.parse((await demo.ask('capabilities.get')).json))
    const { library } = host.state
    const [set] = library.sets
    const card = set?.cards.find(({ practice }) => practice.length > 0) ?? set?.cards[3]
    const book = [...library.books.values()].find(({ pages }) => pages.some(({ parts }) => parts.length > 0))
    const { noteid = '', revision = '' } = card ?? {}
    const topicid = set?.topicid ?? ''
    Object.assign(host.state.openState, { topicid, bookmd5: book?.bookmd5, noteid })
    const values: Readonly<Record<string, string>> = {
      ...{ topicid, noteid, bookmd5: book?.bookmd5 ?? '', deckId: library.decks[0]?.deckId ?? '' },
      ...{ bundleId: 'bundle-1', index: String((book?.pages.findIndex(({ parts }) => parts.length > 0) ?? 0) + 1) },
    }
    const bodies: Readonly<Record<string, object>> = {
      'notes.batchGet': { noteIds: [...library.cards.keys()].slice(0, 40) },
      'studySets.printPreview': { mode: 'keepStructure', densityValue: 0.4 },
      'documents.locate': { text: 'the', page: 1 },
    }
    const ask = async (id: string, request: DemoRequest): Promise<void> => {
      const { status, type, json } = await demo.ask(id, request)
      if (json.error) throw new Error(`${id}: ${json.error.code}`)
      const path = buildPath(getEndpointById(id), request.params, request.query)
      exchanges.push({
        ...{ id, path, status, mediaType: type.split(';')[0] ?? '', body: json },
        requestBytes: request.body === undefined ? null : Buffer.from(JSON.stringify(request.body)),
      })
    }
    for (const { id, access, parameters, body, response } of endpoints) {
      if (access !== 'read' || response.kind !== 'json' || id === 'writing.pencilResult') continue
      const params = Object.fromEntries(
        parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => [name, values[name] ?? '']),
      )
      const query = Object.fromEntries(
        parameters.filter((parameter) => parameter.in === 'query' && parameter.required).map(({ name }) => [name, 'a']),
      )
      await ask(id, { params, query, ...(body ? { body: bodies[id] ?? {} } : {}) })
    }
    await ask('studySets.tree', { params: { topicid }, query: { sort: 'document', limit: 20 } })
    const session = { requestId: 'r1', runId: 'run', questionId: 'q', carrier: 'focus', confirm: true }
    await ask('writing.sessionFocusBegin', { body: session })
    await ask('writing.sessionReserve', { body: { ...session, requestId: 'r2' } })
    await ask('writing.sessionPause', { body: { requestId: 'r3', runId: 'run', confirm: true } })
    const target = { topicid, noteid, layerId: '' }
    await ask('writing.pencilCommit', { body: { surfaceId: 's', requestId: 'r4', target, confirm: true } })
    await ask('writing.pencilResult', { body: { requestId: 'r4' } })
    // A band changes the revision that the verdict names.
    await ask('notes.practiceVerdict', {
      params: { noteid },
      body: {
        ...{ commentId: 'c', expectedRevision: revision, self: 'again', reason: 'careless', addon: 'demo' },
        ...{ practice: { topic: topicid }, confirm: true },
      },
    })
    await ask('notes.blankBands', { params: { noteid }, body: { role: 'practice', height: 120, confirm: true } })
  } finally {
    await host.close()
  }
})
afterAll(() => void exchanges.splice(0))

/** What is held against a host that sends `body` in one exchange. */
function judge({ id, path, status, mediaType, requestBytes }: Exchange, body: unknown): string[] {
  const { deviations } = judgeExchange(
    toJudgedExchange(
      { method: getEndpointById(id).method, path, endpoint: id, mediaType, status },
      { bytes: requestBytes, isWhole: true },
      { bytes: Buffer.from(JSON.stringify(body)), isWhole: true },
    ),
    facts,
  )
  return deviations
    .filter(isBindingDeviation)
    .map(({ kind, pointer, expected, actual }) => `${id} ${kind} ${pointer}: ${expected} / ${actual}`)
}

const isNamed = (id: string): boolean => getRouteBasis(getEndpointById(id)) === 'spec'

describe('a host that keeps spec-0.91', () => {
  it('chooses among at least four ways at each place that the spec does not show', () => {
    for (const { place, choices } of openPlaces) expect([place, choices.length >= 4]).toEqual([place, true])
    const endpointIds = new Set(endpoints.map(({ id }): string => id))
    for (const id of openPlaces.flatMap((place) => place.endpoints))
      expect(id === '*' || endpointIds.has(id)).toBe(true)
  })

  it('has nothing held against it, whatever it chooses', () => {
    fc.assert(
      fc.property(lawfulHosts, ({ changeBody }) => {
        expect(exchanges.flatMap((exchange) => judge(exchange, changeBody(exchange.id, exchange.body)))).toEqual([])
      }),
      { numRuns: DRAWN_HOSTS },
    )
  })

  it('has no data problem that is held against it, and loses no entry of a list', () => {
    fc.assert(
      fc.property(lawfulHosts, ({ changeBody }) => {
        const problems = exchanges.flatMap(({ id, body }) =>
          isJsonEndpointId(id)
            ? readResponse(id, changeBody(id, body)).problems.map((problem) => ({ id, ...problem }))
            : [],
        )
        expect(problems.filter(({ basis }) => isBinding(basis))).toEqual([])
        expect(problems.filter(({ id, entry }) => isNamed(id) && entry !== null)).toEqual([])
      }),
      { numRuns: DRAWN_HOSTS },
    )
  })
})

describe('a host that breaks one sentence of spec-0.91', () => {
  it.each(breaches)('is found: $sentence', ({ endpoint, change }) => {
    fc.assert(
      fc.property(lawfulHosts, ({ changeBody }) => {
        const exchange = exchanges.findLast(({ id }) => id === endpoint)
        expect(exchange).toBeDefined()
        if (exchange) expect(judge(exchange, change(changeBody(endpoint, exchange.body)))).not.toEqual([])
      }),
      { numRuns: 10 },
    )
  })
})
