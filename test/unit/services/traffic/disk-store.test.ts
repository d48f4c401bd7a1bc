import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openRecording } from '../../../../electron/recording-file/recording-file.ts'
import { writeRecording } from '../../../../electron/recording-file/recording-writer.ts'
import type { RawBody } from '../../../../electron/services/traffic/entry.ts'
import { openTrafficDatabase } from '../../../../electron/services/traffic/disk/traffic-database.ts'
import { TRAFFIC_FILE } from '../../../../electron/services/traffic/traffic-store.ts'
import { BODY_PART_BYTES } from '../../../../electron/services/traffic/disk/body-store.ts'
import { createMemoryStore } from '../../../../electron/services/traffic/memory-store.ts'
import type { TrafficStore } from '../../../../electron/services/traffic/traffic-store.ts'
import { MAX_HEAD_ROWS } from '../../../../shared/ipc/traffic.ts'
import type { TrafficFilter } from '../../../../shared/traffic/traffic-filter.ts'
import { createRecordingSource } from '../../../support/data/recordings.ts'
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
const findSeqs = ({ store }: OpenedStore, filter: TrafficFilter): number[] => [
  ...store.reader.find(filter, byTime, 0).seqs,
]
const createBodyFilter = (text: string): TrafficFilter => ({ text, inBodies: true })
/** Rows whose times and groups often coincide, and attempts without the first one. */
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
  { statuses: ['404', '5'] },
  { seqs: [1, 3, 5], excluded: [{ text: 'notes' }] },
  { excluded: [{ code: 'NOTE_NOT_FOUND' }, { statuses: ['4'] }] },
)
const someSort = fc.record({ by: fc.constantFrom('time', 'path', 'status'), descending: fc.boolean() })
const getQueries = (store: Pick<TrafficStore, 'find' | 'head'>): Pick<TrafficStore, 'find' | 'head'> => ({
  find: (...input) => store.find(...input),
  head: (...input) => store.head(...input),
})
const createRandomBytes = (length: number): Buffer => {
  let state = 1
  return Buffer.from(Uint8Array.from({ length }, () => (state = (state * 48_271) % 2_147_483_647) & 255))
}

describe('texts in other charsets', () => {
  const GB18030 = 'text/plain; charset=gb18030'
  const CHINESE = [0xd6, 0xd0, 0xce, 0xc4]

  test('are found in both stores, and what was stored stays as it was', () => {
    const bodies = [
      createBody(Uint8Array.from(CHINESE), GB18030),
      createBody(Buffer.from('中文 ä', 'utf16le'), 'text/plain; charset=utf-16le'),
      createBody(Uint8Array.of(0x63, 0x61, 0x66, 0xe9), 'text/plain; charset=iso-8859-1'),
      createBody(Uint8Array.of(0x63, 0x61, 0x66, 0xe9), 'text/plain; charset=no-such-label'),
    ]
    const opened = openDiskStore(createTempDir())
    const memory = createMemoryStore({ reason: 'TRAFFIC_STOPPED', onChange: () => undefined })
    addAll(
      opened,
      bodies.map((response) => createEntry({ response })),
    )
    for (const response of bodies) memory.add(createEntry({ response }))
    const check = (): void => {
      for (const store of [opened.store.reader, memory]) {
        expect([...(store.find(createBodyFilter('文'), byTime, 0) as { seqs: Uint32Array }).seqs]).toEqual([1, 2])
        expect([...(store.find(createBodyFilter('Ä'), byTime, 0) as { seqs: Uint32Array }).seqs]).toEqual([2])
      }
      expect(findSeqs(opened, createBodyFilter('cafe\u0301'))).toContain(3)
    }
    check()
    indexAll(opened)
    check()
    expect([...(opened.store.reader.body(1, 'response', 0, 100)?.bytes ?? [])]).toEqual(CHINESE)
    opened.store.close()
  })

  test('are found after the first part, where a character of two bytes may begin anywhere', () => {
    const line = Buffer.concat([Buffer.from(Uint8Array.from(CHINESE)), Buffer.from('\n')])
    const filler = Buffer.alloc(line.length * Math.ceil((BODY_PART_BYTES + 100_000) / line.length), line)
    // One byte moves every boundary of characters against that of the parts.
    for (const shift of ['', 'x']) {
      const opened = openDiskStore(createTempDir())
      const bytes = Buffer.concat([Buffer.from(shift), filler, Buffer.from(Uint8Array.from([0xba, 0xa3]))])
      addAll(opened, [createEntry({ response: createBody(bytes, GB18030) })])
      while (opened.store.saveBody());
      indexAll(opened)
      expect(findSeqs(opened, createBodyFilter('海'))).toEqual([1])
      opened.store.close()
    }
  })

  test('and texts that an earlier version indexed in lower case only are indexed again', () => {
    const dir = createTempDir()
    const opened = openDiskStore(dir)
    const decomposed = 'cafe\u0301'
    addAll(opened, [
      createEntry({ response: createBody(`{"title":"${decomposed}"}`) }),
      createEntry({ row: { path: `/search?q=${encodeURIComponent(decomposed)}` } }),
      createEntry({ responseHeaders: [['X-Title', 'CAFÉ']] }),
    ])
    indexAll(opened)
    // A store as the earlier version left it.
    const { database } = opened
    const [chunk] = database
      .prepare('SELECT id FROM chunks WHERE body = (SELECT response_body FROM details WHERE seq = 1)')
      .all()
    database.prepare('DELETE FROM texts WHERE rowid = ?').run(chunk?.['id'] ?? null)
    database
      .prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)')
      .run(chunk?.['id'] ?? null, `{"title":"${decomposed}"}  `)
    database.prepare('UPDATE exchanges SET search = ? WHERE seq = 2').run(`get /search?q=${decomposed} `)
    database.exec('PRAGMA user_version = 7')
    expect(findSeqs(opened, createBodyFilter('café'))).toEqual([3])
    opened.store.close()
    const reopened = openDiskStore(dir)
    expect(findSeqs(reopened, createBodyFilter('café'))).toEqual([1, 2, 3])
    indexAll(reopened)
    expect(findSeqs(reopened, createBodyFilter('café'))).toEqual([1, 2, 3])
    reopened.store.close()
  })
})

