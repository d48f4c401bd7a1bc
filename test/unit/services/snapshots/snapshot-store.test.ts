import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ReadListing } from '../../../../electron/services/snapshots/listing-collector.ts'
import { openSnapshotDatabase, SNAPSHOTS_FILE } from '../../../../electron/services/snapshots/snapshot-database.ts'
import { SnapshotStore } from '../../../../electron/services/snapshots/snapshot-store.ts'
import {
  createMemoryTable,
  createSqliteTable,
  type SnapshotTable,
} from '../../../../electron/services/snapshots/snapshot-table.ts'
import type { HostWrite } from '../../../../shared/snapshots/cause.ts'
import { getForestHash } from '../../../../shared/snapshots/forest.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { buildListedForest, listCard } from '../../shared/snapshots/forests.ts'

const DAY_MS = 86_400_000
const bounds = { keepDays: 30, maxBytes: Infinity }

const createListing = (nodes: readonly unknown[], time: number, facts: Partial<ReadListing> = {}): ReadListing => ({
  topicid: 'topic',
  host: 'http://127.0.0.1:1/bridge/v1',
  origin: { kind: 'place', label: null },
  startedAt: time,
  endedAt: time + 10,
  pages: 1,
  detailed: 0,
  excerpts: null,
  palette: null,
  instance: null,
  hostCount: nodes.length,
  gaps: [],
  isInTreeOrder: true,
  members: ['title'],
  hash: getForestHash(buildListedForest(nodes)),
  forest: buildListedForest(nodes),
  ...facts,
})

const createNodes = (count: number, edit: (index: number) => string = () => '') =>
  Array.from({ length: count }, (_, index) =>
    listCard(`n${index}`, index === 0 ? null : `n${(index - 1) >> 2}`, { title: `title ${index}${edit(index)}` }),
  )

function createDiskTable(): SnapshotTable {
  const { database } = openSnapshotDatabase(createTempDir())
  if (!database) throw new Error('no database')
  onTestFinished(() => database.close())
  return createSqliteTable(database)
}

describe.each([
  ['on disk', createDiskTable],
  ['in memory', createMemoryTable],
])('a store %s', (_name, createTable) => {
  test('gives back every snapshot as it was read, through chains of deltas', () => {
    const store = new SnapshotStore(createTable())
    const listings = Array.from({ length: 30 }, (_, step) =>
      createNodes(200 + step, (index) => (index % 30 === step ? ' edited' : '')),
    )
    for (const [step, nodes] of listings.entries()) store.save(createListing(nodes, step * 100), false)
    store.forgetForests()
    const snapshots = store.list('topic').reverse()
    expect(snapshots.map(({ cards }) => cards)).toEqual(listings.map(({ length }) => length))
    for (const [step, { id }] of snapshots.entries()) {
      store.forgetForests()
      expect(store.readForest(id)).toEqual(buildListedForest(listings[step] ?? []))
    }
  })

  test('stores a listing with equal cards once, unless it comes from another host or covers less', () => {
    const store = new SnapshotStore(createTable())
    const nodes = createNodes(10)
    const first = store.save(createListing(nodes, 100), false)
    expect(store.save(createListing(nodes, 200), false)).toEqual({ ...first, seenAt: 210 })
    expect(store.save(createListing(nodes, 300, { host: 'http://127.0.0.1:2' }), false).id).not.toBe(first.id)
    store.save(createListing(nodes, 400, { gaps: ['walkLimit'] }), false)
    store.save(createListing(nodes, 500, { topicid: 'another' }), false)
    expect(store.list('topic').map(({ gaps }) => gaps)).toEqual([['walkLimit'], [], []])
  })

  test('removes the oldest beyond the bounds, and what builds on them stays readable', () => {
    const store = new SnapshotStore(createTable())
    for (let step = 0; step < 5; step += 1) {
      store.save(
        createListing(
          createNodes(100, (index) => (index === step ? ' x' : '')),
          step * DAY_MS,
        ),
        false,
      )
    }
    const [newest] = store.list('topic')
    const trimAll = (limits: typeof bounds, now: number): void => {
      while (store.trim(limits, now) !== null);
    }
    trimAll({ ...bounds, keepDays: 2 }, 5 * DAY_MS)
    expect(store.list('topic').map(({ startedAt }) => startedAt / DAY_MS)).toEqual([4, 3])
    store.forgetForests()
    expect(store.readForest(newest?.id ?? 0)).toEqual(
      buildListedForest(createNodes(100, (index) => (index === 4 ? ' x' : ''))),
    )
    trimAll({ ...bounds, maxBytes: 1 }, 5 * DAY_MS)
    expect(store.list('topic')).toEqual([])
  })

  test('knows the calls between two snapshots, and that cards were changed while several pages were read', () => {
    const store = new SnapshotStore(createTable())
    const addWrite = (endedAt: number, facts: Partial<HostWrite> = {}): void =>
      store.addWrite({
        ...{ exchangeId: `e${endedAt}`, startedAt: endedAt - 5, endedAt, method: 'POST', path: '/x', endpoint: '' },
        ...{ origin: { kind: 'console', label: null }, cards: [], sets: [], requestedValues: {}, isCertain: true },
        ...{ host: null, ...facts },
      })
    const first = store.save(createListing(createNodes(3), 100), false)
    addWrite(90)
    addWrite(300)
    addWrite(330, { sets: ['another'], host: first.host })
    addWrite(340, { host: 'http://127.0.0.1:2/bridge/v1' })
    const second = store.save(createListing(createNodes(4), 400, { pages: 2 }), false)
    const paths = store.listWritesBetween(first, second).map(({ exchangeId }) => exchangeId)
    expect(paths).toEqual(['e300', 'e330'])
    expect(store.listWritesBetween(second, first)).toHaveLength(2)
    addWrite(405, { sets: ['another'] })
    expect(store.find('topic', 'now').gaps).toEqual([])
    addWrite(406, { sets: ['TOPIC'] })
    expect(store.find('topic', 'now').gaps).toEqual(['changed'])
  })

  test('a call while the same cards were read again is one of those after it', () => {
    const store = new SnapshotStore(createTable())
    const first = store.save(createListing(createNodes(3), 100), false)
    const seenAgain = store.save(createListing(createNodes(3), 1_000, { endedAt: 9_000 }), false)
    expect(seenAgain).toEqual({ ...first, seenAt: 1_010 })
    store.addWrite({
      ...{ exchangeId: 'e', startedAt: 5_000, endedAt: 5_100, method: 'POST', path: '/x', endpoint: '', host: null },
      ...{ origin: { kind: 'console', label: null }, cards: [], sets: [], isCertain: true, requestedValues: {} },
    })
    const second = store.save(createListing(createNodes(4), 10_000), false)
    expect(store.listWritesBetween(seenAgain, second)).toHaveLength(1)
  })

  test('removes what was not seen for the longest time, also if another one was stored before it', () => {
    const store = new SnapshotStore(createTable())
    store.save(createListing(createNodes(3), 0), false)
    store.save(createListing(createNodes(3), DAY_MS, { topicid: 'another' }), false)
    store.save(createListing(createNodes(3), 100 * DAY_MS), false)
    expect(store.trim(bounds, 101 * DAY_MS)).toBe('another')
    expect(store.trim(bounds, 101 * DAY_MS)).toBeNull()
    expect(store.trim({ ...bounds, maxBytes: 1 }, 101 * DAY_MS)).toBe('topic')
  })

  test('keeps the calls since the earliest snapshot after the clock was set back', () => {
    const store = new SnapshotStore(createTable())
    store.save(createListing(createNodes(3), 50_000), false)
    const before = store.save(createListing(createNodes(4), 1_000), false)
    store.addWrite({
      ...{ exchangeId: 'e', startedAt: 1_500, endedAt: 1_600, method: 'POST', path: '/x', endpoint: '', host: null },
      ...{ origin: { kind: 'console', label: null }, cards: [], sets: [], isCertain: true, requestedValues: {} },
    })
    const after = store.save(createListing(createNodes(5), 2_000), false)
    expect(store.trim(bounds, 3_000)).toBeNull()
    expect(store.listWritesBetween(before, after)).toHaveLength(1)
  })

  test('says so if a snapshot is unknown', () => {
    const store = new SnapshotStore(createTable())
    expect(() => store.find('topic', 'now')).toThrow(expect.objectContaining({ code: 'SNAPSHOT_UNKNOWN' }))
    const { id } = store.save(createListing(createNodes(3), 1), false)
    expect(() => store.find('another', id)).toThrow(expect.objectContaining({ code: 'SNAPSHOT_UNKNOWN' }))
    expect(store.clear('topic')).toBe(1)
    expect(store.clear(undefined)).toBe(0)
  })
})

