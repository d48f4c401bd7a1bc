import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import sqlite, { DatabaseSync, type StatementSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openTrafficDatabase } from '../../../../electron/services/traffic/disk/traffic-database.ts'
import { TRAFFIC_FILE } from '../../../../electron/services/traffic/traffic-store.ts'
import { PART_BYTES } from '../../../../electron/services/traffic/disk/body-store.ts'
import { createMemoryStore } from '../../../../electron/services/traffic/memory-store.ts'
import type { TrafficStore } from '../../../../electron/services/traffic/traffic-store.ts'
import { MAX_HEAD_ROWS } from '../../../../shared/ipc/traffic.ts'
import type { TrafficFilter } from '../../../../shared/traffic/traffic-filter.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import {
  addAll,
  createBody,
  openDiskStore,
  createEntry,
  indexAll,
  type OpenedStore,
} from '../../../support/services/traffic.ts'

const byTime = { by: 'time', descending: false } as const
const found = ({ store }: OpenedStore, filter: TrafficFilter): number[] => [
  ...store.reader.find(filter, byTime, 0).seqs,
]
const inBodies = (text: string): TrafficFilter => ({ text, inBodies: true })
/** Times and groups that meet often, and attempts without the first one. */
const someRow = fc.record({
  startedAt: fc.integer({ min: 0, max: 40 }),
  group: fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F'),
  attempt: fc.constantFrom(1, 1, 1, 2, 3),
  path: fc.constantFrom('/notes/A', '/notes/B', '/guide'),
  status: fc.constantFrom(200, 404),
})
const someFilter = fc.constantFrom<TrafficFilter>(
  {},
  { text: 'notes' },
  { text: 'b', statuses: ['4'] },
  { text: 'nothing' },
)
const someSort = fc.record({ by: fc.constantFrom('time', 'path', 'status'), descending: fc.boolean() })
const questionsTo = (store: Pick<TrafficStore, 'find' | 'head'>): Pick<TrafficStore, 'find' | 'head'> => ({
  find: (...input) => store.find(...input),
  head: (...input) => store.head(...input),
})
const random = (length: number): Buffer => {
  let state = 1
  return Buffer.from(Uint8Array.from({ length }, () => (state = (state * 48_271) % 2_147_483_647) & 255))
}

