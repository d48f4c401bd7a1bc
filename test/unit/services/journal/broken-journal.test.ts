/** @module-tag slow */

import fc from 'fast-check'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { JOURNAL_FILE } from '../../../../electron/services/journal/journal.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { intentEvent, openTestJournal, createStoredOperation } from '../../../support/services/journal.ts'

const RECORD_COUNT = 40
const names = Array.from({ length: RECORD_COUNT }, (_, n) => `op-${n}`)

/** Creates a closed journal with many records, and optionally its copy. */
function createJournalFile(copy: boolean) {
  const dir = createTempDir()
  const file = path.join(dir, JOURNAL_FILE)
  const first = openTestJournal(dir)
  names.forEach((id, n) => first.journal.create(createStoredOperation(id, { createdAt: n }), intentEvent))
  first.close()
  if (copy) openTestJournal(dir).close()
  return { dir, file, good: readFileSync(file) }
}
const OPENING_NOTICES = ['JOURNAL_SET_ASIDE', 'JOURNAL_FROM_BACKUP', 'JOURNAL_NEWER', 'JOURNAL_UNUSABLE']
const damage = fc.oneof(
  fc.nat().map((keep) => (bytes: Buffer) => bytes.subarray(0, keep % bytes.length)),
  fc
    .array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 40 })
    .map((flips) => (bytes: Buffer) => {
      const changed = Buffer.from(bytes)
      for (const [offset, mask] of flips) changed[offset % bytes.length] = (changed[offset % bytes.length] ?? 0) ^ mask
      return changed
    }),
  fc
    .array(fc.tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 4 })
    .map((flips) => (bytes: Buffer) => {
      const changed = Buffer.from(bytes)
      for (const [offset, mask] of flips) changed[offset] = (changed[offset] ?? 0) ^ mask
      return changed
    }),
)

describe('broken journal', () => {
  test.each([true, false])(
    'safety 44: is reported and does not stop the app, whatever is flipped or cut (with a copy: %s)',
    (copy) => {
      const { dir, file, good } = createJournalFile(copy)
      let setAsideCount = 0
      fc.assert(
        fc.property(damage, (applyDamage) => {
          const damaged = applyDamage(good)
          writeFileSync(file, damaged)
          rmSync(`${file}.bak`, { force: true })
          if (copy) writeFileSync(`${file}.bak`, good)
          const { journal, listNoticeCodes, close } = openTestJournal(dir)
          const records = journal.load()
          for (const { id } of records) expect(names).toContain(id)
          expect(new Set(records.map(({ id }) => id)).size).toBe(records.length)
          // SQLite takes a file of one byte for a new database, as it does an empty one.
          if (listNoticeCodes().length > 0) {
            expect(listNoticeCodes()).toHaveLength(1)
            expect([...OPENING_NOTICES, copy ? 'JOURNAL_ROWS_DAMAGED' : 'JOURNAL_ROWS_LOST']).toContain(
              listNoticeCodes()[0],
            )
          } else if (damaged.length > 1) expect(records).toHaveLength(RECORD_COUNT)
          if (listNoticeCodes()[0] === 'JOURNAL_FROM_BACKUP') expect(records).toHaveLength(RECORD_COUNT)
          if (journal.info().setAside !== null) {
            setAsideCount += 1
            expect(existsSync(journal.info().setAside ?? '')).toBe(true)
          }
          if (journal.info().kind === 'sqlite') journal.create(createStoredOperation('after'), intentEvent)
          close()
          for (const name of readdirSync(dir)) if (/broken|intact|-journal/.test(name)) rmSync(path.join(dir, name))
        }),
        { numRuns: 120 },
      )
      expect(setAsideCount).toBeGreaterThan(10)
    },
  )

  test('safety 44: is set aside if it is noise, and later records are found at the next start', () => {
    const { dir, file } = createJournalFile(false)
    writeFileSync(file, 'this is no database, and it is long enough to be taken for one. '.repeat(200))
    const original = readFileSync(file)
    const { journal, listNoticeCodes, close } = openTestJournal(dir)
    expect(listNoticeCodes()).toEqual(['JOURNAL_SET_ASIDE'])
    expect(readFileSync(journal.info().setAside ?? '').equals(original)).toBe(true)
    journal.create(createStoredOperation('new'), intentEvent)
    close()
    const reopened = openTestJournal(dir)
    expect(reopened.journal.load().map(({ id }) => id)).toEqual(['new'])
    expect([reopened.listNoticeCodes(), reopened.journal.info().setAside]).toEqual([[], null])
  })

  test('safety 44: is set aside if its version is negative', () => {
    const dir = createTempDir()
    const database = new DatabaseSync(path.join(dir, JOURNAL_FILE))
    database.exec('PRAGMA user_version = -3')
    database.close()
    const { listNoticeCodes, close } = openTestJournal(dir)
    expect(listNoticeCodes()).toEqual(['JOURNAL_SET_ASIDE'])
    close()
  })

  test('safety 44: is restored from its copy, or replaced by a new one if the copy is broken too', () => {
    const { dir, file, good } = createJournalFile(true)
    writeFileSync(file, '')
    const first = openTestJournal(dir)
    expect([first.listNoticeCodes(), first.journal.load().length]).toEqual([['JOURNAL_FROM_BACKUP'], RECORD_COUNT])
    first.close()
    writeFileSync(file, good.subarray(0, 5_000))
    writeFileSync(`${file}.bak`, good.subarray(0, 6_000))
    const second = openTestJournal(dir)
    expect([second.listNoticeCodes(), second.journal.load()]).toEqual([['JOURNAL_SET_ASIDE'], []])
    second.journal.create(createStoredOperation('new'), intentEvent)
    second.close()
    expect(openTestJournal(dir).journal.load()).toHaveLength(1)
  })
})