test('after 100 edits of many cards a snapshot takes little more than the edits', () => {
  const store = new SnapshotStore(createDiskTable())
  store.save(createListing(createNodes(20_000), 1), false)
  const edited = createNodes(20_000, (index) => (index % 200 === 7 ? ' edited by somebody' : ''))
  const { bytes } = store.save(createListing(edited, 100), false)
  expect(bytes).toBeLessThan(10_000)
})

test('the calls in a file of the first version are found by their time', () => {
  const dataDir = createTempDir()
  const call = {
    ...{ exchangeId: 'e', startedAt: 200, endedAt: 300, method: 'POST', path: '/x', endpoint: '', host: null },
    ...{ origin: { kind: 'console', label: null }, cards: [], sets: [], isCertain: true, requestedValues: {} },
  }
  const { database } = openSnapshotDatabase(dataDir)
  database?.exec(`DROP INDEX writes_by_time; ALTER TABLE writes DROP COLUMN started_at;
    CREATE INDEX writes_by_time ON writes(ended_at); PRAGMA user_version = 1`)
  database?.prepare('INSERT INTO writes (ended_at, entry) VALUES (?, ?)').run(call.endedAt, JSON.stringify(call))
  database?.close()
  const opened = openSnapshotDatabase(dataDir)
  if (!opened.database) throw new Error('no database')
  onTestFinished(() => opened.database?.close())
  expect(opened.notices).toEqual([])
  const table = createSqliteTable(opened.database)
  expect([table.listWrites(250, 260), table.countWrites(250, 260)]).toEqual([[call], 1])
  expect([table.listWrites(100, 150), table.countWrites(400, 500)]).toEqual([[], 0])
})

test('a damaged file is set aside, and one of a newer version stays as it is', () => {
  const dir = createTempDir()
  const file = path.join(dir, SNAPSHOTS_FILE)
  writeFileSync(file, 'no database, but long enough to be taken for one'.repeat(100))
  const opened = openSnapshotDatabase(dir)
  expect(opened.notices.map(({ code }) => code)).toEqual(['SNAPSHOTS_BROKEN'])
  opened.database?.exec('PRAGMA user_version = 99')
  opened.database?.close()
  expect(openSnapshotDatabase(dir)).toMatchObject({ database: null, notices: [{ code: 'SNAPSHOTS_NEWER' }] })
  expect(openSnapshotDatabase(dir, null)).toEqual({ database: null, notices: [] })
})
