import fc from 'fast-check'
import { expect, test } from 'vitest'
import { classifyRequest } from '../../../shared/bridge/endpoints/index.ts'
import { RuleEngine } from '../../../electron/core/protocol/rules/rule-engine.ts'
import type { Finding } from '../../../shared/protocol/finding.ts'
import type { ObservedExchange } from '../../../electron/core/protocol/observed-exchange.ts'
import { pickRunCount } from '../../support/data/run-count.ts'
import {
  HOST,
  PANEL_ORIGIN,
  RuleRecording,
  RECORDED_ORIGIN,
  type StepOptions,
} from '../../support/services/rule-recording.ts'
import type { Origin } from '../../../shared/traffic/exchange.ts'

const origins: readonly Origin[] = [
  PANEL_ORIGIN,
  RECORDED_ORIGIN,
  { kind: 'console', label: null },
  { kind: 'write', label: 'op-1' },
  { kind: 'console', label: 'op-2' },
]
const failed = { state: 'failed', status: null, code: 'CONNECTION_RESET' } as const
const cancelled = { state: 'cancelled', status: null, code: 'CANCELLED' } as const

/**
 * What a caller who follows the contract does next. `n` decides about details; `run` is the host's
 * run.
 */
type Act = (r: RuleRecording, n: number, run: StepOptions) => void

let unique = 0
const fresh = (): string => `id-${(unique += 1)}`

const acts: readonly Act[] = [
  function commitAndPoll(r, n, run) {
    const id = fresh()
    // A retry with the same id and request gets the original result.
    if (n % 3 === 0) r.sendCommit(id, { ...run, ...failed, surfaceId: fresh() })
    const surfaceId = fresh()
    r.sendCommit(id, { ...run, surfaceId })
    if (n % 4 === 0) r.wait(200).sendCommit(id, { ...run, surfaceId })
    for (let i = 0; i < n % 7; i += 1) r.wait(500).poll(id, false, run)
    r.wait(600).poll(id, true, run)
  },
  function pages(r, n, run) {
    const topic = fresh()
    const page = (cursor: string | null, next: string | null, more: StepOptions = {}) =>
      r.get(`/study-sets/${topic}/tree?limit=${1 + (n % 5000)}${cursor === null ? '' : `&cursor=${cursor}`}`, {
        response: { nodes: [{ noteid: 'N-1' }], nextCursor: next, truncated: next !== null },
        ...run,
        ...more,
      })
    let cursor: string | null = null
    for (let i = 0; i < n % 6; i += 1) {
      const next = fresh()
      if (n % 4 === 1) page(cursor, null, failed)
      page(cursor, next)
      cursor = next
    }
    // To the end, or given up on by a cancel.
    if (n % 5 === 2 && cursor !== null) page(cursor, null, cancelled)
    else page(cursor, null)
  },
  function verdict(r, n, run) {
    const noteid = fresh()
    const read = (revision: number): void =>
      void r.post('/notes/batch-get', { noteIds: [noteid] }, { response: { items: [{ noteid, revision }] }, ...run })
    read(n)
    if (n % 3 === 0) {
      const code = n % 2 === 0 ? 'PRACTICE_TOPIC_CHANGED' : 'COMMENT_CHANGED'
      r.sendVerdict(noteid, String(n), { status: 409, code, response: { error: { code } }, ...run })
      read(n + 1)
      r.sendVerdict(noteid, String(n + 1), { response: { commentsRevision: String(n + 2) }, ...run })
    } else r.sendVerdict(noteid, String(n), { response: { commentsRevision: String(n + 1) }, ...run })
  },
  function busy(r, n, run) {
    const seconds = 1 + (n % 5)
    const path = `/documents/${fresh()}/toc-candidates?start=1&end=${1 + (n % 60)}`
    r.get(path, {
      status: 429,
      code: 'SCAN_BUSY',
      response: { error: { details: { retryAfterSeconds: seconds } } },
      ...run,
    })
    r.wait(seconds * 1_000).get(path, run)
  },
  function write(r, n, run) {
    const noteid = fresh()
    if (n % 3 === 0)
      r.post(`/notes/${noteid}/title`, { text: 'x' }, { status: 503, code: 'BUSY', response: {}, ...run })
    if (n % 5 === 0) {
      r.post(`/notes/${noteid}/title`, { text: 'x' }, { status: 404, code: 'NOTE_NOT_FOUND', response: {}, ...run })
      r.post('/notes/batch-get', { noteIds: [noteid] }, { response: { items: [{ noteid }] }, ...run })
    }
    r.wait(400).post(`/notes/${noteid}/title`, { text: 'x' }, run)
  },
  function looks(r, n, run) {
    for (let i = 0; i < n % 10; i += 1) r.wait(500).get('/ui-state', run)
    r.get(`/notes/${fresh()}/content/C?maxEdge=${64 + (n % 4033)}`, { via: 'fetch', ...run })
    r.get(`/study-sets/${fresh()}/note-palette`, { ...(n % 2 === 0 ? cancelled : {}), ...run })
    r.get('/study-sets/T-1/tree?limit=1', { response: { nodeTotal: 9, nextCursor: 'x' }, ...run })
  },
]

