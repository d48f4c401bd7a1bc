import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createBus } from '../../../../electron/services/bus.ts'
import { createFindings } from '../../../../electron/services/findings/findings.ts'
import { containsText, type FindingsChange } from '../../../../electron/services/findings/findings-judge.ts'
import { findMembersInLongJson } from '../../../../electron/services/findings/long-json.ts'
import { createNotices } from '../../../../electron/services/notices.ts'
import { readRecordedFindings } from '../../../../electron/services/traffic/recorded/recorded-findings.ts'
import { createMemoryStore } from '../../../../electron/services/traffic/memory-store.ts'
import type { Finding, FindingScope } from '../../../../shared/protocol/finding.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { TOKEN } from '../../../support/services/test-client.ts'
import { createBody, openDiskStore, createEntry } from '../../../support/services/traffic.ts'

const origin = { kind: 'recorded' as const, label: 'curl' }
const createBadLimitEntry = (path = '/study-sets/T-1/tree?limit=0') =>
  createEntry({ row: { path, template: '/study-sets/{topicid}/tree', endpoint: 'studySets.tree', origin } })
const collectFindings = (changes: readonly FindingsChange[]): Finding[] =>
  changes.flatMap((change) => (change.kind === 'all' ? [] : change.newFindings))
const finding: Finding = {
  id: 'read-burst:3',
  rule: 'session-not-confirmed',
  at: 5,
  origin,
  resource: 'GET /ui-state',
  exchanges: [1, 3],
  params: { n: '5', seconds: '0.1' },
}

test('the store on disk judges its exchanges, and has the findings after a restart', () => {
  const dataDir = createTempDir()
  const first = openDiskStore(dataDir)
  first.store.add(createBadLimitEntry())
  first.store.flush()
  expect(collectFindings(first.findings)).toMatchObject([{ rule: 'parameter-out-of-range', origin, exchanges: [1] }])
  first.store.close()

  const second = openDiskStore(dataDir)
  onTestFinished(() => second.store.close())
  expect(second.findings).toMatchObject([{ kind: 'all', findings: [{ id: 'parameter-out-of-range:1:limit' }] }])
  second.store.clear()
  expect(second.findings.at(-1)).toEqual({ kind: 'all', findings: [] })
})

test('pages of a listing are followed, however long they are', () => {
  const { store, findings } = openDiskStore(createTempDir())
  onTestFinished(() => store.close())
  const nodes = Array.from({ length: 3_000 }, (_, i) => ({ noteid: `N-${i}`, title: 'says "nextCursor": "x"' }))
  const createPage = (cursor: string | null, nextCursor: string | null) =>
    createEntry({
      row: {
        path: `/study-sets/T-1/tree${cursor === null ? '' : `?cursor=${cursor}`}`,
        template: '/study-sets/{topicid}/tree',
        endpoint: 'studySets.tree',
        origin,
        startedAt: 1_000,
      },
      response: createBody(JSON.stringify({ nodes, nextCursor, truncated: nextCursor !== null })),
    })
  store.add(createPage(null, 'c1'))
  store.flush()
  store.judge.checkPending(60_000, [])
  expect(collectFindings(findings)).toMatchObject([
    { rule: 'paging-stopped', params: { topicid: 'T-1', cursor: 'c1' } },
  ])
  store.add(createPage('c1', null))
  store.flush()
  expect(findings.at(-1)).toEqual({
    kind: 'some',
    newFindings: [],
    withdrawals: [{ id: 'paging-stopped:1', at: expect.any(Number) }],
  })
})

test('a write is judged with the cards of the pages that were read', () => {
  const { store, findings } = openDiskStore(createTempDir())
  onTestFinished(() => store.close())
  const nodes = Array.from({ length: 3_000 }, (_, i) => ({ noteid: `N-${i}` }))
  const listing = { path: '/study-sets/T-1/tree', template: '/study-sets/{topicid}/tree', endpoint: 'studySets.tree' }
  store.add(
    createEntry({
      row: { ...listing, origin },
      response: createBody(JSON.stringify({ nodes, nextCursor: null, walkLimitReached: true })),
    }),
  )
  const createVerdictEntry = (noteid: string) =>
    createEntry({
      row: {
        origin,
        method: 'POST',
        path: `/notes/${noteid}/practice-verdict`,
        template: '/notes/{noteid}/practice-verdict',
        endpoint: 'notes.practiceVerdict',
        startedAt: 9_000_000,
      },
      request: createBody(JSON.stringify({ practice: { topic: 'T-1' } })),
    })
  store.add(createVerdictEntry('N-2999'))
  store.flush()
  expect(collectFindings(findings)).toEqual([])
  store.add(createVerdictEntry('N-30000'))
  store.flush()
  expect(collectFindings(findings)).toMatchObject([{ rule: 'incomplete-listing-then-write', exchanges: [1, 3] }])
})