describe('the store on disk', () => {
  test('keeps what it was given over a restart; what was under way then is lost', () => {
    const dir = createTempDir()
    const first = openDiskStore(dir)
    const [seq = 0] = addAll(first, [createEntry({ response: createBody('{"title":"高等数学"}') })])
    const before = first.store.reader.exchange({ seq })
    const { row } = createEntry({ row: { state: 'pending', durationMs: null } })
    first.store.addPending(row, null)
    first.store.close()
    const again = openDiskStore(dir)
    expect(again.store.reader.exchange({ seq })).toEqual(before)
    expect(Buffer.from(again.store.reader.body(seq, 'response', 0, 99)?.bytes ?? []).toString()).toBe(
      '{"title":"高等数学"}',
    )
    expect(again.store.reader.exchange({ id: row.id })?.row).toMatchObject({
      state: 'lost',
      durationMs: null,
      seq: seq + 1,
    })
    expect(found(again, { states: ['lost'] })).toEqual([seq + 1])
    again.store.close()
    const third = openDiskStore(dir)
    expect(found(third, {})).toHaveLength(2)
    third.store.close()
  })

  test('reads any range of a body, and keeps equal ones once', () => {
    const opened = openDiskStore(createTempDir())
    const bytes = random(3 * PART_BYTES + 17)
    const [one = 0, two = 0] = addAll(opened, [
      createEntry({ response: createBody(bytes, 'image/png') }),
      createEntry({ response: createBody(bytes, 'image/png') }),
    ])
    for (const [start, end] of [
      [0, 10],
      [PART_BYTES - 3, PART_BYTES + 3],
      [5, 3 * PART_BYTES + 17],
      [3 * PART_BYTES, 9 * PART_BYTES],
      [9 * PART_BYTES, 9 * PART_BYTES + 1],
    ] as const) {
      const kept = opened.store.reader.body(two, 'response', start, end)
      expect(Buffer.compare(Buffer.from(kept?.bytes ?? []), bytes.subarray(start, end))).toBe(0)
    }
    const count = opened.database.prepare('SELECT count(*) AS count FROM bodies').get()?.['count']
    expect(count).toBe(1)
    expect(opened.store.reader.exchange({ seq: two })?.before).toBe(null)
    expect(opened.getFreedBytes()).toBe(2 * bytes.byteLength)
    opened.store.clear()
    expect(opened.database.prepare('SELECT count(*) AS count FROM parts').get()?.['count']).toBe(0)
    expect(one).not.toBe(two)
    opened.store.close()
  })

  test.each([false, true])('finds texts in bodies and headers, whatever their letter case (indexed: %s)', (indexed) => {
    const opened = openDiskStore(createTempDir())
    const border = `"${'x'.repeat(PART_BYTES - 4)}高等数学"`
    const seqs = addAll(opened, [
      createEntry({ response: createBody('{"title":"线性代数","Key":"CamelCase"}') }),
      createEntry({ response: createBody('{"title":"\\u7ebf\\u6027\\u4ee3\\u6570","path":"a\\/b"}') }),
      createEntry({ response: createBody(border) }),
      createEntry({ request: createBody('{"noteIds":["N-SOUGHT"]}'), response: createBody('{}') }),
      createEntry({ responseHeaders: [['X-Trace', 'TRACE-77']] }),
      createEntry({ row: { path: '/search?q=%E7%BA%BF%E6%80%A7' } }),
    ])
    if (indexed) indexAll(opened)
    const [plain, escaped, far, asked, traced, inPath] = seqs
    expect(found(opened, inBodies('线性代数'))).toEqual([plain, escaped])
    expect(found(opened, inBodies('代数'))).toEqual([plain, escaped])
    expect(found(opened, inBodies('camelcase'))).toEqual([plain])
    expect(found(opened, inBodies('a/b'))).toEqual([escaped])
    expect(found(opened, inBodies('高等数学'))).toEqual([far])
    expect(found(opened, inBodies('trace-77'))).toEqual([traced])
    expect(found(opened, { id: 'N-SOUGHT' })).toEqual([asked])
    expect(found(opened, { text: '线性' })).toEqual([inPath])
    expect(found(opened, inBodies('nothing has this'))).toEqual([])
    expect(opened.store.reader.find(inBodies('"'), byTime, 0).incomplete).toBe(false)
    opened.store.close()
  })

  test('stays within its size: the oldest go, pinned ones stay', () => {
    const opened = openDiskStore(createTempDir())
    const big = (n: number) =>
      createEntry({ response: createBody(Buffer.concat([random(100_000), Buffer.from([n])]), 'image/png') })
    const seqs = addAll(
      opened,
      Array.from({ length: 60 }, (_, n) => big(n)),
    )
    const pinned = seqs[0] ?? 0
    opened.store.pin([pinned], true)
    opened.store.setBounds({ keepDays: 36_500, maxBytes: 1_000_000 })
    addAll(
      opened,
      Array.from({ length: 250 }, () => createEntry()),
    )
    while (opened.store.trim());
    const left = found(opened, {})
    expect(left).toContain(pinned)
    expect(left.length).toBeLessThan(seqs.length + 250)
    expect(left.slice(1)).toEqual([...left.slice(1)].sort((a, b) => a - b))
    expect(opened.store.info().exchanges).toBe(left.length)
    opened.store.setBounds({ keepDays: 1, maxBytes: Infinity })
    while (opened.store.trim(86_400_000 * 2));
    expect(found(opened, {})).toEqual([pinned])
    expect(opened.store.clear()).toBe(0)
    expect(found(opened, {})).toEqual([pinned])
    expect(opened.changes.at(-1)).toMatchObject({ exchanges: 1, reread: true })
    opened.store.close()
  })

  test('on a full disk drops bodies, counts them, and keeps every entry', () => {
    const opened = openDiskStore(createTempDir())
    const { page_count: pages } = opened.database.prepare('PRAGMA page_count').get() ?? {}
    opened.database.exec(`PRAGMA max_page_count = ${Number(pages) + 40}`)
    const entries = Array.from({ length: 20 }, (_, n) =>
      createEntry({ response: createBody(Buffer.concat([random(60_000), Buffer.from([n])]), 'image/png') }),
    )
    addAll(opened, entries)
    const { droppedBodies, exchanges } = opened.store.info()
    expect(exchanges).toBe(20)
    expect(droppedBodies).toBeGreaterThan(10)
    expect(opened.countUnwritten()).toBeGreaterThan(0)
    const last = opened.store.reader.exchange({ id: entries.at(-1)?.row.id })
    expect(last?.response).toMatchObject({ kept: 0, missing: 'full' })
    // Not even entries fit any more: they wait, and are written once there is room.
    opened.database.exec(
      `PRAGMA max_page_count = ${Number(opened.database.prepare('PRAGMA page_count').get()?.['page_count'])}`,
    )
    const many = Array.from({ length: 300 }, () => createEntry())
    addAll(opened, many)
    expect(opened.store.info().exchanges).toBeLessThan(320)
    opened.database.exec('PRAGMA max_page_count = 1000000')
    opened.store.flush()
    expect(opened.store.info().exchanges).toBe(320)
    opened.store.close()
  })

  test('counts what a strip shows, and attempts and the answer before', () => {
    const opened = openDiskStore(createTempDir())
    const same = { path: '/same', startedAt: 5_000 }
    const [one, two, three] = addAll(opened, [
      createEntry({ row: same }),
      createEntry({ row: { ...same, startedAt: 6_000, status: 503, group: 'G' } }),
      createEntry({ row: { ...same, startedAt: 6_500, group: 'G', attempt: 2 } }),
      createEntry({ row: { startedAt: 6_600, origin: { kind: 'heartbeat', label: null } } }),
    ])
    const { reader: reading } = opened.store
    expect(reading.countOverTime({ filter: {}, from: 5_000, to: 7_000, buckets: 2 })).toEqual({
      all: [1, 2],
      failed: [0, 1],
    })
    expect(reading.exchange({ seq: three })).toMatchObject({ attempts: [two, three], before: two })
    expect(reading.exchange({ seq: one })?.before).toBe(null)
    expect(found(opened, { statuses: ['5'] })).toEqual([two])
    expect(found(opened, { from: 6_001 })).toEqual([three])
    opened.store.close()
  })

  test.each(['disk', 'memory'] as const)(
    'attempts at a request stand together in the order of time (%s)',
    async (kind) => {
      const opened = kind === 'disk' ? openDiskStore(createTempDir()) : null
      const memory = createMemoryStore({ reason: 'TRAFFIC_STOPPED', onChange: () => undefined })
      const find = async (descending: boolean, after = 0) => {
        const { seqs, scattered } = await (opened?.store.reader ?? memory).find({}, { by: 'time', descending }, after)
        return { seqs: [...seqs], scattered }
      }
      const rows = [
        { startedAt: 10, group: 'A' },
        { startedAt: 20, group: 'B' },
        { startedAt: 30, group: 'A', attempt: 2 },
        { startedAt: 40, group: 'C' },
        { startedAt: 50, group: 'A', attempt: 3 },
        { startedAt: 60, group: 'D' },
        // The first one was removed, or was never recorded.
        { startedAt: 70, group: 'E', attempt: 2 },
        { startedAt: 80, group: 'E', attempt: 3 },
      ]
      for (const row of rows) {
        if (opened) addAll(opened, [createEntry({ row })])
        else memory.add(createEntry({ row }))
      }
      expect((await find(false)).seqs).toEqual([1, 3, 5, 2, 4, 6, 7, 8])
      expect(await find(true)).toEqual({ seqs: [7, 8, 6, 4, 2, 1, 3, 5], scattered: false })
      const { reader: reading } = opened?.store ?? { reader: memory }
      const head = await reading.head({}, { by: 'time', descending: true })
      expect(head).toMatchObject({ newest: 8, isWhole: true })
      expect(head.rows.map(({ seq }) => seq)).toEqual([7, 8, 6, 4, 2, 1, 3, 5])
      // What continues a list, and what does not.
      expect(await find(true, 5)).toEqual({ seqs: [7, 8, 6], scattered: false })
      expect(await find(true, 4)).toMatchObject({ scattered: true })
      expect(await find(true, 7)).toMatchObject({ scattered: true })
      opened?.store.close()
    },
  )

  test('this run is a number: it stays whole, in order and unforgotten when the clock is set back', () => {
    const dir = createTempDir()
    const day = 86_400_000
    const steady = (beganAt: number, startedAt: number) => ({
      ...createEntry({ row: { startedAt } }),
      beganAt,
      endedAt: beganAt + 5,
    })
    const first = openDiskStore(dir, 10 * day)
    addAll(first, [steady(10 * day, 10 * day)])
    first.store.close()
    // The clock was two days ahead then, and goes back by another two while this run goes on.
    const opened = openDiskStore(dir, 8 * day)
    const seqs = addAll(opened, [
      steady(8 * day + 1, 8 * day + 1),
      steady(8 * day + 2, 6 * day),
      steady(8 * day + 3, 6 * day + 1),
    ])
    expect(found(opened, { thisRun: true })).toEqual(seqs)
    expect(found(opened, {})).toEqual([1, ...seqs])
    opened.store.setBounds({ keepDays: 1, maxBytes: Infinity })
    while (opened.store.trim());
    expect(found(opened, {})).toEqual([1, ...seqs])
    opened.store.close()
  })

  test.each(['disk', 'memory'] as const)(
    'a list begins as it goes on, whatever the filter and the order (%s)',
    async (kind) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(someRow, { minLength: 1, maxLength: 150 }),
          someFilter,
          someSort,
          async (rows, filter, sort) => {
            const opened = kind === 'disk' ? openDiskStore(createTempDir()) : null
            const memory = createMemoryStore({ reason: 'TRAFFIC_STOPPED', onChange: () => undefined })
            const entries = rows.map((row) => createEntry({ row }))
            if (opened) addAll(opened, entries)
            else for (const entry of entries) memory.add(entry)
            const { find, head } = questionsTo(opened?.store.reader ?? memory)
            const seqs = [...(await find(filter, sort, 0)).seqs]
            const begin = await head(filter, sort)
            expect(begin.rows.map(({ seq }) => seq)).toEqual(seqs.slice(0, MAX_HEAD_ROWS))
            expect(begin).toMatchObject({ isWhole: seqs.length <= MAX_HEAD_ROWS, newest: rows.length })
            opened?.store.close()
          },
        ),
        { numRuns: 12 },
      )
    },
  )
})