describe('safety 51: journal that a kill left in the middle of a write', () => {
  /** Returns the files while a transaction has reached the database in part. */
  function createHalfWrittenFiles() {
    const { file } = createJournalFile(false)
    const database = new DatabaseSync(file)
    database.exec('PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; PRAGMA cache_size = 2; BEGIN IMMEDIATE')
    database.exec("UPDATE operations SET stored = replace(stored, 'T', 'U')")
    const [halfWritten, rollbackJournal] = [readFileSync(file), readFileSync(`${file}-journal`)]
    database.exec('ROLLBACK')
    expect(readFileSync(file).equals(halfWritten)).toBe(false)
    database.close()
    return { half: halfWritten, undo: rollbackJournal }
  }

  /** Opens these files, and returns the records, the notices, and the file that was set aside. */
  function openFiles(halfWritten: Buffer, rollbackJournal: Buffer | null) {
    const dir = createTempDir()
    writeFileSync(path.join(dir, JOURNAL_FILE), halfWritten)
    if (rollbackJournal) writeFileSync(path.join(dir, `${JOURNAL_FILE}-journal`), rollbackJournal)
    const { journal, listNoticeCodes } = openTestJournal(dir)
    journal.create(createStoredOperation('after'), intentEvent)
    const records = journal.load().filter(({ id }) => id !== 'after')
    return { records, codes: listNoticeCodes(), aside: journal.info().setAside }
  }

  test('is as it was before that write, without a notice', () => {
    const { half: halfWritten, undo: rollbackJournal } = createHalfWrittenFiles()
    const { records, codes } = openFiles(halfWritten, rollbackJournal)
    expect(codes).toEqual([])
    expect(records.map(({ id, body }) => [id, body])).toEqual(names.map((id) => [id, createStoredOperation(id).body]))
  })

  test('keeps every record or is set aside with a notice if the rollback journal is damaged or lost', () => {
    const { half: halfWritten, undo: rollbackJournal } = createHalfWrittenFiles()
    for (const damagedRollback of [
      null,
      Buffer.alloc(rollbackJournal.length),
      rollbackJournal.subarray(0, 700),
      Buffer.from('x'.repeat(5_000)),
    ]) {
      const { records, codes, aside } = openFiles(halfWritten, damagedRollback)
      if (aside === null) expect(records.map(({ id }) => id)).toEqual(names)
      else expect([codes, records, existsSync(aside)]).toEqual([['JOURNAL_SET_ASIDE'], [], true])
    }
  })

  test('is set aside unchanged if only some pages were written and the rollback journal is lost', () => {
    const before = createTempDir()
    const file = path.join(before, JOURNAL_FILE)
    const addRecord = (id: string): Buffer => {
      const { journal, close } = openTestJournal(before)
      journal.create(createStoredOperation(id), intentEvent)
      close()
      return readFileSync(file)
    }
    const oldBytes = addRecord('old')
    const pageBytes = oldBytes.readUInt16BE(16)
    const newBytes = addRecord('new')
    const pages = Array.from({ length: newBytes.length / pageBytes }, (_, n) => n * pageBytes)
    // The first page differs only in a counter.
    const isChanged = (offset: number): boolean =>
      offset > 0 && !newBytes.subarray(offset, offset + pageBytes).equals(oldBytes.subarray(offset, offset + pageBytes))
    const changedOffsets = pages.filter(isChanged)
    expect(changedOffsets.length).toBeGreaterThan(1)
    for (let writtenCount = 1; writtenCount < changedOffsets.length; writtenCount += 1) {
      const halfWritten = Buffer.alloc(newBytes.length)
      oldBytes.copy(halfWritten)
      for (const offset of changedOffsets.slice(0, writtenCount))
        newBytes.copy(halfWritten, offset, offset, offset + pageBytes)
      const { codes, aside } = openFiles(halfWritten, null)
      expect(codes).toEqual(['JOURNAL_SET_ASIDE'])
      expect(readFileSync(aside ?? '').equals(halfWritten)).toBe(true)
    }
  })
})