test('no token gets into a finding', () => {
  const token = 'mnb0.secret-token-value-1234567890'
  const { store, findings, database } = openDiskStore(createTempDir())
  onTestFinished(() => store.close())
  store.masker.addTokens([token])
  const tree = {
    path: '/study-sets/T-1/tree',
    template: '/study-sets/{topicid}/tree',
    endpoint: 'studySets.tree',
    origin,
  }
  store.add(
    createEntry({
      row: tree,
      response: createBody(JSON.stringify({ nodes: ['x'.repeat(70_000)], nextCursor: token })),
    }),
  )
  store.flush()
  store.judge.checkPending(1e12, [])
  expect(collectFindings(findings)).toHaveLength(1)
  expect(JSON.stringify([findings, database.prepare('SELECT * FROM findings').all()])).not.toContain(token)
})

test('the store in memory also judges its exchanges', () => {
  const changes: FindingsChange[] = []
  const store = createMemoryStore({
    reason: 'TRAFFIC_NO_DATABASE',
    onChange: () => undefined,
    onFindings: (change) => void changes.push(change),
  })
  store.add(createBadLimitEntry())
  expect(collectFindings(changes)).toMatchObject([{ rule: 'parameter-out-of-range' }])
})

test('members of a long response are read exactly or not at all', () => {
  const findMembers = (text: string) =>
    findMembersInLongJson(new TextEncoder().encode(text), ['nextCursor', 'truncated'])
  expect(findMembers('{"nodes":[],"nextCursor":"a\\"b","truncated" : true}')).toEqual({
    nextCursor: 'a"b',
    truncated: true,
  })
  expect(findMembers('{"nodes":[{"nextCursor":null}],"nextCursor":"c","truncated":true}')).toEqual({
    nextCursor: 'c',
    truncated: true,
  })
  expect(findMembers('{"nextCursor":"c","nodes":[{"nextCursor":null}],"truncated":true}')).toBeUndefined()
  expect(findMembers('{"nextCursor":"c","nodes":[{"title":"]"}]}')).toEqual({ nextCursor: 'c' })
  expect(findMembers('{"nodes":[],"title":"a ], \\"nextCursor\\":1","nextCursor":"c"}')).toEqual({ nextCursor: 'c' })
  expect(findMembers('{"nextCursor":{"at":1}}')).toBeUndefined()
  expect(findMembers('{"title":"\\"nextCursor\\":\\"x\\""}')).toEqual({})
})

test('muted rules are left out, and stay muted', () => {
  const dataDir = createTempDir()
  const bus = createBus(() => undefined)
  const notices = createNotices(bus)
  const findings = createFindings(dataDir, bus, notices, () => 7)
  onTestFinished(() => findings.close())
  findings.applyChange({
    kind: 'some',
    newFindings: [finding, { ...finding, id: 'b', rule: 'retry-too-early' }],
    withdrawals: [],
  })
  expect(findings.list(0, 10)).toMatchObject({
    total: 2,
    muted: [],
    findings: [{ rule: 'retry-too-early' }, { rule: 'session-not-confirmed' }],
  })
  expect(findings.mute('session-not-confirmed', 'known')).toEqual([
    { rule: 'session-not-confirmed', reason: 'known', at: 7 },
  ])
  expect(findings.list(0, 10)).toMatchObject({ total: 1, findings: [{ rule: 'retry-too-early' }] })
  expect(findings.listForExchange(3)).toMatchObject([{ id: 'b' }])

  const reopened = createFindings(dataDir, bus, notices)
  onTestFinished(() => reopened.close())
  reopened.applyChange({ kind: 'all', findings: [finding] })
  expect(reopened.list(0, 10)).toMatchObject({ total: 0, muted: [{ rule: 'session-not-confirmed', reason: 'known' }] })
  expect(reopened.unmute('session-not-confirmed')).toEqual([])
  expect(reopened.listForExchange(1)).toEqual([finding])
})

