import { expect, test } from 'vitest'
import { createRunComparisons } from '../../../../electron/services/recordings/run-comparisons.ts'
import type { RawEntry } from '../../../../electron/services/traffic/entry.ts'
import { createMemoryStore } from '../../../../electron/services/traffic/memory-store.ts'
import type { RunSource } from '../../../../shared/ipc/recordings.ts'
import type { Finding } from '../../../../shared/protocol/finding.ts'
import { DEFAULT_REDACTION } from '../../../../shared/recordings/recording.ts'
import { createBody, createEntry } from '../../../support/services/traffic.ts'
import { startWritableApp } from '../../../support/program/writable-app.ts'

const never = new AbortController().signal
const createOrigin = (load: number) => ({ kind: 'panel' as const, label: 'My panel', caller: 'opening-1', load })
const createLoadSource = (load: number): RunSource => ({
  from: 'traffic',
  filter: { caller: 'opening-1', load },
})

function createRead(load: number, path: string, response: unknown, row: Partial<RawEntry['row']> = {}): RawEntry {
  const identity = { path, template: path, endpoint: null, origin: createOrigin(load) }
  return createEntry({ row: { ...identity, ...row }, response: createBody(JSON.stringify(response)) })
}

function createService(entries: readonly RawEntry[], findings: readonly Finding[] = []) {
  const store = createMemoryStore({ reason: 'TRAFFIC_VISIT', onChange: () => undefined })
  for (const entry of entries) store.add(entry)
  return createRunComparisons({
    store,
    findings: { listAll: () => [...findings] },
    records: {
      find: () => null,
      all: new Map<string, never>().values(),
      getDetail: () => expect.fail('There is no operation.'),
    },
    snapshots: { list: () => expect.fail('There is no snapshot.'), read: () => expect.fail('There is no snapshot.') },
    listNotes: () => [],
    listPictures: () => Promise.resolve([]),
    listRules: () => [],
    getFile: () => expect.fail('There is no file.'),
    createProgressReporter: () => () => undefined,
  })
}

test('loads are listed with their findings, the newest first', async () => {
  const finding: Finding = {
    ...{ id: 'f', at: 1, resource: '', exchanges: [1], params: {}, origin: createOrigin(1) },
    rule: 'session-not-confirmed',
  }
  const service = createService(
    [
      createRead(1, '/a', {}, { startedAt: 1, origin: { ...createOrigin(1), label: 'folder' } }),
      createRead(1, '/b', {}, { startedAt: 2 }),
      createRead(2, '/a', {}, { startedAt: 10 }),
      createEntry({ row: { startedAt: 20 } }),
    ],
    [finding],
  )
  const facts = { caller: 'opening-1', label: 'My panel' }
  expect((await service.listLoads(never)).loads).toEqual([
    { ...facts, load: 2, startedAt: 10, exchanges: 1, findings: 0 },
    { ...facts, load: 1, startedAt: 1, exchanges: 2, findings: 1 },
  ])
})

test('two loads are compared, and their pairs and bodies can be read', async () => {
  const service = createService([
    createRead(1, '/a', { title: 'one' }, { startedAt: 1 }),
    createRead(1, '/b', {}, { startedAt: 20 }),
    createRead(2, '/a', { title: 'two' }, { startedAt: 40 }),
    createRead(2, '/c', {}, { startedAt: 60 }),
  ])
  const sources = { before: createLoadSource(1), after: createLoadSource(2) }
  const summary = await service.compare({ ...sources, jobId: 'j' }, never)
  expect(summary).toMatchObject({
    ...{ pairCount: 3, sameCount: 0, counts: { missing: 1, extra: 1, response: 1 }, areTextsComparable: true },
    ...{ before: { exchanges: 2, startedAt: 1, durationMs: 24 }, after: { exchanges: 2 } },
  })
  const { comparison } = summary
  const { pairs } = service.readPairs({ comparison, start: 0, count: 2 })
  expect(pairs.map(({ beforeRow, afterRow }) => [beforeRow?.path, afterRow?.path])).toEqual([
    ['/a', '/a'],
    ['/b', undefined],
  ])
  const body = await service.readBody({ comparison, side: 'after', pair: 0 }, never)
  expect(Buffer.from(body.bytes).toString()).toBe('{"title":"two"}')
  expect(() => service.readPairs({ comparison: 'other', start: 0, count: 1 })).toThrow(/no longer in memory/)
  await expect(service.compare({ ...sources, after: createLoadSource(3), jobId: 'j' }, never)).rejects.toThrow(/stored/)
})

test('a saved recording is compared with the traffic that it was saved from, also when it is redacted', async () => {
  const { app, set } = await startWritableApp()
  const read = () =>
    app.call('bridge.read', { endpoint: 'studySets.tree', params: { topicid: set.topicid }, query: {} })
  await read()
  const filter = { origins: ['place' as const] }
  const selection = { kind: 'filter' as const, filter }
  const { entry } = await app.call('recordings.save', {
    ...{ selection, redaction: DEFAULT_REDACTION, jobId: 'j', name: 'Run', steps: '' },
  })
  await read()
  const summary = await app.call('recordings.compare', {
    before: { from: 'list', id: entry?.id ?? '' },
    after: { from: 'traffic', filter },
    jobId: 'k',
  })
  const { counts, areTextsComparable } = summary
  expect({ ...counts, areTextsComparable }).toMatchObject({ missing: 0, response: 0, areTextsComparable: false })
  expect(counts.extra).toBeGreaterThan(0)
  const { comparison } = summary
  const { bytes } = await app.call('recordings.comparedBody', { comparison, side: 'before', pair: 0 })
  expect(bytes.byteLength).toBeGreaterThan(0)
})

test('the path of a load has the cards that its requests name, and says what may be missing', async () => {
  const post = (path: string, body: string, row: Partial<RawEntry['row']>): RawEntry => ({
    ...createRead(1, path, {}, { method: 'POST', ...row }),
    request: createBody(body),
  })
  const service = createService([
    createRead(1, '/notes/A/content/1?mode=raw', {}, { startedAt: 1 }),
    createRead(1, '/study-sets', {}, { startedAt: 2 }),
    post('/notes/batch-get', JSON.stringify({ noteIds: ['B', 'A', 'C'] }), { startedAt: 3 }),
    post('/notes/C/title', JSON.stringify({ text: 'New' }), { startedAt: 4 }),
    post('/notes/batch-get', '{"noteIds": [', { startedAt: 5 }),
    createRead(2, '/notes/Z', {}, { startedAt: 6 }),
  ])
  const path = await service.readCardPath(createLoadSource(1), never)
  expect(path).toMatchObject({ noteids: ['A', 'B', 'C'], searched: 5, unread: 1, isCut: false })
  expect(path.calls.map(({ startedAt, template, isWrite, cards }) => [startedAt, template, isWrite, cards])).toEqual([
    [1, '/notes/{noteid}/content/{contentId}', false, [0]],
    [3, '/notes/batch-get', false, [1, 0, 2]],
    [4, '/notes/{noteid}/title', true, [2]],
  ])
  await expect(service.readCardPath(createLoadSource(9), never)).rejects.toMatchObject({ code: 'SELECTION_EMPTY' })
})