const plan = fc.array(
  fc.record({
    act: fc.nat(acts.length - 1),
    n: fc.nat(10_000),
    who: fc.nat(origins.length - 1),
    then: fc.constantFrom('go on', 'go on', 'go on', 'restart', 'gap', 'quiet'),
  }),
  { maxLength: 60 },
)

test('a client that follows the contract causes no finding', () => {
  fc.assert(
    fc.property(plan, (steps) => {
      const recording = new RuleRecording(PANEL_ORIGIN)
      let run = 1
      for (const { act, n, who, then } of steps) {
        const origin = origins[who] ?? PANEL_ORIGIN
        acts[act]?.(recording, n, { origin, instance: `run-${run}` })
        if (then === 'restart') run += 1
        else if (then === 'gap') recording.rules.markRecordingGap(recording.timestamp)
        else if (then === 'quiet') recording.waitAndTick(40_000)
        recording.wait(300)
      }
      expect(recording.waitAndTick().findings).toEqual([])
    }),
    { numRuns: 300 },
  )
})

/** Styles of panels and clients that are right, each with its own way of doing it. */
const lawful: Readonly<Record<string, (r: RuleRecording) => unknown>> = {
  'a title that changes with each card, and while pages are read'(r) {
    const titled = (label: string): StepOptions => ({ origin: { ...PANEL_ORIGIN, label } })
    let cursor: string | null = null
    for (let index = 0; index < 163; index += 10) {
      const next = index + 10 < 163 ? `c${index}` : null
      r.readPage(cursor, next, titled(`Card ${index} of 163`))
      cursor = next
    }
    r.sendCommit('A', titled('Writing'))
    r.wait(600).poll('A', true, titled('Written'))
  },
  'a reload in the middle of everything'(r) {
    const load = (number: number): StepOptions => ({ origin: { ...PANEL_ORIGIN, load: number } })
    r.readPage(null, 'c1', load(1))
    r.sendCommit('A', load(1))
    r.post('/notes/batch-get', { noteIds: ['N-1'] }, { response: { revision: '5' }, ...load(1) })
    r.sendVerdict('N-1', '5', { response: { commentsRevision: '6' }, ...load(1) })
    r.rules.markLoadsLeft('opening-1', 1)
    r.readPage(null, 'c1', load(2))
    r.readPage('c1', null, load(2))
    r.sendVerdict('N-1', '5', { status: 409, code: 'COMMENT_CHANGED', response: {}, ...load(2) })
  },
  'reloads in quick succession, each of which reads the same'(r) {
    for (let number = 1; number <= 8; number += 1) {
      const origin = { ...PANEL_ORIGIN, load: number }
      r.wait(80).get('/study-sets/T-1/note-palette', { origin })
      r.get('/ui-state', { origin })
    }
  },
  'two tabs that each poll as they may'(r) {
    for (let round = 0; round < 30; round += 1) {
      for (const load of [1, 2, 3]) r.wait(140).get('/writing/context', { origin: { ...PANEL_ORIGIN, load } })
    }
  },
  'two tabs, of which one writes and the other has an old revision'(r) {
    const [first, other] = [1, 2].map((load): StepOptions => ({ origin: { ...PANEL_ORIGIN, load } }))
    r.post('/notes/batch-get', { noteIds: ['N-1'] }, { response: { revision: '5' }, ...first })
    r.post('/notes/batch-get', { noteIds: ['N-1'] }, { response: { revision: '5' }, ...other })
    r.sendVerdict('N-1', '5', { response: { commentsRevision: '6' }, ...first })
    r.sendVerdict('N-1', '5', { status: 409, code: 'COMMENT_CHANGED', response: {}, ...other })
  },
  'a result that was asked for before a reload, and read after it'(r) {
    r.sendCommit('A', { origin: { ...PANEL_ORIGIN, load: 1 } })
    r.rules.markLoadsLeft('opening-1', 1)
    r.wait(700).poll('A', true, { origin: { ...PANEL_ORIGIN, load: 2 } })
  },
  'paging that is resumed with a cursor from before the reload'(r) {
    r.readPage(null, 'c1', { origin: { ...PANEL_ORIGIN, load: 1 } })
    r.readPage('c1', 'c2', { origin: { ...PANEL_ORIGIN, load: 1 } })
    r.rules.markLoadsLeft('opening-1', 1)
    r.readPage('c2', null, { origin: { ...PANEL_ORIGIN, load: 2 } })
    r.readPage(null, 'c1', { origin: { ...PANEL_ORIGIN, load: 2 } })
    r.readPage('c2', null, { origin: { ...PANEL_ORIGIN, load: 2 } })
    r.readPage('c1', 'c2', { origin: { ...PANEL_ORIGIN, load: 2 } })
    r.readPage('c2', null, { origin: { ...PANEL_ORIGIN, load: 2 } })
  },
  'more on demand, with pauses between, and not to the end'(r) {
    r.readPage(null, 'c1')
    r.waitAndTick(60_000)
    r.readPage('c1', 'c2')
    r.waitAndTick(60_000)
    r.readPage('c2', 'c3')
  },
  'forth and back, page by page'(r) {
    const next: Readonly<Record<string, string | null>> = { first: 'c1', c1: 'c2', c2: 'c3', c3: null }
    for (const cursor of ['first', 'c1', 'c2', 'c1', 'c2', 'c1', 'first', 'c1', 'c2', 'c3', 'c2', 'c3']) {
      r.wait(1_500).readPage(cursor === 'first' ? null : cursor, next[cursor] ?? null)
    }
  },
  'the last page again, to see whether something was added'(r) {
    r.readPage(null, 'c1')
    for (let round = 0; round < 5; round += 1) r.wait(5_000).readPage('c1', null)
  },
  'a session command that is confirmed by its record'(r) {
    const response = { requestId: 'A', runId: 'R', attemptId: 'attempt-1', state: 'accepted', settled: false }
    r.post('/writing/session-focus-begin', { requestId: 'A', runId: 'R' }, { response: response })
    r.wait(500).get('/writing/context', { response: { run: 'R' } })
  },
  'cards that somebody looks through, one after the other'(r) {
    for (let index = 0; index < 40; index += 1) r.wait(500).post('/notes/batch-get', { noteIds: [`N-${index}`] })
  },
  'a panel that is stopped in the middle'(r) {
    r.readPage(null, 'c1')
    r.sendCommit('A')
    r.post('/writing/session-pause', { requestId: 'B', runId: 'R' }, { response: { settled: false } })
    r.rules.markLoadsLeft('opening-1', 1)
  },
  'a card that is gone, and a route that is not for panels'(r) {
    r.get('/notes/N-1/render', { status: 404, code: 'NOTE_NOT_FOUND', response: {} })
    r.get('/notes/N-2/content/C-2', { status: 404, code: 'CONTENT_NOT_FOUND', response: {} })
  },
  'two runs of one script beside each other, and a client that uses several connections'(r) {
    const run = (load: number): StepOptions => ({ origin: { ...RECORDED_ORIGIN, load } })
    for (const load of [1, 2]) r.get('/capabilities', run(load))
    for (let round = 0; round < 3; round += 1) {
      for (const load of [1, 2]) r.get('/study-sets/T-1/note-palette', { durationMs: 5, ...run(load) })
    }
    r.readPage(null, 'c1', run(1))
    r.readPage('c1', 'c2', run(2))
    r.readPage('c2', null, run(3))
    r.sendCommit('A', run(1))
    r.wait(600).poll('A', true, run(2))
    r.get('/search?q=x', { status: 429, code: 'BUSY', response: { error: { retryAfterSeconds: 9 } }, ...run(1) })
    r.get('/search?q=x', { status: 429, code: 'BUSY', response: { error: { retryAfterSeconds: 9 } }, ...run(2) })
  },
  'a commit of the console, which the program watches'(r) {
    r.sendCommit('A', { origin: { kind: 'console', label: 'op-1' } })
    for (const isSettled of [false, true])
      r.wait(700).poll('A', isSettled, { origin: { kind: 'tracker', label: 'op-1' } })
  },
  'a client that is renamed while it polls'(r) {
    r.sendCommit('A', { origin: RECORDED_ORIGIN })
    for (const label of ['curl', 'nightly', 'import'])
      r.wait(700).poll('A', label === 'import', { origin: { ...RECORDED_ORIGIN, label } })
  },
  'pages of which one is too long to be kept'(r) {
    r.readPage(null, 'c1')
    r.readPage('c1', 'c2', { response: undefined })
    r.readPage('c2', 'c3', { response: undefined })
    r.readPage('c3', null)
  },
}

