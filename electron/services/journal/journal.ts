// Stores operation records on disk before anything is sent. What an operation means is decided in
// services/operations, and traffic has its own database. Read this file first, then types.ts.
import { copyFileSync, existsSync } from 'node:fs'
import path from 'node:path'
import { describeError, type Log } from '../files/log.ts'
import type { Notices } from '../notices.ts'
import { createBackup, keepIntactCopy, type Backup } from './backup.ts'
import {
  BrokenJournalError,
  loadBuiltinSqlite,
  closeQuietly,
  copyDatabase,
  isBrokenFileError,
  openDatabase,
  readSchemaVersion,
  assertRegularFiles,
  moveFileAside,
  UpgradeError,
  type Database,
  type Sqlite,
  getSqliteErrorCode,
} from './database.ts'
import { loadJournal, type LoadedJournal, readEvents } from './loaded-journal.ts'
import { createMemoryJournal } from './memory-journal.ts'
import { hasTriggersOrViews, hasJournalTables, migrateJournal, SCHEMA_VERSION, getSchemaVersion } from './schema.ts'
import type { Journal, LoadedOperation } from './types.ts'
import { AppError } from '../../../shared/errors.ts'

interface OpenJournal {
  readonly database: Database
  readonly file: string
  readonly records: readonly LoadedOperation[]
  readonly backup: Backup
  readonly setAside: string | null
  readonly log: Log
  /** Removes every known token from a text, because a host may have echoed a token. */
  readonly conceal: (text: string) => string
}

/** Each change is one transaction, and is on disk when the call returns. */
function createJournal({ database, file, records, backup, setAside, log, conceal }: OpenJournal): Journal {
  const insert = database.prepare('INSERT INTO operations (id, created_at, stored, seen) VALUES (?, ?, ?, 1)')
  const addEvent = database.prepare('INSERT INTO events (operation, place, event) VALUES (?, ?, ?)')
  const markSeen = database.prepare('UPDATE operations SET seen = ? WHERE id = ?')
  const remove = database.prepare('DELETE FROM operations WHERE id = ?')
  let initialRecords: readonly LoadedOperation[] | null = records
  const toText = (value: unknown): string => conceal(JSON.stringify(value))

  function write(change: () => void, newRecordCount = 0): void {
    initialRecords = null
    try {
      database.exec('BEGIN IMMEDIATE')
      try {
        change()
        database.exec('COMMIT')
      } catch (error) {
        rollBack(database)
        throw error
      }
    } catch (error) {
      log.error('the journal could not be written', { reason: describeError(error) })
      throw createJournalError(error)
    }
    backup.scheduleRenewal(newRecordCount)
  }

  return {
    load: () => initialRecords ?? loadJournal(database).records,
    events: (id) => readEvents(database, id),
    create(operation, first) {
      write(() => {
        insert.run(operation.id, operation.createdAt, toText(operation))
        addEvent.run(operation.id, 0, toText(first))
      }, 1)
    },
    append: (id, place, event) => write(() => void addEvent.run(id, place, toText(event))),
    setSeen: (id, isSeen) => write(() => void markSeen.run(isSeen ? 1 : 0, id)),
    remove(ids) {
      write(() => {
        for (const id of ids) remove.run(id)
      })
      try {
        database.exec('PRAGMA incremental_vacuum')
      } catch (error) {
        log.warn('the journal could not be made smaller', { reason: describeError(error) })
      }
    },
    info() {
      const row = database.prepare(INFO_QUERY).get() as { o: number; e: number; t: number | null; b: number }
      return {
        kind: 'sqlite',
        reason: null,
        file,
        bytes: row.b,
        operations: row.o,
        events: row.e,
        oldestAt: row.t,
        setAside,
      }
    },
    close() {
      backup.stop()
      closeQuietly(database)
    },
  }
}

const INFO_QUERY = `SELECT (SELECT count(*) FROM operations) AS o, (SELECT count(*) FROM events) AS e,
  (SELECT min(created_at) FROM operations WHERE created_at BETWEEN 0 AND 8640000000000000) AS t,
  (SELECT (page_count - freelist_count) * page_size FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()) AS b`

/** A full disk may already have ended the transaction. */
function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // SQLite has already rolled the transaction back.
  }
}

/** SQLite's result codes for errors that come from the disk or from another program. */
const REASONS: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
}

function createJournalError(error: unknown): AppError {
  const reason = REASONS[getSqliteErrorCode(error) & 0xff] ?? 'SQLITE_ERROR'
  return new AppError(
    {
      kind: 'refused',
      code: 'JOURNAL_FAILED',
      message: `The journal could not be written (${reason}). Nothing is sent unless it is recorded first.`,
      retryable: true,
      params: { reason },
    },
    { cause: error },
  )
}

export const JOURNAL_FILE = 'journal.db'

interface Options {
  readonly dataDir: string
  readonly notices: Notices
  readonly log: Log
  readonly conceal?: (text: string) => string
  /** Replaces SQLite in tests; null means a runtime without SQLite. */
  readonly sqlite?: Sqlite | null
}

/**
 * Opens the journal of operations in SQLite (rollback journal, `synchronous=FULL`). Never throws. A
 * broken file is moved aside, and the last copy is used or a new journal begun. A file of a newer
 * version, or a file that cannot be opened, stays as it is, and records are kept only in memory, as
 * in a runtime without SQLite. Each of these cases adds a notice.
 */
