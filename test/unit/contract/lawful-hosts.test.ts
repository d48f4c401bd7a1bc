import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPath } from '../../../electron/services/bridge/client/request-path.ts'
import { parseCallPath } from '../../../electron/services/panel/call/page-call.ts'
import { isCallAllowed } from '../../../electron/services/panel/policy/allow-list.ts'
import { readHostAllowList } from '../../../electron/services/panel/policy/host-allow-list.ts'
import { toJudgedExchange } from '../../../electron/services/contract/exchange-facts.ts'
import { isBinding } from '../../../shared/bridge/basis.ts'
import { getRouteBasis } from '../../../shared/bridge/endpoints/endpoint.ts'
import { errorCodeOf } from '../../../shared/bridge/errors.ts'
import {
  endpoints,
  getEndpointById,
  isJsonEndpointId,
  type JsonEndpointId,
} from '../../../shared/bridge/endpoints/index.ts'
import { readResponse } from '../../../shared/bridge/response-reading.ts'
import { capabilitiesSchema, type Capabilities } from '../../../shared/bridge/resources/state.ts'
import { isBindingDeviation } from '../../../shared/contract/deviation.ts'
import { isAdvice } from '../../../shared/protocol/rule-table.ts'
import { judgeExchange, toHostFacts, type HostFacts } from '../../../electron/core/contract/exchange-judge.ts'
import { breaches, lawfulHosts, openPlaces, type SentResponse } from '../../support/hosts/lawful-hosts.ts'
import { startDemo, type DemoRequest, type DemoResponse } from '../../support/hosts/demo.ts'
import { PANEL_ORIGIN, RuleRecording } from '../../support/services/rule-recording.ts'

const DRAWN_HOSTS = 200

interface Exchange {
  readonly id: string
  readonly path: string
  readonly status: number
  readonly mediaType: string
  readonly requestBytes: Uint8Array | null
  readonly body: unknown
}

/** A call of a panel that keeps the contract, and the response of the demo host. */
interface LawfulCall {
  readonly id: string
  readonly path: string
  readonly body: unknown
  readonly response: SentResponse
  readonly instance: string
}

let facts: HostFacts
const exchanges: Exchange[] = []
const lawfulCalls: LawfulCall[] = []

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
    /** @param code the error that the call gets. */
    const call = async (id: string, request: DemoRequest, code?: string): Promise<DemoResponse> => {
      const response = await demo.ask(id, request)
      const { status, type, json } = response
      expect([id, json.error?.code]).toEqual([id, code])
      const path = buildPath(getEndpointById(id), request.params, request.query)
      exchanges.push({
        ...{ id, path, status, mediaType: type.split(';')[0] ?? '', body: json },
        requestBytes: request.body === undefined ? null : Buffer.from(JSON.stringify(request.body)),
      })
      lawfulCalls.push({ id, path, body: request.body, response: { status, body: json }, instance: 'run-1' })
      return response
    }
    const ask = async (id: string, request: DemoRequest): Promise<void> => void (await call(id, request))
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
    let cursor: unknown = null
    do {
      const query = { sort: 'document', limit: 20, ...(typeof cursor === 'string' ? { cursor } : {}) }
      cursor = (await call('studySets.tree', { params: { topicid }, query })).json['nextCursor']
    } while (cursor !== null)
    const session = { requestId: 'r1', runId: 'run', questionId: 'q', carrier: 'focus', confirm: true }
    await ask('writing.sessionFocusBegin', { body: session })
    await ask('writing.sessionReserve', { body: { ...session, requestId: 'r2' } })
    await ask('writing.context', {})
    await ask('writing.sessionPause', { body: { requestId: 'r3', runId: 'run', confirm: true } })
    const target = { topicid, noteid, layerId: '' }
    const commit = { surfaceId: 's', requestId: 'r4', target, confirm: true }
    await ask('writing.pencilCommit', { body: commit })
    await ask('writing.pencilCommit', { body: commit })
    let isSettled: unknown = false
    while (isSettled !== true)
      isSettled = (await call('writing.pencilResult', { body: { requestId: 'r4' } })).json['settled']
    // The host restarts, and has lost the record of this commit.
    await ask('writing.pencilCommit', { body: { ...commit, requestId: 'r5', surfaceId: 's2' } })
    await call('writing.pencilResult', { body: { requestId: 'unknown' } }, 'OPERATION_NOT_FOUND')
    const lostRecord = lawfulCalls.pop()
    if (lostRecord) lawfulCalls.push({ ...lostRecord, body: { requestId: 'r5' }, instance: 'run-2' })
    // A band changes the revision that the verdict names.
    const verdict = {
      ...{ commentId: 'c', expectedRevision: revision, self: 'again', reason: 'careless', addon: 'demo' },
      ...{ practice: { topic: topicid }, confirm: true },
    }
    const otherTopic = { ...verdict, practice: { topic: library.sets[1]?.topicid } }
    await call('notes.practiceVerdict', { params: { noteid }, body: otherTopic }, 'PRACTICE_TOPIC_CHANGED')
    await ask('notes.batchGet', { body: { noteIds: [noteid] } })
    await ask('notes.practiceVerdict', { params: { noteid }, body: verdict })
    const band = { role: 'practice', height: 120, confirm: true }
    await call('notes.blankBands', { params: { noteid }, body: { ...band, height: 9_001 } }, 'NO_SELECTION')
    await ask('notes.blankBands', { params: { noteid }, body: band })
  } finally {
    await host.close()
  }
})
afterAll(() => {
  exchanges.splice(0)
  lawfulCalls.splice(0)
})

