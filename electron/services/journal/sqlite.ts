import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import type * as sqliteModule from 'node:sqlite'
import { operationEventSchema, type OperationEvent } from '../../../shared/bridge/operation-states.ts'
import { AppError } from '../../../shared/errors.ts'
import { describe, type Log } from '../log.ts'
import type { Notices } from '../notices.ts'
import { noJournal } from './none.ts'
import { migrate, SCHEMA_VERSION, versionOf } from './schema.ts'
import type { Journal, LoadedOperation, StoredOperation } from './types.ts'

/** Where the journal lies in the data directory. */
export const JOURNAL_FILE = 'journal.db'
type Sqlite = typeof sqliteModule
type DatabaseSync = sqliteModule.DatabaseSync

interface Options {
  readonly dataDir: string
  readonly notices: Notices
  readonly log: Log
  /** For tests: a runtime without a database. */
  readonly sqlite?: Sqlite | null
}

/**
 * The journal of operations in SQLite (WAL, `synchronous=FULL`). A file that cannot be read is set aside and a new one begun; one of a newer
 * version is left as it is and nothing is kept; a runtime without `node:sqlite` keeps nothing. Each of these gives a notice.
 */
export function openJournal({ dataDir, notices, log, sqlite = builtin() }: Options): Journal {
  const none = (code: string, message: string): Journal => {
    notices.add({ level: 'warning', code, message })
    return noJournal(message)
  }
  if (!sqlite)
    return none('JOURNAL_NO_DATABASE', 'This runtime has no database: operation records last until the app ends.')
  const file = path.join(dataDir, JOURNAL_FILE)
  let setAside: string | null = null
  for (let attempt = 0; attempt < 2; attempt += 1) {
    let database: DatabaseSync | null = null
    try {
      database = opened(sqlite, file)
      if (versionOf(database) > SCHEMA_VERSION) {
        database.close()
        return none(
          'JOURNAL_NEWER',
          'The journal was written by a newer version. It is left as it is; nothing is kept now.',
        )
      }
      if (versionOf(database) < SCHEMA_VERSION && versionOf(database) > 0) copyFileSync(file, `${file}.bak`)
      migrate(database)
      if (setAside !== null) {
        const message = 'The journal could not be read and was set aside; a new one was begun.'
        notices.add({ level: 'warning', code: 'JOURNAL_SET_ASIDE', message, params: { file: path.basename(setAside) } })
      }
      // Read at once: what the check overlooks shows itself here, while the file can still be set aside.
      return journalOf(database, file, setAside, log, loaded(database, log))
    } catch (error) {
      try {
        database?.close()
      } catch {
        // It was never open.
      }
      log.warn('the journal could not be opened', { reason: describe(error) })
      if (attempt > 0 || !isBroken(error))
        return none('JOURNAL_UNUSABLE', 'The journal cannot be used. Operation records last until the app ends.')
      setAside = moveAside(file)
    }
  }
  return none('JOURNAL_UNUSABLE', 'The journal cannot be used. Operation records last until the app ends.')
}

function builtin(): Sqlite | null {
  try {
    return (process.getBuiltinModule('node:sqlite') as Sqlite | undefined) ?? null
  } catch {
    return null
  }
}

