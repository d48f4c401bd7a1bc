/** @module-tag slow */

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

/**
 * Creates a closed store with many exchanges and indexed bodies. One exchange is still
 * pending.
 */
function createStoreFile(exchanges: number) {
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

const flipBytes =
  (flips: readonly (readonly [offset: number, mask: number])[]) =>
  (bytes: Buffer): Buffer => {
    const changed = Buffer.from(bytes)
    for (const [offset, mask] of flips) changed[offset % bytes.length] = (changed[offset % bytes.length] ?? 0) ^ mask
    return changed
  }
const anyMask = fc.integer({ min: 1, max: 255 })
const damage = fc.oneof(
  fc.nat().map((keep) => (bytes: Buffer) => bytes.subarray(0, keep % bytes.length)),
  fc.array(fc.tuple(fc.nat(), anyMask), { minLength: 1, maxLength: 40 }).map(flipBytes),
  fc.array(fc.tuple(fc.integer({ min: 0, max: 99 }), anyMask), { minLength: 1, maxLength: 4 }).map(flipBytes),
)

describe('damaged store', () => {
  test(
    'safety 44: does not stop recording, and returns only what was recorded, whatever is flipped or cut',
    { tags: ['long'] },
    () => {
      const { dir, file, good, ids } = createStoreFile(60)
      let setAsideCount = 0
      let keptCount = 0
      fc.assert(
        fc.property(damage, (applyDamage) => {
          const spoiled = applyDamage(good)
          writeFileSync(file, spoiled)
          const opened = openTrafficDatabase(dir)
          if (opened.database === null) {
            // The version and the read-only mark are among the bytes that can change.
            expect(['TRAFFIC_NEWER', 'TRAFFIC_UNAVAILABLE']).toContain(opened.reason)
          } else {
            opened.database.close()
            if (opened.setAside !== null) {
              setAsideCount += 1
              expect(opened.notices.map(({ code }) => code)).toEqual(['TRAFFIC_BROKEN'])
              expect(existsSync(opened.setAside)).toBe(true)
            } else keptCount += 1
            const { store } = openDiskStore(dir)
            const entry = createEntry({ response: createBody('{"title":"after"}') })
            store.add(entry)
            store.flush()
            const { seqs } = store.reader.find({}, byTime, 0)
            const rows = store.reader.rows([...seqs])
            expect(rows.map(({ id }) => id)).toContain(entry.row.id)
            for (const { seq } of rows) store.reader.exchange({ seq })
            // SQLite takes a file of one byte for an empty one, which becomes a new store.
            if (opened.setAside === null && spoiled.length > 1)
              expect(rows.filter(({ id }) => ids.has(id)).length).toBeGreaterThan(0)
            expect(store.reader.find({ text: 'after', inBodies: true }, byTime, 0).seqs).toHaveLength(1)
            store.close()
          }
          for (const name of readdirSync(dir)) if (/broken|-wal|-shm/.test(name)) rmSync(path.join(dir, name))
        }),
        { numRuns: pickRunCount(80, 1_000) },
      )
      expect(setAsideCount).toBeGreaterThan(10)
      expect(keptCount).toBeGreaterThan(0)
    },
  )
})

test('safety 44: is set aside if the name of a column is damaged', () => {
  const { dir, file, good } = createStoreFile(1)
  writeFileSync(file, good.toString('latin1').replaceAll('masked INTEGER', 'nasked INTEGER'), 'latin1')
  const opened = openTrafficDatabase(dir)
  opened.database?.close()
  expect(opened.notices.map(({ code }) => code)).toEqual(['TRAFFIC_BROKEN'])
})

test('safety 44: is set aside if its version is negative', () => {
  const dir = createTempDir()
  const database = new DatabaseSync(path.join(dir, TRAFFIC_FILE))
  database.exec('PRAGMA user_version = -3')
  database.close()
  const opened = openTrafficDatabase(dir)
  opened.database?.close()
  expect(opened.notices.map(({ code }) => code)).toEqual(['TRAFFIC_BROKEN'])
})

test('a damaged body is not found, and blocks neither its exchange nor the index', () => {
  const opened = openDiskStore(createTempDir())
  const createLongEntry = (word: string) =>
    createEntry({ response: createBody(JSON.stringify({ title: word.repeat(60) })) })
  const [intact, damaged] = addAll(opened, [createLongEntry('whole '), createLongEntry('damaged ')])
  opened.database.exec(`UPDATE parts SET coding = 1, bytes = x'00ff' WHERE body = 2`)
  indexAll(opened)
  const { reader: reading } = opened.store
  expect(reading.find({ text: 'whole', inBodies: true }, byTime, 0).seqs).toEqual(Uint32Array.of(intact ?? 0))
  expect(reading.find({ text: 'damaged', inBodies: true }, byTime, 0).seqs).toEqual(new Uint32Array())
  expect(reading.exchange({ seq: damaged ?? 0 })?.row.seq).toBe(damaged)
  opened.store.close()
})

describe('upgrade of the store', () => {
  test('safety 45: runs again after an interruption at any statement', () => {
    for (let statementIndex = 1; statementIndex < 200; statementIndex += 1) {
      const dir = createTempDir()
      const interrupted = openTrafficDatabase(dir, createFailingSqlite(statementIndex))
      const isComplete = interrupted.database !== null
      interrupted.database?.close()
      if (!isComplete) expect(interrupted.reason).toBe('TRAFFIC_UNAVAILABLE')
      const reopened = openDiskStore(dir)
      const [seq] = addAll(reopened, [createEntry()])
      expect([statementIndex, seq]).toEqual([statementIndex, 1])
      reopened.store.close()
      if (isComplete) return
    }
    expect.unreachable('it never came to its end')
  })

  test('safety 45: changes nothing if a step fails, and runs that step completely the next time', () => {
    const { dir, file } = createStoreFile(5)
    const step = 'ALTER TABLE exchanges ADD COLUMN later TEXT; CREATE TABLE further (id TEXT) STRICT'
    const buildSteps = (last: string): string[] => [...Array<string>(SCHEMA_VERSION).fill(''), last]
    const database = new DatabaseSync(file)
    expect(() => migrateTraffic(database, buildSteps(`${step}; INSERT INTO nowhere VALUES (1)`))).toThrow('nowhere')
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: SCHEMA_VERSION })
    expect(database.prepare('SELECT * FROM exchanges').all()[0]).not.toHaveProperty('later')
    database.close()
    const opened = openDiskStore(dir)
    // There are five exchanges and the pending one.
    expect(opened.store.reader.find({}, byTime, 0).seqs).toHaveLength(6)
    migrateTraffic(opened.database, buildSteps(step))
    expect(opened.database.prepare('PRAGMA user_version').get()).toEqual({ user_version: SCHEMA_VERSION + 1 })
    opened.store.close()
    expect(openTrafficDatabase(dir).reason).toBe('TRAFFIC_NEWER')
  })
})
