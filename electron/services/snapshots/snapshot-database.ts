import path from 'node:path'
import type { NewNotice } from '../notices.ts'
import {
  BrokenJournalError,
  assertRegularFiles,
  closeQuietly,
  hasMigratedTables,
  isBrokenFileError,
  loadBuiltinSqlite,
  moveFileAside,
  openDatabase,
  readSchemaVersion,
  type Database,
  type Sqlite,
} from '../journal/database.ts'
import { getSchemaVersion } from '../journal/schema.ts'

export const SNAPSHOTS_FILE = 'snapshots.db'

/**
 * SQL statements that convert each version to the next. Released statements must not change; see
 * the journal's schema. A snapshot without `base` holds all cards, another one what differs from
 * its base.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE snapshots (
     id INTEGER PRIMARY KEY AUTOINCREMENT, topicid TEXT NOT NULL, host TEXT NOT NULL, hash TEXT NOT NULL,
     started_at REAL NOT NULL, ended_at REAL NOT NULL, seen_at REAL NOT NULL, facts TEXT NOT NULL,
     base INTEGER REFERENCES snapshots(id), coding INTEGER NOT NULL, cards BLOB NOT NULL
   ) STRICT;
   CREATE INDEX snapshots_by_topic ON snapshots(topicid, id);
   CREATE INDEX snapshots_by_base ON snapshots(base) WHERE base IS NOT NULL;
   CREATE TABLE writes (id INTEGER PRIMARY KEY AUTOINCREMENT, ended_at REAL NOT NULL, entry TEXT NOT NULL) STRICT;
   CREATE INDEX writes_by_time ON writes(ended_at);`,
  // The index holds both ends, so that a search reads only the calls that it finds.
  `ALTER TABLE writes ADD COLUMN started_at REAL NOT NULL DEFAULT 0;
   UPDATE writes SET started_at = coalesce(json_extract(entry, '$.startedAt'), 0);
   DROP INDEX writes_by_time;
   CREATE INDEX writes_by_time ON writes(ended_at, started_at);`,
]

export interface OpenedSnapshots {
  /** Null if snapshots can only be kept in memory. */
  readonly database: Database | null
  readonly notices: readonly NewNotice[]
}

/**
 * Opens the store of snapshots. Never throws. A damaged file is renamed and a new one is created;
 * there is no backup, because a snapshot can be taken again. A file of a newer version, or a file
 * that cannot be opened, stays unchanged, and snapshots are kept in memory.
 */
export function openSnapshotDatabase(dataDir: string, sqlite: Sqlite | null = loadBuiltinSqlite()): OpenedSnapshots {
  const file = path.join(dataDir, SNAPSHOTS_FILE)
  const createFailure = (code: string, message: string): OpenedSnapshots => ({
    database: null,
    notices: [{ level: 'warning', code, message }],
  })
  // The store of traffic says already that this runtime has no database.
  if (!sqlite) return { database: null, notices: [] }
  try {
    assertRegularFiles(file)
    try {
      return { database: openFile(sqlite, file), notices: [] }
    } catch (error) {
      if (error instanceof NewerVersionError) return createFailure('SNAPSHOTS_NEWER', NEWER)
      if (!isBrokenFileError(error)) throw error
    }
    const params = { file: path.basename(moveFileAside(file)) }
    const message = `The stored snapshots were damaged and set aside as ${params.file}. New ones are taken from now on.`
    const notices = [{ level: 'warning' as const, code: 'SNAPSHOTS_BROKEN', message, params }]
    return { database: openFile(sqlite, file), notices }
  } catch {
    return createFailure('SNAPSHOTS_UNAVAILABLE', UNAVAILABLE)
  }
}

/** Opens only to read, as another program may use them; null if none can be read. */
export function openStoredSnapshots(dataDir: string): Database | null {
  const sqlite = loadBuiltinSqlite()
  const file = path.join(dataDir, SNAPSHOTS_FILE)
  try {
    assertRegularFiles(file)
    if (!sqlite) return null
    const database = new sqlite.DatabaseSync(file, { readOnly: true })
    if (getSchemaVersion(database) === MIGRATIONS.length && hasMigratedTables(sqlite, database, migrate))
      return database
    closeQuietly(database)
    return null
  } catch {
    return null
  }
}

const NEWER =
  'The stored snapshots were written by a newer version and were left as they are. New ones are kept in memory.'
const UNAVAILABLE = 'The stored snapshots cannot be opened: new ones are kept in memory and end with the program.'

class NewerVersionError extends Error {}

function openFile(sqlite: Sqlite, file: string): Database {
  if (readSchemaVersion(sqlite, file) > MIGRATIONS.length) throw new NewerVersionError()
  const database = openDatabase(sqlite, file, 'WAL')
  try {
    // With NORMAL, a power cut may lose the last snapshot, but does not damage the file.
    database.exec('PRAGMA synchronous = NORMAL')
    migrate(database)
    if (!hasMigratedTables(sqlite, database, migrate))
      throw new BrokenJournalError('its tables are not those of this program')
    return database
  } catch (error) {
    closeQuietly(database)
    throw error
  }
}

function migrate(database: Database): void {
  for (let version = getSchemaVersion(database); version < MIGRATIONS.length; version += 1) {
    database.exec(`BEGIN IMMEDIATE; ${MIGRATIONS[version] ?? ''}; PRAGMA user_version = ${version + 1}; COMMIT`)
  }
}