test.each(Object.entries(lawful))('safety 67: %s causes no finding', (_, play) => {
  const recording = new RuleRecording(PANEL_ORIGIN)
  play(recording)
  expect(recording.waitAndTick().findings).toEqual([])
  // What follows after a while changes nothing.
  expect(recording.waitAndTick().findings).toEqual([])
})

test('interleaved exchanges of several callers cause no finding', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(acts.length - 1), fc.nat(1_000)), { minLength: 2, maxLength: 12 }),
      (parts) => {
        const findings: Finding[] = []
        const rules = new RuleEngine({
          onFinding: (finding) => void findings.push(finding),
          onWithdrawal: () => undefined,
          responseContains: () => null,
        })
        // Each caller's sequence is recorded by itself, and then all are told in the order of their
        // ends.
        const steps = parts.flatMap(([act, n], index) => {
          const exchanges: ObservedExchange[] = []
          const recording = new RuleRecording({ kind: 'panel', label: 'panel', caller: `opening-${index}`, load: 1 })
          recording.rules.observeExchange = (step: ObservedExchange) => void exchanges.push(step)
          acts[act]?.(recording, n, {})
          return exchanges
        })
        for (const [position, step] of steps.toSorted((a, b) => a.endedAt - b.endedAt).entries())
          rules.observeExchange({ ...step, seq: position + 1 })
        rules.tick(1e9, [])
        expect(findings).toEqual([])
      },
    ),
    { numRuns: 200 },
  )
})