test('a damaged list of muted rules is set aside, and its readable entries are kept', () => {
  const dataDir = createTempDir()
  const file = path.join(dataDir, 'findings.json')
  writeFileSync(file, '{"muted":')
  const bus = createBus(() => undefined)
  const notices = createNotices(bus)
  const findings = createFindings(dataDir, bus, notices)
  onTestFinished(() => findings.close())
  expect(notices.list()).toMatchObject([{ code: 'MUTED_RULES_DAMAGED' }])
  findings.mute('session-not-confirmed', 'x')
  const good: unknown = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(
    file,
    JSON.stringify({ muted: [...(good as { muted: unknown[] }).muted, { rule: 'unknown', reason: '' }, 7] }),
  )
  const reopened = createFindings(dataDir, bus, notices)
  onTestFinished(() => reopened.close())
  expect(reopened.list(0, 1).muted).toMatchObject([{ rule: 'session-not-confirmed' }])
})

test('each call of a page is judged with its exchange', () => {
  const { store, findings } = openDiskStore(createTempDir())
  onTestFinished(() => store.close())
  const createGuideEntry = (id: string) =>
    createEntry({
      row: {
        id,
        path: '/guide',
        template: '/guide',
        endpoint: 'guide.get',
        origin: { kind: 'panel', label: 'Practice' },
      },
      panelCall,
    })
  const panelCall = { via: 'host.api', sentMembers: { confirm: false, addon: false } } as const
  store.add(createGuideEntry('first'))
  store.flush()
  store.add(createGuideEntry('second'))
  store.flush()
  expect(collectFindings(findings)).toMatchObject([
    { rule: 'binary-through-api', exchanges: [1] },
    { rule: 'binary-through-api', exchanges: [2] },
  ])
})

test('the initiator of a call is kept with its exchange, whichever comes first, and names the line of a finding', async () => {
  const dataDir = createTempDir()
  const { store } = openDiskStore(dataDir)
  const position = { line: 3, column: 5 }
  const frame = { functionName: `load${TOKEN}`, isAsync: false, isLibrary: false, isWrapper: false, ...position }
  const initiator = {
    frames: [{ ...frame, file: '/main.js', original: { file: '/src/bridge.ts?t=1', line: 40, column: 7 } }],
    loader: null,
  }
  store.masker.addTokens([TOKEN])
  const origin = { kind: 'panel', label: 'Practice' } as const
  const row = { path: '/guide', template: '/guide', endpoint: 'guide.get', origin }
  store.recordInitiator('late', initiator)
  store.flush()
  const panelCall = { via: 'host.api', sentMembers: { confirm: false, addon: false } } as const
  store.add(createEntry({ row: { ...row, id: 'late' }, panelCall }))
  store.add(createEntry({ row: { ...row, id: 'early' } }))
  store.flush()
  store.recordInitiator('early', initiator)
  store.flush()
  store.close()

  const { store: reopened } = openDiskStore(dataDir)
  onTestFinished(() => reopened.close())
  const initiators = reopened.reader.listInitiators([1, 2, 3])
  expect(initiators.map(({ seq }) => seq)).toEqual([1, 2])
  expect(reopened.reader.exchange({ seq: 1 })?.initiator?.frames?.[0]?.original?.line).toBe(40)
  expect(JSON.stringify(initiators)).not.toContain(TOKEN)
  const { findings } = await readRecordedFindings(dataDir, {})
  expect(findings).toMatchObject([
    { rule: 'binary-through-api', initiator: { file: '/src/bridge.ts', line: 40, column: 7 } },
  ])
})

