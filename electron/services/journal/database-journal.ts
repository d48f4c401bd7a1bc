import { AppError } from '../../../shared/errors.ts'
import { describeError, type Log } from '../files/log.ts'
import { closeQuietly, getSqliteErrorCode, type Database } from './database.ts'
import { readEvents, loadJournal } from './loaded-journal.ts'
import type { Journal, LoadedOperation } from './types.ts'

interface OpenJournal {
  readonly database: Database
  readonly file: string
  readonly records: readonly LoadedOperation[]
  readonly setAside: string | null
  readonly log: Log
  /** Removes every known token from a text, because a host may have echoed a token. */
  readonly conceal: (text: string) => string
}

/**
 * Creates the journal on an open database. Each change is one transaction, and is on disk when the
 * call returns.
 */
export function createJournal({ database, file, records, setAside, log, conceal }: OpenJournal): Journal {
  const insert = database.prepare('INSERT INTO operations (id, created_at, stored, seen) VALUES (?, ?, ?, 1)')
  const addEvent = database.prepare('INSERT INTO events (operation, place, event) VALUES (?, ?, ?)')
  const markSeen = database.prepare('UPDATE operations SET seen = ? WHERE id = ?')
  const remove = database.prepare('DELETE FROM operations WHERE id = ?')
  let initialRecords: readonly LoadedOperation[] | null = records
  const toText = (value: unknown): string => conceal(JSON.stringify(value))

  function write(change: () => void): void {
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
  }

  return {
    load: () => initialRecords ?? loadJournal(database).records,
    events: (id) => readEvents(database, id),
    create(operation, first) {
      write(() => {
        insert.run(operation.id, operation.createdAt, toText(operation))
        addEvent.run(operation.id, 0, toText(first))
      })
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
    close: () => closeQuietly(database),
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