function opened(sqlite: Sqlite, file: string): DatabaseSync {
  const database = new sqlite.DatabaseSync(file)
  try {
    // Only a new file: it would change one that may belong to a newer version.
    if (versionOf(database) === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL')
    database.exec(
      'PRAGMA busy_timeout = 2000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON',
    )
    const check = database.prepare('PRAGMA quick_check(1)').get() as { quick_check?: unknown }
    if (check.quick_check !== 'ok') throw new Error(`quick_check: ${String(check.quick_check).slice(0, 100)}`)
    // Tables of somebody else, or of a version that lost its number, are no journal.
    if (versionOf(database) > 0) database.prepare('SELECT count(*) FROM events').get()
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Anything but "somebody else has it" and "the disk does not let us" is a broken file. */
function isBroken(error: unknown): boolean {
  const code = Number((error as { errcode?: unknown } | null)?.errcode ?? 0) & 0xff
  return ![3, 5, 6, 8, 10, 13, 14, 23].includes(code)
}

function moveAside(file: string): string {
  const to = `${file}.broken-${Date.now()}`
  if (existsSync(file)) renameSync(file, to)
  for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  return to
}

function journalOf(
  database: DatabaseSync,
  file: string,
  setAside: string | null,
  log: Log,
  atStart: readonly LoadedOperation[],
): Journal {
  let untouched: readonly LoadedOperation[] | null = atStart
  const insert = database.prepare('INSERT INTO operations (id, created_at, stored, seen) VALUES (?, ?, ?, 1)')
  const addEvent = database.prepare('INSERT INTO events (operation, place, event) VALUES (?, ?, ?)')
  const markSeen = database.prepare('UPDATE operations SET seen = ? WHERE id = ?')
  const drop = database.prepare('DELETE FROM operations WHERE id = ?')

  function safely<T>(work: () => T): T {
    untouched = null
    try {
      return work()
    } catch (error) {
      const reason = describe(error)
      log.error('the journal could not be written', { reason })
      throw new AppError(
        {
          kind: 'refused',
          code: 'JOURNAL_FAILED',
          message: `The journal could not be written (${reason}). Is the disk full or read-only?`,
          retryable: false,
          params: { reason },
        },
        { cause: error },
      )
    }
  }
  function together(work: () => void): void {
    safely(() => {
      database.exec('BEGIN IMMEDIATE')
      try {
        work()
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    })
  }

  return {
    load: () => untouched ?? loaded(database, log),
    events(id) {
      const rows = database.prepare('SELECT event FROM events WHERE operation = ? ORDER BY place').all(id)
      return rows.flatMap((row) => {
        const parsed = operationEventSchema.safeParse(json((row as { event: string }).event))
        return parsed.success ? [parsed.data] : []
      })
    },
    create(operation, first) {
      together(() => {
        insert.run(operation.id, operation.createdAt, JSON.stringify(operation))
        addEvent.run(operation.id, 0, JSON.stringify(first))
      })
    },
    append(id, place, event) {
      safely(() => addEvent.run(id, place, JSON.stringify(event)))
    },
    seen(id, seen) {
      safely(() => markSeen.run(seen ? 1 : 0, id))
    },
    remove(ids) {
      together(() => {
        for (const id of ids) drop.run(id)
      })
      database.exec('PRAGMA incremental_vacuum')
    },
    info() {
      const counts = database
        .prepare(
          'SELECT (SELECT count(*) FROM operations) AS o, (SELECT count(*) FROM events) AS e, (SELECT min(created_at) FROM operations) AS t',
        )
        .get() as { o: number; e: number; t: number | null }
      const pages = database
        .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()')
        .get()
      const bytes = Number((pages as { bytes: number }).bytes)
      return {
        kind: 'sqlite',
        reason: null,
        file,
        bytes,
        operations: counts.o,
        events: counts.e,
        oldestAt: counts.t,
        setAside,
      }
    },
    close: () => database.close(),
  }
}

/** Every record that can be read; an event that cannot is left out and counted in the log, never in the way of the others. */
function loaded(database: DatabaseSync, log: Log): LoadedOperation[] {
  const events = new Map<string, OperationEvent[]>()
  let unreadable = 0
  for (const row of database.prepare('SELECT operation, event FROM events ORDER BY operation, place').iterate()) {
    const { operation, event } = row as { operation: string; event: string }
    const parsed = operationEventSchema.safeParse(json(event))
    if (!parsed.success) unreadable += 1
    else events.set(operation, [...(events.get(operation) ?? []), parsed.data])
  }
  const records: LoadedOperation[] = []
  for (const row of database.prepare('SELECT id, stored, seen FROM operations ORDER BY created_at, rowid').iterate()) {
    const { id, stored, seen } = row as { id: string; stored: string; seen: number }
    const parsed = json(stored)
    if (typeof parsed !== 'object' || parsed === null || Reflect.get(parsed, 'id') !== id) unreadable += 1
    else records.push({ ...without, ...(parsed as StoredOperation), events: events.get(id) ?? [], seen: seen === 1 })
  }
  if (unreadable > 0) log.warn('rows of the journal could not be read', { rows: unreadable })
  return records
}

/** What records of earlier versions do not say. */
const without: Pick<StoredOperation, 'instanceNonce'> = { instanceNonce: null }

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