test('repeated findings of one rule on one resource are one row, and are counted per scope and since a clearing', () => {
  const findings = createFindings(
    createTempDir(),
    createBus(() => undefined),
    createNotices(createBus(() => undefined)),
  )
  onTestFinished(() => findings.close())
  const createPanelOrigin = (caller: string, load: number) => ({ kind: 'panel' as const, label: 'Mine', caller, load })
  const createFinding = (seq: number, changed: Partial<Finding> = {}): Finding => ({
    ...finding,
    id: `read-burst:${seq}`,
    at: seq,
    origin: createPanelOrigin('a', 1),
    exchanges: [seq - 1, seq],
    ...changed,
  })
  const newFindings = [
    createFinding(2),
    createFinding(4),
    createFinding(6, { origin: createPanelOrigin('a', 2) }),
    createFinding(8, { origin: createPanelOrigin('b', 1) }),
    createFinding(10, { resource: 'GET /other', origin: createPanelOrigin('a', 2) }),
    createFinding(12, { rule: 'retry-too-early', origin: { kind: 'recorded', label: 'curl', caller: 'c', load: 1 } }),
  ]
  findings.applyChange({ kind: 'some', newFindings, withdrawals: [] })
  const getCounts = (scope?: FindingScope) =>
    findings.list(0, 10, scope).findings.map(({ rule, resource, count }) => [rule, resource, count])
  expect(getCounts()).toEqual([
    ['retry-too-early', 'GET /ui-state', 1],
    ['session-not-confirmed', 'GET /other', 1],
    ['session-not-confirmed', 'GET /ui-state', 4],
  ])
  expect(findings.list(0, 10).findings[2]).toMatchObject({
    firstAt: 2,
    at: 8,
    exchanges: [1, 2, 3, 4, 5, 6, 7, 8],
    shownAt: [2, 4, 6, 8],
    origins: [createPanelOrigin('b', 1), createPanelOrigin('a', 2), createPanelOrigin('a', 1)],
  })
  expect(getCounts({ caller: 'a', load: 2 })).toEqual([
    ['session-not-confirmed', 'GET /other', 1],
    ['session-not-confirmed', 'GET /ui-state', 1],
  ])
  expect(getCounts({ caller: 'a' })).toEqual([
    ['session-not-confirmed', 'GET /other', 1],
    ['session-not-confirmed', 'GET /ui-state', 3],
  ])
  expect(getCounts({ kind: 'recorded' })).toEqual([['retry-too-early', 'GET /ui-state', 1]])
  expect(findings.list(0, 10, { caller: 'nobody' }).total).toBe(0)
})

test.each(['disk', 'memory'] as const)(
  'clearing starts a new count, also of findings that were not certain yet (%s)',
  async (kind) => {
    const dataDir = createTempDir()
    const memoryChanges: FindingsChange[] = []
    const opened = kind === 'disk' ? openDiskStore(dataDir) : null
    const memory = createMemoryStore({
      reason: 'TRAFFIC_STOPPED',
      onChange: () => undefined,
      onFindings: (change) => void memoryChanges.push(change),
    })
    const addEntries = (...entries: Parameters<typeof memory.add>) => {
      if (opened) {
        opened.store.add(...entries)
        opened.store.flush()
      } else memory.add(...entries)
    }
    const changes = opened?.findings ?? memoryChanges
    const page = createEntry({
      row: { path: '/study-sets/T-1/tree', template: '/study-sets/{topicid}/tree', endpoint: 'studySets.tree', origin },
      response: createBody(JSON.stringify({ nodes: [], nextCursor: 'c1' })),
    })
    addEntries(createBadLimitEntry())
    addEntries(page)
    if (opened) opened.store.judge.clearFindings(opened.store.reader.newest())
    else await memory.clearFindings()
    expect(changes.at(-1)).toEqual({ kind: 'all', findings: [] })
    const before = changes.length
    ;(opened?.store.judge ?? memory).checkPending(page.endedAt + 60_000, [])
    expect(changes).toHaveLength(before)
    addEntries(createBadLimitEntry())
    expect(changes.at(-1)).toMatchObject({ kind: 'some', newFindings: [{ rule: 'parameter-out-of-range' }] })
    if (!opened) return
    opened.store.close()
    const reopened = openDiskStore(dataDir)
    onTestFinished(() => reopened.store.close())
    await reopened.store.judge.judgeEarlierRuns(reopened.store.reader)
    expect(reopened.findings.at(-1)).toMatchObject({ findings: [{ rule: 'parameter-out-of-range', exchanges: [3] }] })
  },
)

test('a truncated response, and an id that JSON can write in another way, prove nothing', () => {
  const bytes = Buffer.from('{"noteid":"N-1","path":"a\\/b"}')
  expect(containsText(bytes, 'N-1', false)).toBe(true)
  expect(containsText(bytes, 'N-2', true)).toBe(false)
  expect(containsText(bytes, 'N-2', false)).toBeNull()
  expect(containsText(bytes, 'a/b', true)).toBeNull()
})