describe('bodies of a recording', () => {
  async function createPlaces(bodies: readonly string[]) {
    const file = path.join(createTempDir(), 'a.birec')
    await writeRecording(file, createRecordingSource(bodies))
    const recording = await openRecording(file)
    onTestFinished(() => recording.close())
    const placed = bodies.map((content, index): RawBody => {
      const entry = recording.findBody(String(index + 1).padStart(6, '0'))
      return { ...createBody(content), bytes: null, place: { fd: recording.zip.fd, entry } }
    })
    return { file, placed }
  }
  const LONG = JSON.stringify({ titles: Array.from({ length: 150_000 }, (_, index) => `title ${index}`) })

  test('stay there, and are read, searched and described like others', async () => {
    const { placed } = await createPlaces(['{"title":"placed"}', LONG])
    const dir = createTempDir()
    const opened = openDiskStore(dir)
    const seqs = addAll(
      opened,
      placed.map((response) => createEntry({ response })),
    )
    indexAll(opened)
    const { reader } = opened.store
    const [short = 0, long = 0] = seqs
    expect(Buffer.from(reader.body(short, 'response', 0, 100)?.bytes ?? []).toString()).toBe('{"title":"placed"}')
    const range = reader.body(long, 'response', BODY_PART_BYTES - 5, BODY_PART_BYTES + 5)
    expect(Buffer.from(range?.bytes ?? []).toString()).toBe(LONG.slice(BODY_PART_BYTES - 5, BODY_PART_BYTES + 5))
    expect(reader.exchange({ seq: long })?.response).toEqual({
      ...{ total: LONG.length, kept: LONG.length, missing: null, mediaType: 'application/json' },
      hash: createHash('sha256').update(LONG).digest('hex'),
    })
    expect(findSeqs(opened, createBodyFilter('title 149999'))).toEqual([long])
    opened.store.close()
    expect(readFileSync(path.join(dir, TRAFFIC_FILE)).includes('title":"placed')).toBe(false)
  })

  test('are stored without the tokens that they hold', async () => {
    const { placed } = await createPlaces(['{"title":"a secret token"}'])
    const opened = openDiskStore(createTempDir())
    opened.store.masker.addTokens(['secret token'])
    const [seq = 0] = addAll(opened, [createEntry({ response: placed[0] ?? createBody('') })])
    const { bytes } = opened.store.reader.body(seq, 'response', 0, 100) ?? {}
    expect(Buffer.from(bytes ?? []).toString()).toBe('{"title":"a ************"}')
  })

  test('are missing where the file is damaged', async () => {
    const { file, placed } = await createPlaces(['{"title":"placed"}'])
    const bytes = readFileSync(file)
    const place = placed[0]?.place?.entry
    bytes.fill(0xff, (place?.headerOffset ?? 0) + 30 + (place?.name.length ?? 0), (place?.headerOffset ?? 0) + 50)
    writeFileSync(file, bytes)
    const opened = openDiskStore(createTempDir())
    const [seq = 0] = addAll(opened, [createEntry({ response: placed[0] ?? createBody('') })])
    expect(opened.store.reader.exchange({ seq })?.response).toMatchObject({ kept: 0, missing: 'damaged' })
    expect(opened.damaged).toMatchObject([{ code: 'RECORDING_ENTRY_DAMAGED' }])
  })
})