/** What is held against a host that sends `body` in one exchange. */
function judge(
  { id, path, mediaType, requestBytes, ...exchange }: Exchange,
  body: unknown,
  status = exchange.status,
): string[] {
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
      fc.property(lawfulHosts, ({ changeResponse }) => {
        const deviations = exchanges.flatMap((exchange) => {
          const { status, body } = changeResponse(exchange.id, exchange)
          return judge(exchange, body, status)
        })
        expect(deviations).toEqual([])
      }),
      { numRuns: DRAWN_HOSTS },
    )
  })

  it('has no data problem that is held against it, and loses no entry of a list', () => {
    fc.assert(
      fc.property(lawfulHosts, ({ changeBody }) => {
        const problems = exchanges.flatMap(({ id, body }) =>
          isJsonEndpointId(id) && errorCodeOf(body) === null
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

describe('a panel that keeps the contract', () => {
  it('has nothing held against it at any host', () => {
    fc.assert(
      fc.property(lawfulHosts, fc.boolean(), ({ changeResponse }, isByItself) => {
        const recording = new RuleRecording(PANEL_ORIGIN, changeResponse)
        for (const { id, path, body, response, instance } of lawfulCalls) {
          const code = errorCodeOf(response.body)
          const { method } = getEndpointById(id)
          recording
            .wait(600)
            .send(method, path, { body, instance, code, status: response.status, response: response.body })
        }
        recording.end({ isByItself })
        expect(recording.findings.filter((finding) => !isAdvice(finding.rule))).toEqual([])
      }),
      { numRuns: DRAWN_HOSTS },
    )
  })

  it('may call what the host lets panels call, however the host says so', () => {
    fc.assert(
      fc.property(lawfulHosts, ({ changeBody }) => {
        const readChanged = (id: JsonEndpointId): unknown =>
          readResponse(id, changeBody(id, exchanges.find((exchange) => exchange.id === id)?.body)).value
        const capabilities = readChanged('capabilities.get') as Capabilities
        const list = { ...readHostAllowList(capabilities, readChanged('immersive.template')), mine: [] }
        const refused = lawfulCalls.filter(({ id, path }) => {
          const callPath = parseCallPath(path)
          return callPath === null || !isCallAllowed({ ...list, mode: 'host' }, getEndpointById(id).method, callPath)
        })
        expect(refused).toEqual([])
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
