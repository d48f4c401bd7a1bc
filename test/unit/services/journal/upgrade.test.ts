import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { SCHEMA_VERSION } from '../../../../electron/services/journal/schema.ts'
import { JOURNAL_FILE } from '../../../../electron/services/journal/journal.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { createFailingSqlite } from '../../../support/services/failing-sqlite.ts'
import { intentEvent, openTestJournal, sentEvent, createStoredOperation } from '../../../support/services/journal.ts'

/** The complete schema of each version. A released schema never changes again. */
const fixtures: Readonly<Record<number, string>> = {
  1: `CREATE TABLE operations (id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, stored TEXT NOT NULL) STRICT;
    CREATE TABLE events (operation TEXT NOT NULL REFERENCES operations(id) ON DELETE CASCADE, place INTEGER NOT NULL,
      event TEXT NOT NULL, PRIMARY KEY (operation, place)) STRICT, WITHOUT ROWID;`,
  2: `CREATE TABLE operations (id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, stored TEXT NOT NULL,
      seen INTEGER NOT NULL DEFAULT 1) STRICT;
    CREATE TABLE events (operation TEXT NOT NULL REFERENCES operations(id) ON DELETE CASCADE, place INTEGER NOT NULL,
      event TEXT NOT NULL, PRIMARY KEY (operation, place)) STRICT, WITHOUT ROWID;
    CREATE INDEX operations_by_time ON operations(created_at);`,
}
const versions = Object.keys(fixtures).map(Number)

/**
 * Creates a journal of this version. With `leaveLog` its rows are only in the log, as after a
 * kill.
 */
function createJournalFile(file: string, version: number, leaveLog = false): void {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA journal_mode = WAL; ${fixtures[version] ?? ''} PRAGMA user_version = ${version}`)
  // A later version added this member.
  const stored = Object.fromEntries(
    Object.entries(createStoredOperation('old', { createdAt: 1 })).filter(([name]) => name !== 'instanceNonce'),
  )
  database
    .prepare('INSERT INTO operations (id, created_at, stored) VALUES (?, 1, ?)')
    .run('old', JSON.stringify(stored))
  database.prepare('INSERT INTO events VALUES (?, 0, ?)').run('old', JSON.stringify(intentEvent))
  if (leaveLog) {
    const copies = [file, `${file}-wal`].map((name) => [name, readFileSync(name)] as const)
    database.close()
    for (const [name, bytes] of copies) writeFileSync(name, bytes)
  } else database.close()
}

const record = { ...createStoredOperation('old', { createdAt: 1 }), events: [intentEvent], nextPlace: 1, isSeen: true }

describe('journal upgrade', () => {
  test('has a fixture for every version', () => {
    expect(versions).toEqual(Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1))
  })

  test.each(versions.flatMap((version) => [false, true].map((log) => [version, log] as const)))(
    'safety 45: keeps every record of version %i, also those that are only in the log (%s)',
    (version, leaveLog) => {
      const dir = createTempDir()
      const file = path.join(dir, JOURNAL_FILE)
      createJournalFile(file, version, leaveLog)
      const { journal, listNoticeCodes, close } = openTestJournal(dir)
      expect(journal.load()).toEqual([record])
      // Every version until now had a write-ahead log, which these two bytes of the file
      // report with 2.
      expect([...readFileSync(file).subarray(18, 20)]).toEqual([1, 1])
      expect(existsSync(`${file}-wal`)).toBe(false)
      journal.append('old', 1, sentEvent)
      journal.create(createStoredOperation('new'), intentEvent)
      journal.setSeen('old', false)
      expect(listNoticeCodes()).toEqual([])
      close()
      expect(openTestJournal(dir).journal.load()).toMatchObject([
        { id: 'old', isSeen: false, nextPlace: 2 },
        { id: 'new' },
      ])
      if (version === SCHEMA_VERSION) return
      // The copy is the journal before the upgrade.
      const copy = new DatabaseSync(`${file}.v${version}`, { readOnly: true })
      expect(copy.prepare('PRAGMA user_version').get()).toEqual({ user_version: version })
      expect(copy.prepare('SELECT id FROM operations').all()).toEqual([{ id: 'old' }])
      copy.close()
    },
  )

  test.each(versions.slice(0, -1))(
    'safety 45: runs again from version %i after an interruption at any statement',
    (version) => {
      for (let statementIndex = 1; statementIndex < 40; statementIndex += 1) {
        const dir = createTempDir()
        createJournalFile(path.join(dir, JOURNAL_FILE), version)
        const interrupted = openTestJournal(dir, { sqlite: createFailingSqlite(statementIndex) })
        const isComplete = interrupted.journal.info().kind === 'sqlite'
        interrupted.close()
        if (!isComplete) expect(interrupted.listNoticeCodes()).toEqual(['JOURNAL_UNUSABLE'])
        const reopened = openTestJournal(dir)
        expect([statementIndex, reopened.journal.load(), reopened.listNoticeCodes()]).toEqual([
          statementIndex,
          [record],
          [],
        ])
        reopened.close()
        if (isComplete) return
      }
      expect.unreachable('it never came to its end')
    },
  )

  test('safety 45: leaves a newer journal exactly as it is, also with a log', () => {
    const dir = createTempDir()
    const file = path.join(dir, JOURNAL_FILE)
    createJournalFile(file, SCHEMA_VERSION, true)
    const database = new DatabaseSync(file)
    database.exec(`ALTER TABLE operations ADD COLUMN later TEXT; PRAGMA user_version = ${SCHEMA_VERSION + 1}`)
    const copies = [file, `${file}-wal`].map((name) => [name, readFileSync(name)] as const)
    database.close()
    for (const [name, bytes] of copies) writeFileSync(name, bytes)
    const { journal, listNoticeCodes, close } = openTestJournal(dir)
    expect(listNoticeCodes()).toEqual(['JOURNAL_NEWER'])
    expect(journal.info().kind).toBe('none')
    journal.create(createStoredOperation('new'), intentEvent)
    close()
    for (const [name, bytes] of copies) expect(readFileSync(name).equals(bytes)).toBe(true)
    expect(readdirSync(dir).filter((name) => /bak|broken|v\d/.test(name))).toEqual([])
  })

  test('leaves the journal intact if it fails', () => {
    const dir = createTempDir()
    const file = path.join(dir, JOURNAL_FILE)
    createJournalFile(file, 1)
    const database = new DatabaseSync(file)
    database.exec('CREATE INDEX operations_by_time ON operations(created_at)')
    database.close()
    const { journal, listNoticeCodes, close } = openTestJournal(dir)
    expect([journal.info().kind, listNoticeCodes()]).toEqual(['none', ['JOURNAL_UNUSABLE']])
    close()
    expect(existsSync(file)).toBe(true)
    const after = new DatabaseSync(file)
    expect(after.prepare('SELECT id FROM operations').all()).toEqual([{ id: 'old' }])
    expect(after.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 })
    after.close()
  })
})