describe('store on disk', () => {
  test('keeps its exchanges over a restart, and marks a pending one as lost', () => {
    const dir = createTempDir()
    const first = openDiskStore(dir)
    const [seq = 0] = addAll(first, [createEntry({ response: createBody('{"title":"高等数学"}') })])
    const before = first.store.reader.exchange({ seq })
    const { row } = createEntry({ row: { state: 'pending', durationMs: null } })
    first.store.addPending(row, null)
    first.store.close()
    const reopened = openDiskStore(dir)
    expect(reopened.store.reader.exchange({ seq })).toEqual(before)
    expect(Buffer.from(reopened.store.reader.body(seq, 'response', 0, 99)?.bytes ?? []).toString()).toBe(
      '{"title":"高等数学"}',
    )
    expect(reopened.store.reader.exchange({ id: row.id })?.row).toMatchObject({
      state: 'lost',
      durationMs: null,
      seq: seq + 1,
    })
    expect(findSeqs(reopened, { states: ['lost'] })).toEqual([seq + 1])
    reopened.store.close()
    const third = openDiskStore(dir)
    expect(findSeqs(third, {})).toHaveLength(2)
    third.store.close()
  })

  test('reads any range of a body, and stores equal bodies once', () => {
    const opened = openDiskStore(createTempDir())
    const bytes = createRandomBytes(3 * BODY_PART_BYTES + 17)
    const [first = 0, second = 0] = addAll(opened, [
      createEntry({ response: createBody(bytes, 'image/png') }),
      createEntry({ response: createBody(bytes, 'image/png') }),
    ])
    for (const [start, end] of [
      [0, 10],
      [BODY_PART_BYTES - 3, BODY_PART_BYTES + 3],
      [5, 3 * BODY_PART_BYTES + 17],
      [3 * BODY_PART_BYTES, 9 * BODY_PART_BYTES],
      [9 * BODY_PART_BYTES, 9 * BODY_PART_BYTES + 1],
    ] as const) {
      const body = opened.store.reader.body(second, 'response', start, end)
      expect(Buffer.compare(Buffer.from(body?.bytes ?? []), bytes.subarray(start, end))).toBe(0)
    }
    const count = opened.database.prepare('SELECT count(*) AS count FROM bodies').get()?.['count']
    expect(count).toBe(1)
    expect(opened.store.reader.exchange({ seq: second })?.before).toBe(null)
    expect(opened.getFreedBytes()).toBe(2 * bytes.byteLength)
    opened.store.clear()
    expect(opened.database.prepare('SELECT count(*) AS count FROM parts').get()?.['count']).toBe(0)
    expect(first).not.toBe(second)
    opened.store.close()
  })

  test.each([false, true])('finds texts in bodies and headers in any letter case (indexed: %s)', (isIndexed) => {
    const opened = openDiskStore(createTempDir())
    const border = `"${'x'.repeat(BODY_PART_BYTES - 4)}高等数学"`
    const seqs = addAll(opened, [
      createEntry({ response: createBody('{"title":"线性代数","Key":"CamelCase"}') }),
      createEntry({ response: createBody('{"title":"\\u7ebf\\u6027\\u4ee3\\u6570","path":"a\\/b"}') }),
      createEntry({ response: createBody(border) }),
      createEntry({ request: createBody('{"noteIds":["N-SOUGHT"]}'), response: createBody('{}') }),
      createEntry({ responseHeaders: [['X-Trace', 'TRACE-77']] }),
      createEntry({ row: { path: '/search?q=%E7%BA%BF%E6%80%A7' } }),
    ])
    if (isIndexed) indexAll(opened)
    const [plain, escaped, longBody, withRequestBody, traced, inPath] = seqs
    expect(findSeqs(opened, createBodyFilter('线性代数'))).toEqual([plain, escaped])
    expect(findSeqs(opened, createBodyFilter('代数'))).toEqual([plain, escaped])
    expect(findSeqs(opened, createBodyFilter('camelcase'))).toEqual([plain])
    expect(findSeqs(opened, createBodyFilter('a/b'))).toEqual([escaped])
    expect(findSeqs(opened, createBodyFilter('高等数学'))).toEqual([longBody])
    expect(findSeqs(opened, createBodyFilter('trace-77'))).toEqual([traced])
    expect(findSeqs(opened, { id: 'N-SOUGHT' })).toEqual([withRequestBody])
    expect(findSeqs(opened, { text: '线性' })).toEqual([inPath])
    expect(findSeqs(opened, createBodyFilter('nothing has this'))).toEqual([])
    expect(opened.store.reader.find(createBodyFilter('"'), byTime, 0).incomplete).toBe(false)
    opened.store.close()
  })

  test('stays within its size by removing the oldest exchanges, and keeps pinned ones', () => {
    const opened = openDiskStore(createTempDir())
    const createBigEntry = (n: number) =>
      createEntry({ response: createBody(Buffer.concat([createRandomBytes(100_000), Buffer.from([n])]), 'image/png') })
    const seqs = addAll(
      opened,
      Array.from({ length: 60 }, (_, n) => createBigEntry(n)),
    )
    const pinned = seqs[0] ?? 0
    opened.store.pin([pinned], true)
    opened.store.setBounds({ keepDays: 36_500, maxBytes: 1_000_000 })
    addAll(
      opened,
      Array.from({ length: 250 }, () => createEntry()),
    )
    while (opened.store.trim());
    const remaining = findSeqs(opened, {})
    expect(remaining).toContain(pinned)
    expect(remaining.length).toBeLessThan(seqs.length + 250)
    expect(remaining.slice(1)).toEqual([...remaining.slice(1)].sort((a, b) => a - b))
    expect(opened.store.info().exchanges).toBe(remaining.length)
    opened.store.setBounds({ keepDays: 1, maxBytes: Infinity })
    while (opened.store.trim(86_400_000 * 2));
    expect(findSeqs(opened, {})).toEqual([pinned])
    expect(opened.store.clear()).toBe(0)
    expect(findSeqs(opened, {})).toEqual([pinned])
    expect(opened.changes.at(-1)).toMatchObject({ exchanges: 1, reread: true })
    opened.store.close()
  })

  test('drops and counts bodies on a full disk, and keeps every entry', () => {
    const opened = openDiskStore(createTempDir())
    const { page_count: pages } = opened.database.prepare('PRAGMA page_count').get() ?? {}
    opened.database.exec(`PRAGMA max_page_count = ${Number(pages) + 40}`)
    const entries = Array.from({ length: 20 }, (_, n) =>
      createEntry({ response: createBody(Buffer.concat([createRandomBytes(60_000), Buffer.from([n])]), 'image/png') }),
    )
    addAll(opened, entries)
    const { droppedBodies, exchanges } = opened.store.info()
    expect(exchanges).toBe(20)
    expect(droppedBodies).toBeGreaterThan(10)
    expect(opened.countUnwritten()).toBeGreaterThan(0)
    const last = opened.store.reader.exchange({ id: entries.at(-1)?.row.id })
    expect(last?.response).toMatchObject({ kept: 0, missing: 'full' })
    // Entries that do not fit either are written once there is space.
    opened.database.exec(
      `PRAGMA max_page_count = ${Number(opened.database.prepare('PRAGMA page_count').get()?.['page_count'])}`,
    )
    const manyEntries = Array.from({ length: 300 }, () => createEntry())
    addAll(opened, manyEntries)
    expect(opened.store.info().exchanges).toBeLessThan(320)
    opened.database.exec('PRAGMA max_page_count = 1000000')
    opened.store.flush()
    expect(opened.store.info().exchanges).toBe(320)
    opened.store.close()
  })

  test('counts exchanges over time, and finds attempts and the previous response', () => {
    const opened = openDiskStore(createTempDir())
    const sameRow = { path: '/same', startedAt: 5_000 }
    const [first, second, third] = addAll(opened, [
      createEntry({ row: sameRow }),
      createEntry({ row: { ...sameRow, startedAt: 6_000, status: 503, group: 'G' } }),
      createEntry({ row: { ...sameRow, startedAt: 6_500, group: 'G', attempt: 2 } }),
      createEntry({ row: { startedAt: 6_600, origin: { kind: 'heartbeat', label: null } } }),
    ])
    const { reader: reading } = opened.store
    expect(reading.countOverTime({ filter: {}, from: 5_000, to: 7_000, buckets: 2 })).toEqual({
      all: [1, 2],
      failed: [0, 1],
    })
    expect(reading.exchange({ seq: third })).toMatchObject({ attempts: [second, third], before: second })
    expect(reading.exchange({ seq: first })?.before).toBe(null)
    expect(findSeqs(opened, { statuses: ['5'] })).toEqual([second])
    expect(findSeqs(opened, { from: 6_001 })).toEqual([third])
    opened.store.close()
  })

  test.each(['disk', 'memory'] as const)(
    'keeps the attempts at a request together in the order of time (%s)',
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
        // The first attempt was removed, or was never recorded.
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
      // Rows that continue a list, and rows that do not.
      expect(await find(true, 5)).toEqual({ seqs: [7, 8, 6], scattered: false })
      expect(await find(true, 4)).toMatchObject({ scattered: true })
      expect(await find(true, 7)).toMatchObject({ scattered: true })
      opened?.store.close()
    },
  )

  test('keeps this run complete and in order when the clock is set back, because a run is a number', () => {
    const dir = createTempDir()
    const day = 86_400_000
    const createSteadyEntry = (beganAt: number, startedAt: number) => ({
      ...createEntry({ row: { startedAt } }),
      beganAt,
      endedAt: beganAt + 5,
    })
    const first = openDiskStore(dir, 10 * day)
    addAll(first, [createSteadyEntry(10 * day, 10 * day)])
    first.store.close()
    // The clock was two days ahead, and goes back by another two days during this run.
    const opened = openDiskStore(dir, 8 * day)
    const seqs = addAll(opened, [
      createSteadyEntry(8 * day + 1, 8 * day + 1),
      createSteadyEntry(8 * day + 2, 6 * day),
      createSteadyEntry(8 * day + 3, 6 * day + 1),
    ])
    expect(findSeqs(opened, { thisRun: true })).toEqual(seqs)
    expect(findSeqs(opened, {})).toEqual([1, ...seqs])
    opened.store.setBounds({ keepDays: 1, maxBytes: Infinity })
    while (opened.store.trim());
    expect(findSeqs(opened, {})).toEqual([1, ...seqs])
    opened.store.close()
  })

  test.each(['disk', 'memory'] as const)(
    'returns the same rows for the head and the list, for any filter and order (%s)',
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
            const { find, head } = getQueries(opened?.store.reader ?? memory)
            const seqs = [...(await find(filter, sort, 0)).seqs]
            const headResult = await head(filter, sort)
            expect(headResult.rows.map(({ seq }) => seq)).toEqual(seqs.slice(0, MAX_HEAD_ROWS))
            expect(headResult).toMatchObject({ isWhole: seqs.length <= MAX_HEAD_ROWS, newest: rows.length })
            const longHead = await head(filter, sort, 100)
            expect(longHead.rows).toEqual(headResult.rows)
            expect(longHead.seqs ?? longHead.rows.map(({ seq }) => seq)).toEqual(seqs.slice(0, 100))
            expect(longHead.isWhole).toBe(seqs.length <= 100)
            opened?.store.close()
          },
        ),
        { numRuns: 12 },
      )
    },
  )
})

describe('opening the store', () => {
  test('sets a broken file aside with a notice, and begins a new one', () => {
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
    const reopened = openTrafficDatabase(dir)
    expect(reopened.notices.map(({ code }) => code)).toEqual(['TRAFFIC_BROKEN'])
    expect(reopened.database?.prepare('SELECT count(*) AS count FROM exchanges').get()?.['count']).toBe(0)
    expect(readdirSync(dir).some((name) => name.includes('.broken-'))).toBe(true)
    reopened.database?.close()
  })

  test('leaves a file of a newer version as it is', () => {
    const dir = createTempDir()
    const opened = openDiskStore(dir)
    opened.database.exec('PRAGMA user_version = 99')
    opened.store.close()
    const bytes = readFileSync(path.join(dir, TRAFFIC_FILE))
    const reopened = openTrafficDatabase(dir)
    expect([reopened.database, reopened.notices[0]?.code]).toEqual([null, 'TRAFFIC_NEWER'])
    expect(readFileSync(path.join(dir, TRAFFIC_FILE)).equals(bytes)).toBe(true)
  })

  test('keeps the last exchanges in memory on a runtime without a database, and reports it', async () => {
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