export function openJournal({ dataDir, notices, log, conceal = (text) => text, sqlite }: Options): Journal {
  const sqliteModule = sqlite === undefined ? loadBuiltinSqlite() : sqlite
  const file = path.join(dataDir, JOURNAL_FILE)
  const createFallback = (code: string, message: string): Journal => {
    notices.add({ level: 'warning', code, message })
    return createMemoryJournal(message)
  }
  if (!sqliteModule) {
    return createFallback(
      'JOURNAL_NO_DATABASE',
      'This runtime has no database, so no journal is kept: operation records last only until the app closes.',
    )
  }
  try {
    assertRegularFiles(file)
    const { database, loaded, asidePath, fromBackup } = openOrRecover(sqliteModule, file, log)
    if (asidePath !== null) notices.add(createAsideNotice(asidePath, fromBackup ? loaded.records.length : null))
    const { operations, events } = loaded.unreadable
    if (operations + events > 0) notices.add(createDamageNotice(loaded, keepIntactCopy(sqliteModule, file, loaded)))
    return createJournal({
      database,
      file,
      records: loaded.records,
      backup: createBackup(sqliteModule, database, file, loaded, log),
      setAside: asidePath,
      log,
      conceal,
    })
  } catch (error) {
    if (error instanceof NewerJournalError) {
      return createFallback(
        'JOURNAL_NEWER',
        'The journal was written by a newer version. It is left unchanged, and nothing is recorded in it.',
      )
    }
    log.error('the journal could not be opened', { reason: describeError(error) })
    return createFallback(
      'JOURNAL_UNUSABLE',
      'The journal cannot be used. Operation records last only until the app closes.',
    )
  }
}

class NewerJournalError extends Error {}

interface OpenedJournal {
  readonly database: Database
  readonly loaded: LoadedJournal
  /** Null if the file was intact. */
  readonly asidePath: string | null
  readonly fromBackup: boolean
}

function openOrRecover(sqlite: Sqlite, file: string, log: Log): OpenedJournal {
  try {
    return { ...openAndLoad(sqlite, file), asidePath: null, fromBackup: false }
  } catch (error) {
    if (error instanceof NewerJournalError || !isBrokenFileError(error)) throw error
    log.error('the journal is broken', { reason: describeError(error) })
  }
  const asidePath = moveFileAside(file)
  if (existsSync(`${file}.bak`)) {
    try {
      copyFileSync(`${file}.bak`, file)
      return { ...openAndLoad(sqlite, file), asidePath, fromBackup: true }
    } catch (error) {
      log.error('the copy of the journal is broken', { reason: describeError(error) })
      moveFileAside(file)
      moveFileAside(`${file}.bak`)
    }
  }
  return { ...openAndLoad(sqlite, file), asidePath, fromBackup: false }
}

/** Reads all: damage that no check finds shows while the file can still be moved aside. */
function openAndLoad(sqlite: Sqlite, file: string): { database: Database; loaded: LoadedJournal } {
  if (readSchemaVersion(sqlite, file) > SCHEMA_VERSION) throw new NewerJournalError()
  const database = openDatabase(sqlite, file, 'TRUNCATE')
  try {
    const version = getSchemaVersion(database)
    if (version > 0 !== hasJournalTables(database))
      throw new BrokenJournalError('its tables are missing, or its version')
    if (hasTriggersOrViews(database)) throw new BrokenJournalError('it holds triggers or views')
    // A copy exists, so this is not the first start, and the file was emptied.
    if (version === 0 && existsSync(`${file}.bak`)) throw new BrokenJournalError('it is empty')
    if (version > 0 && version < SCHEMA_VERSION) copyDatabase(database, `${file}.v${version}`)
    upgrade(database)
    enableShrinking(database)
    return { database, loaded: loadJournal(database) }
  } catch (error) {
    closeQuietly(database)
    throw error
  }
}

function upgrade(database: Database): void {
  try {
    migrateJournal(database)
  } catch (error) {
    throw new UpgradeError('the journal could not be upgraded', { cause: error })
  }
}

/** Files of early versions do not shrink unless they are rewritten once. */
function enableShrinking(database: Database): void {
  const { auto_vacuum: mode } = database.prepare('PRAGMA auto_vacuum').get() as { auto_vacuum: number }
  if (mode !== 0) return
  try {
    database.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM')
  } catch {
    // The disk is full; removed records free space inside the file, not of its size.
  }
}

/** @param copy the name of a file in which more can be read; null if there is none. */
function createDamageNotice({ unreadable: { operations, events } }: LoadedJournal, copy: string | null) {
  const missing = `Some of the journal cannot be read: ${operations} operations are not listed, and ${events} events of operations are missing.`
  return copy === null
    ? {
        level: 'warning' as const,
        code: 'JOURNAL_ROWS_LOST',
        message: `${missing} There is no copy without this damage.`,
        params: { operations, events },
      }
    : {
        level: 'warning' as const,
        code: 'JOURNAL_ROWS_DAMAGED',
        message: `${missing} The last copy without this damage is ${copy}.`,
        params: { operations, events, file: copy },
      }
}

/** @param restored number of records in the copy; null if there was none. */
function createAsideNotice(asidePath: string, restored: number | null) {
  const params = { file: path.basename(asidePath) }
  if (restored === null) {
    const message = 'The journal could not be read and was set aside; a new one was started.'
    return { level: 'warning' as const, code: 'JOURNAL_SET_ASIDE', message, params }
  }
  const message = `The journal could not be read and was set aside; the ${restored} records of its last copy are shown. Anything sent after that copy is missing.`
  return { level: 'warning' as const, code: 'JOURNAL_FROM_BACKUP', message, params: { ...params, count: restored } }
}
