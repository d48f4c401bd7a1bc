import path from 'node:path'
import type { MemoryStoreReason } from '../../../../shared/ipc/traffic.ts'
import type { NewNotice } from '../../notices.ts'
import {
  BrokenJournalError,
  loadBuiltinSqlite,
  closeQuietly,
  hasMigratedTables,
  isBrokenFileError,
  openDatabase,
  readSchemaVersion,
  assertRegularFiles,
  moveFileAside,
  type Database,
  type Sqlite,
} from '../../journal/database.ts'
import { TRAFFIC_FILE } from '../traffic-store.ts'
import { migrateTraffic, SCHEMA_VERSION } from './schema.ts'

export interface OpenedDatabase {
  /** Null if the database could not be opened; `reason` is then set. */
  readonly database: Database | null
  readonly reason: MemoryStoreReason | null
  readonly file: string
  readonly setAside: string | null
  readonly notices: readonly NewNotice[]
}

/**
 * Opens the traffic store. Never throws. A damaged file is renamed and a new one is created; there
 * is no backup, because traffic is worth less than operations. A file of a newer version, or a file
 * that cannot be opened, stays unchanged.
 */
export function openTrafficDatabase(dataDir: string, sqlite: Sqlite | null = loadBuiltinSqlite()): OpenedDatabase {
  const file = path.join(dataDir, TRAFFIC_FILE)
  const createFailure = (code: MemoryStoreReason, message: string): OpenedDatabase => {
    const notices = [{ level: 'warning' as const, code, message }]
    return { database: null, reason: code, file, setAside: null, notices }
  }
  if (!sqlite)
    return createFailure(
      'TRAFFIC_NO_DATABASE',
      'This runtime has no database: only the last exchanges are kept, in memory.',
    )
  try {
    assertRegularFiles(file)
    try {
      return { database: openStore(sqlite, file), reason: null, file, setAside: null, notices: [] }
    } catch (error) {
      if (error instanceof NewerVersionError) {
        return createFailure(
          'TRAFFIC_NEWER',
          'The recorded traffic was written by a newer version and was left as it is.',
        )
      }
      if (!isBrokenFileError(error)) throw error
    }
    const movedFile = moveFileAside(file)
    const params = { file: path.basename(movedFile) }
    const message = `The recorded traffic was damaged and set aside as ${params.file}. A new record has begun.`
    const notices = [{ level: 'warning' as const, code: 'TRAFFIC_BROKEN', message, params }]
    return { database: openStore(sqlite, file), reason: null, file, setAside: movedFile, notices }
  } catch {
    return createFailure(
      'TRAFFIC_UNAVAILABLE',
      'The recorded traffic cannot be opened: only the last exchanges are kept, in memory.',
    )
  }
}

class NewerVersionError extends Error {}

function openStore(sqlite: Sqlite, file: string): Database {
  const version = readSchemaVersion(sqlite, file)
  if (version > SCHEMA_VERSION) throw new NewerVersionError()
  const database = openDatabase(sqlite, file, 'WAL')
  try {
    // With NORMAL, a power cut may lose the last entries, but does not damage the file.
    database.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384; PRAGMA mmap_size = 268435456')
    migrateTraffic(database)
    if (!hasMigratedTables(sqlite, database, migrateTraffic))
      throw new BrokenJournalError('its tables are not those of this program')
    return database
  } catch (error) {
    closeQuietly(database)
    throw error
  }
}
