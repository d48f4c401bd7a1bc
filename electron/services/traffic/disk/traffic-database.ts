import { existsSync } from 'node:fs'
import path from 'node:path'
import type { MemoryStoreReason } from '../../../../shared/ipc/traffic.ts'
import type { NewNotice } from '../../notices.ts'
import {
  BrokenJournalError,
  loadBuiltinSqlite,
  closeQuietly,
  hasFullTextSearch,
  isBrokenFileError,
  openDatabase,
  readSchemaVersion,
  assertRegularFiles,
  moveFileAside,
  type Database,
  type Sqlite,
} from '../../journal/database.ts'
import { TRAFFIC_FILE } from '../traffic-store.ts'
import { hasTrafficTables, migrateTraffic, SCHEMA_VERSION } from './schema.ts'

export interface OpenedDatabase {
  /** Null if there is none; `reason` says why. */
  readonly database: Database | null
  readonly reason: MemoryStoreReason | null
  readonly file: string
  readonly setAside: string | null
  readonly notices: readonly NewNotice[]
}

/**
 * Opens the traffic store. Never throws. A file that is broken is set aside and a new one begun:
 * traffic is worth less than an operation, so there is no copy. One of a newer version, or one that
 * cannot be opened, stays as it is.
 */
export function openTrafficDatabase(dataDir: string, sqlite: Sqlite | null = loadBuiltinSqlite()): OpenedDatabase {
  const file = path.join(dataDir, TRAFFIC_FILE)
  const none = (code: MemoryStoreReason, message: string): OpenedDatabase => {
    const notices = [{ level: 'warning' as const, code, message }]
    return { database: null, reason: code, file, setAside: null, notices }
  }
  if (!sqlite || !hasFullTextSearch(sqlite))
    return none(
      'TRAFFIC_NO_DATABASE',
      'This runtime has no database that can be searched: only the last exchanges are kept, in memory.',
    )
  try {
    assertRegularFiles(file)
    try {
      return { database: open(sqlite, file), reason: null, file, setAside: null, notices: [] }
    } catch (error) {
      if (error instanceof Newer) {
        return none('TRAFFIC_NEWER', 'The recorded traffic was written by a newer version and was left as it is.')
      }
      if (!isBrokenFileError(error)) throw error
    }
    const aside = moveFileAside(file)
    const params = { file: path.basename(aside) }
    const message = `The recorded traffic was damaged and set aside as ${params.file}. A new record has begun.`
    const notices = [{ level: 'warning' as const, code: 'TRAFFIC_BROKEN', message, params }]
    return { database: open(sqlite, file), reason: null, file, setAside: aside, notices }
  } catch {
    return none(
      'TRAFFIC_UNAVAILABLE',
      'The recorded traffic cannot be opened: only the last exchanges are kept, in memory.',
    )
  }
}

/**
 * The last different requests in the store of a data directory, newest first, for whoever completes
 * what is typed; none if there is no store that can be read. Changes nothing, and works beside a
 * running app.
 */
export function readRecentRequests(dataDir: string, most: number): { method: string; path: string }[] {
  const sqlite = loadBuiltinSqlite()
  const file = path.join(dataDir, TRAFFIC_FILE)
  if (sqlite === null || !existsSync(file)) return []
  try {
    assertRegularFiles(file)
    const database = new sqlite.DatabaseSync(file, { readOnly: true })
    try {
      const rows = database.prepare(
        'SELECT method, path FROM exchanges GROUP BY method, path ORDER BY max(seq) DESC LIMIT ?',
      )
      return rows.all(most).map(({ method, path: asked }) => ({ method: String(method), path: String(asked) }))
    } finally {
      closeQuietly(database)
    }
  } catch {
    return []
  }
}

class Newer extends Error {}

function open(sqlite: Sqlite, file: string): Database {
  const version = readSchemaVersion(sqlite, file)
  if (version > SCHEMA_VERSION) throw new Newer()
  const database = openDatabase(sqlite, file, 'WAL')
  try {
    // A power cut may cost the last moments, never the file.
    database.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384; PRAGMA mmap_size = 268435456')
    migrateTraffic(database)
    if (!hasTrafficTables(database)) throw new BrokenJournalError('its tables are missing')
    return database
  } catch (error) {
    closeQuietly(database)
    throw error
  }
}
