import fc from 'fast-check'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { openTrafficDatabase } from '../../../../electron/services/traffic/disk/traffic-database.ts'
import { TRAFFIC_FILE } from '../../../../electron/services/traffic/traffic-store.ts'
import { migrateTraffic, SCHEMA_VERSION } from '../../../../electron/services/traffic/disk/schema.ts'
import { pickRunCount } from '../../../support/data/run-count.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { createFailingSqlite } from '../../../support/services/failing-sqlite.ts'
import { addAll, createBody, openDiskStore, createEntry, indexAll } from '../../../support/services/traffic.ts'

const byTime = { by: 'time', descending: true } as const

/** A store of many exchanges with indexed bodies, closed; one of them was under way. */
function written(exchanges: number) {
  const dir = createTempDir()
  const opened = openDiskStore(dir)
  const entries = Array.from({ length: exchanges }, (_, n) =>
    createEntry({ response: createBody(`{"title":"高等数学 ${n}","text":"${'x'.repeat(n * 97)}"}`) }),
  )
  addAll(opened, entries)
  opened.store.addPending(createEntry({ row: { state: 'pending' } }).row, null)
  indexAll(opened)
  opened.store.close()
  const file = path.join(dir, TRAFFIC_FILE)
  return { dir, file, good: readFileSync(file), ids: new Set(entries.map(({ row }) => row.id)) }
}

const flipped =
  (flips: readonly (readonly [at: number, by: number])[]) =>
  (bytes: Buffer): Buffer => {
    const changed = Buffer.from(bytes)
    for (const [at, by] of flips) changed[at % bytes.length] = (changed[at % bytes.length] ?? 0) ^ by
    return changed
  }
const by = fc.integer({ min: 1, max: 255 })
const damage = fc.oneof(
  fc.nat().map((keep) => (bytes: Buffer) => bytes.subarray(0, keep % bytes.length)),
  fc.array(fc.tuple(fc.nat(), by), { minLength: 1, maxLength: 40 }).map(flipped),
  fc.array(fc.tuple(fc.integer({ min: 0, max: 99 }), by), { minLength: 1, maxLength: 4 }).map(flipped),
)

describe('a damaged store', () => {
  test(
    'safety 44: whatever is flipped or cut, recording goes on, and what is read is what was written',
    { tags: ['long'] },
    () => {
      const { dir, file, good, ids } = written(60)
      let aside = 0
      let kept = 0
      fc.assert(
        fc.property(damage, (spoil) => {
          const spoiled = spoil(good)
          writeFileSync(file, spoiled)
          const opened = openTrafficDatabase(dir)
          if (opened.database === null) {
            // Its version is one of the bytes that can be changed, and so is what makes it look
            // read-only.
            expect(['TRAFFIC_NEWER', 'TRAFFIC_UNAVAILABLE']).toContain(opened.reason)
          } else {
            opened.database.close()
            if (opened.setAside !== null) {
              aside += 1
              expect(opened.notices.map(({ code }) => code)).toEqual(['TRAFFIC_BROKEN'])
              expect(existsSync(opened.setAside)).toBe(true)
            } else kept += 1
            const { store } = openDiskStore(dir)
            const entry = createEntry({ response: createBody('{"title":"after"}') })
            store.add(entry)
            store.flush()
            const { seqs } = store.reader.find({}, byTime, 0)
            const rows = store.reader.rows([...seqs])
            expect(rows.map(({ id }) => id)).toContain(entry.row.id)
            for (const { seq } of rows) store.reader.exchange({ seq })
            // SQLite takes a file of a single byte for an empty one, which is a store to begin
            // with.
            if (opened.setAside === null && spoiled.length > 1)
              expect(rows.filter(({ id }) => ids.has(id)).length).toBeGreaterThan(0)
            expect(store.reader.find({ text: 'after', inBodies: true }, byTime, 0).seqs).toHaveLength(1)
            store.close()
          }
          for (const name of readdirSync(dir)) if (/broken|-wal|-shm/.test(name)) rmSync(path.join(dir, name))
        }),
        { numRuns: pickRunCount(80, 1_000) },
      )
      expect(aside).toBeGreaterThan(10)
      expect(kept).toBeGreaterThan(0)
    },
  )
})

test('safety 44: a negative version is damage, not a reason to upgrade from it', () => {
  const dir = createTempDir()
  const database = new DatabaseSync(path.join(dir, TRAFFIC_FILE))
  database.exec('PRAGMA user_version = -3')
  database.close()
  const opened = openTrafficDatabase(dir)
  opened.database?.close()
  expect(opened.notices.map(({ code }) => code)).toEqual(['TRAFFIC_BROKEN'])
})

test('a damaged body is not found, and holds up neither its exchange nor the index', () => {
  const opened = openDiskStore(createTempDir())
  const long = (word: string) => createEntry({ response: createBody(JSON.stringify({ title: word.repeat(60) })) })
  const [whole, damaged] = addAll(opened, [long('whole '), long('damaged ')])
  opened.database.exec(`UPDATE parts SET coding = 1, bytes = x'00ff' WHERE body = 2`)
  indexAll(opened)
  const { reader: reading } = opened.store
  expect(reading.find({ text: 'whole', inBodies: true }, byTime, 0).seqs).toEqual(Uint32Array.of(whole ?? 0))
  expect(reading.find({ text: 'damaged', inBodies: true }, byTime, 0).seqs).toEqual(new Uint32Array())
  expect(reading.exchange({ seq: damaged ?? 0 })?.row.seq).toBe(damaged)
  opened.store.close()
})

describe('an upgrade of the store', () => {
  test('safety 45: begun and interrupted at any statement, it runs again', () => {
    for (let at = 1; at < 60; at += 1) {
      const dir = createTempDir()
      const interrupted = openTrafficDatabase(dir, createFailingSqlite(at))
      const whole = interrupted.database !== null
      interrupted.database?.close()
      if (!whole) expect(interrupted.reason).toBe('TRAFFIC_UNAVAILABLE')
      const again = openDiskStore(dir)
      const [seq] = addAll(again, [createEntry()])
      expect([at, seq]).toEqual([at, 1])
      again.store.close()
      if (whole) return
    }
    expect.unreachable('it never came to its end')
  })

  test('safety 45: a step that fails leaves what was recorded as it was, and is taken as a whole the next time', () => {
    const { dir, file } = written(5)
    const step = 'ALTER TABLE exchanges ADD COLUMN later TEXT; CREATE TABLE further (id TEXT) STRICT'
    const steps = (last: string): string[] => [...Array<string>(SCHEMA_VERSION).fill(''), last]
    const database = new DatabaseSync(file)
    expect(() => migrateTraffic(database, steps(`${step}; INSERT INTO nowhere VALUES (1)`))).toThrow('nowhere')
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: SCHEMA_VERSION })
    expect(database.prepare('SELECT * FROM exchanges').all()[0]).not.toHaveProperty('later')
    database.close()
    const opened = openDiskStore(dir)
    // Five, and the one that was under way.
    expect(opened.store.reader.find({}, byTime, 0).seqs).toHaveLength(6)
    migrateTraffic(opened.database, steps(step))
    expect(opened.database.prepare('PRAGMA user_version').get()).toEqual({ user_version: SCHEMA_VERSION + 1 })
    opened.store.close()
    expect(openTrafficDatabase(dir).reason).toBe('TRAFFIC_NEWER')
  })
})