test('no exchange makes a rule throw', () => {
  const paths = ['/writing/pencil-commit', '/writing/pencil-result', '/notes/N/practice-verdict', '/notes/batch-get', '/study-sets/T/tree?cursor=%', '/documents/B/pages/x/parts', '/notes/N/blank-bands', '/bundles/prepare', '/capabilities'] // prettier-ignore
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...paths), fc.anything(), fc.anything(), fc.integer())), (list) => {
      const recording = new RuleRecording(PANEL_ORIGIN)
      for (const [path, body, response, status] of list) {
        for (const method of ['GET', 'POST'])
          recording.send(method, path, { body, response: jsonLike(response), status })
      }
      recording.waitAndTick()
      for (const { exchanges } of recording.findings) expect(exchanges.length).toBeLessThanOrEqual(50)
    }),
    { numRuns: 300 },
  )
})

function jsonLike(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null') as unknown
  } catch {
    return null
  }
}

test('the engine keeps a limited state for any number of exchanges', { tags: ['long'] }, () => {
  const tally = { count: 0 }
  const rules = new RuleEngine({
    onFinding: () => void (tally.count += 1),
    onWithdrawal: () => undefined,
    responseContains: () => false,
  })
  const { endpoint, params } = classifyRequest('GET', '/study-sets/T-1/note-palette')
  const step = (seq: number): ObservedExchange => ({
    seq,
    startedAt: seq * 10,
    endedAt: seq * 10 + 5,
    origin: {
      kind: 'panel',
      label: 'panel',
      caller: `opening-${seq % 100 === 0 ? seq : seq % 150}`,
      load: (seq % 40) + 1,
    },
    host: HOST,
    instance: 'run',
    endpoint: endpoint?.id ?? null,
    method: 'GET',
    path: `/study-sets/T-${seq}/note-palette`,
    params,
    query: new Map(),
    isBodyKnown: true,
    body: { requestId: `r-${seq}`, noteIds: [`N-${seq}`] },
    state: 'answered',
    status: 200,
    code: null,
    response: {},
    attempt: 1,
    via: null,
    sentMembers: null,
    isHeld: false,
    isHostResponse: true,
    isJudged: true,
  })
  // Enough for more callers than are remembered, and for more ids of each.
  for (let seq = 1; seq <= pickRunCount(30_000, 1_000_000); seq += 1) rules.observeExchange(step(seq))
  expect(rules.callerCount).toBeLessThanOrEqual(200)
  expect(tally.count).toBe(0)
})
