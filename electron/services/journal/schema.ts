import type { DatabaseSync } from 'node:sqlite'

/**
 * Every version of the journal's schema; the first brings an empty file to version 1. A step runs in one transaction with the number
 * that it leads to, so that an interrupted upgrade begins again where it was.
 */
const steps: readonly string[] = [
  `CREATE TABLE operations (
     id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, stored TEXT NOT NULL
   ) STRICT;
   CREATE TABLE events (
     operation TEXT NOT NULL REFERENCES operations(id) ON DELETE CASCADE,
     place INTEGER NOT NULL, event TEXT NOT NULL, PRIMARY KEY (operation, place)
   ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE operations ADD COLUMN seen INTEGER NOT NULL DEFAULT 1;
   CREATE INDEX operations_by_time ON operations(created_at);`,
]

export const SCHEMA_VERSION = steps.length

export const schemaVersion = (database: DatabaseSync): number =>
  Number((database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version)

/** Whether the tables are there, and hold to their types: those of somebody else, or of a version that lost its number, are no journal. */
export function hasTables(database: DatabaseSync): boolean {
  const tables = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 1"
  const names = database
    .prepare(tables)
    .all()
    .map(({ name }) => name)
  return ['operations', 'events'].every((table) => names.includes(table))
}

/** Whether the file acts by itself: a trigger can make a row vanish that was said to be written. None of ours does. */
export function hasForeignParts(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type IN ('trigger', 'view') LIMIT 1").get() !== undefined
}

/** Brings a journal to this version. Throws what SQLite throws; the file is then as it was before the failed step. */
export function migrate(database: DatabaseSync): void {
  for (let version = schemaVersion(database); version < SCHEMA_VERSION; version += 1) {
    database.exec('BEGIN IMMEDIATE')
    try {
      database.exec(steps[version] ?? '')
      database.exec(`PRAGMA user_version = ${version + 1}`)
      database.exec('COMMIT')
    } catch (error) {
      database.exec('ROLLBACK')
      throw error
    }
  }
}
