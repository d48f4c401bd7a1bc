import fc from 'fast-check'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { JOURNAL_FILE } from '../../../../electron/services/journal/journal.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { intentEvent, openTestJournal, createStoredOperation } from '../../../support/services/journal.ts'

const RECORDS = 40
const names = Array.from({ length: RECORDS }, (_, n) => `op-${n}`)

/** A journal of many records, closed; with a copy of its first half. */
function written(copy: boolean) {
  const dir = createTempDir()
  const file = path.join(dir, JOURNAL_FILE)
  const first = openTestJournal(dir)
  names.forEach((id, n) => first.journal.create(createStoredOperation(id, { createdAt: n }), intentEvent))
  first.close()
  if (copy) openTestJournal(dir).close()
  return { dir, file, good: readFileSync(file) }
}
const damage = fc.oneof(
  fc.nat().map((keep) => (bytes: Buffer) => bytes.subarray(0, keep % bytes.length)),
  fc
    .array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 40 })
    .map((flips) => (bytes: Buffer) => {
      const changed = Buffer.from(bytes)
      for (const [at, by] of flips) changed[at % bytes.length] = (changed[at % bytes.length] ?? 0) ^ by
      return changed
    }),
  fc
    .array(fc.tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 4 })
    .map((flips) => (bytes: Buffer) => {
      const changed = Buffer.from(bytes)
      for (const [at, by] of flips) changed[at] = (changed[at] ?? 0) ^ by
      return changed
    }),
)