describe('opening the store', () => {
  test('a broken file is set aside, with a notice; a new one begins', () => {
    const dir = createTempDir()
    const opened = openDiskStore(dir)
    addAll(
      opened,
      Array.from({ length: 200 }, () => createEntry()),
    )
    opened.store.close()
    const file = path.join(dir, TRAFFIC_FILE)
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(7, 100, bytes.length / 2))
    const again = openTrafficDatabase(dir)
    expect(again.notices.map(({ code }) => code)).toEqual(['TRAFFIC_BROKEN'])
    expect(again.database?.prepare('SELECT count(*) AS count FROM exchanges').get()?.['count']).toBe(0)
    expect(readdirSync(dir).some((name) => name.includes('.broken-'))).toBe(true)
    again.database?.close()
  })

  test('one of a newer version is left as it is', () => {
    const dir = createTempDir()
    const opened = openDiskStore(dir)
    opened.database.exec('PRAGMA user_version = 99')
    opened.store.close()
    const bytes = readFileSync(path.join(dir, TRAFFIC_FILE))
    const again = openTrafficDatabase(dir)
    expect([again.database, again.notices[0]?.code]).toEqual([null, 'TRAFFIC_NEWER'])
    expect(readFileSync(path.join(dir, TRAFFIC_FILE)).equals(bytes)).toBe(true)
  })

  test('one that this runtime could not search is left as it is: it is not damaged', () => {
    const dir = createTempDir()
    openDiskStore(dir).store.close()
    const bytes = readFileSync(path.join(dir, TRAFFIC_FILE))
    class WithoutFullText extends DatabaseSync {
      override prepare(sql: string): StatementSync {
        return super.prepare(sql.replace('pragma_module_list', '(SELECT 1 AS name)'))
      }
      override exec(sql: string): void {
        if (sql.includes('fts5')) throw Object.assign(new Error('no such module: fts5'), { errcode: 1 })
        super.exec(sql)
      }
    }
    const again = openTrafficDatabase(dir, { ...sqlite, DatabaseSync: WithoutFullText })
    expect([again.database, again.setAside, again.notices[0]?.code]).toEqual([null, null, 'TRAFFIC_NO_DATABASE'])
    expect(readFileSync(path.join(dir, TRAFFIC_FILE)).equals(bytes)).toBe(true)
  })

  test('a runtime without a database keeps the last exchanges in memory, and says so', async () => {
    const opened = openTrafficDatabase(createTempDir(), null)
    expect(opened.notices.map(({ code }) => code)).toEqual(['TRAFFIC_NO_DATABASE'])
    const changes: number[] = []
    const store = createMemoryStore({
      reason: opened.reason ?? 'TRAFFIC_STOPPED',
      maxExchanges: 3,
      onChange: ({ exchanges }) => changes.push(exchanges),
    })
    store.add(createEntry())
    await store.pin([1], true)
    for (let n = 0; n < 4; n += 1) store.add(createEntry())
    expect([...(await store.find({}, byTime, 0)).seqs]).toEqual([1, 4, 5])
    expect(await store.info()).toMatchObject({ kind: 'memory', exchanges: 3, reason: 'TRAFFIC_NO_DATABASE' })
    expect([await store.seqOf('nobody'), await store.seqOf((await store.rows([4]))[0]?.id ?? '')]).toEqual([null, 4])
    expect(await store.clear()).toBe(2)
  })
})