describe('a broken journal', () => {
  test.each([true, false])(
    'safety 44: whatever is flipped or cut, the app starts and says so (with a copy: %s)',
    (copy) => {
      const { dir, file, good } = written(copy)
      let aside = 0
      fc.assert(
        fc.property(damage, (spoil) => {
          writeFileSync(file, spoil(good))
          const { journal, listNoticeCodes, close } = openTestJournal(dir)
          const records = journal.load()
          for (const { id } of records) expect(names).toContain(id)
          expect(new Set(records.map(({ id }) => id)).size).toBe(records.length)
          if (listNoticeCodes().length > 0) {
            expect(listNoticeCodes()).toHaveLength(1)
            expect(['JOURNAL_SET_ASIDE', 'JOURNAL_FROM_BACKUP', 'JOURNAL_NEWER', 'JOURNAL_UNUSABLE']).toContain(
              listNoticeCodes()[0],
            )
          }
          if (listNoticeCodes()[0] === 'JOURNAL_FROM_BACKUP') expect(records).toHaveLength(RECORDS)
          if (journal.info().setAside !== null) {
            aside += 1
            expect(existsSync(journal.info().setAside ?? '')).toBe(true)
          }
          if (journal.info().kind === 'sqlite') journal.create(createStoredOperation('after'), intentEvent)
          close()
          for (const name of readdirSync(dir)) if (/broken|-journal/.test(name)) rmSync(path.join(dir, name))
        }),
        { numRuns: 120 },
      )
      expect(aside).toBeGreaterThan(10)
    },
  )

  test('safety 44: only noise is set aside, and what was written since is found at the next start', () => {
    const { dir, file } = written(false)
    writeFileSync(file, 'this is no database, and it is long enough to be taken for one. '.repeat(200))
    const found = readFileSync(file)
    const { journal, listNoticeCodes, close } = openTestJournal(dir)
    expect(listNoticeCodes()).toEqual(['JOURNAL_SET_ASIDE'])
    expect(readFileSync(journal.info().setAside ?? '').equals(found)).toBe(true)
    journal.create(createStoredOperation('new'), intentEvent)
    close()
    const again = openTestJournal(dir)
    expect(again.journal.load().map(({ id }) => id)).toEqual(['new'])
    expect([again.listNoticeCodes(), again.journal.info().setAside]).toEqual([[], null])
  })

  test('safety 44: a negative version is damage, not a reason to upgrade from it', () => {
    const dir = createTempDir()
    const database = new DatabaseSync(path.join(dir, JOURNAL_FILE))
    database.exec('PRAGMA user_version = -3')
    database.close()
    const { listNoticeCodes, close } = openTestJournal(dir)
    expect(listNoticeCodes()).toEqual(['JOURNAL_SET_ASIDE'])
    close()
  })

  test('safety 44: an emptied journal is restored from its copy; if that is broken too, a new one is started', () => {
    const { dir, file, good } = written(true)
    writeFileSync(file, '')
    const first = openTestJournal(dir)
    expect([first.listNoticeCodes(), first.journal.load().length]).toEqual([['JOURNAL_FROM_BACKUP'], RECORDS])
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

describe('safety 51: a journal that a kill left in the middle of a write', () => {
  /** The files while a transaction has reached the database in part. */
  function cutShort() {
    const { file } = written(false)
    const database = new DatabaseSync(file)
    database.exec('PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; PRAGMA cache_size = 2; BEGIN IMMEDIATE')
    database.exec("UPDATE operations SET stored = replace(stored, 'T', 'U')")
    const [half, undo] = [readFileSync(file), readFileSync(`${file}-journal`)]
    database.exec('ROLLBACK')
    expect(readFileSync(file).equals(half)).toBe(false)
    database.close()
    return { half, undo }
  }

  /** Opens these files; returns what they hold, what was said, and what was set aside. */
  function opened(half: Buffer, undo: Buffer | null) {
    const dir = createTempDir()
    writeFileSync(path.join(dir, JOURNAL_FILE), half)
    if (undo) writeFileSync(path.join(dir, `${JOURNAL_FILE}-journal`), undo)
    const { journal, listNoticeCodes } = openTestJournal(dir)
    journal.create(createStoredOperation('after'), intentEvent)
    const records = journal.load().filter(({ id }) => id !== 'after')
    return { records, codes: listNoticeCodes(), aside: journal.info().setAside }
  }

  test('is as it was before that write, and nothing is said', () => {
    const { half, undo } = cutShort()
    const { records, codes } = opened(half, undo)
    expect(codes).toEqual([])
    expect(records.map(({ id, body }) => [id, body])).toEqual(names.map((id) => [id, createStoredOperation(id).body]))
  })

  test('keeps every record, or is set aside and said, if what undoes that write is damaged or lost', () => {
    const { half, undo } = cutShort()
    for (const spoilt of [null, Buffer.alloc(undo.length), undo.subarray(0, 700), Buffer.from('x'.repeat(5_000))]) {
      const { records, codes, aside } = opened(half, spoilt)
      if (aside === null) expect(records.map(({ id }) => id)).toEqual(names)
      else expect([codes, records, existsSync(aside)]).toEqual([['JOURNAL_SET_ASIDE'], [], true])
    }
  })

  test('is set aside as it was found if only some of the pages were written and what undoes them is lost', () => {
    const before = createTempDir()
    const file = path.join(before, JOURNAL_FILE)
    const withRecord = (id: string): Buffer => {
      const { journal, close } = openTestJournal(before)
      journal.create(createStoredOperation(id), intentEvent)
      close()
      return readFileSync(file)
    }
    const old = withRecord('old')
    const page = old.readUInt16BE(16)
    const next = withRecord('new')
    const pages = Array.from({ length: next.length / page }, (_, n) => n * page)
    // The first page holds nothing but a counter that differs.
    const isChanged = (at: number): boolean =>
      at > 0 && !next.subarray(at, at + page).equals(old.subarray(at, at + page))
    const changed = pages.filter(isChanged)
    expect(changed.length).toBeGreaterThan(1)
    for (let taken = 1; taken < changed.length; taken += 1) {
      const half = Buffer.alloc(next.length)
      old.copy(half)
      for (const at of changed.slice(0, taken)) next.copy(half, at, at, at + page)
      const { codes, aside } = opened(half, null)
      expect(codes).toEqual(['JOURNAL_SET_ASIDE'])
      expect(readFileSync(aside ?? '').equals(half)).toBe(true)
    }
  })
})
