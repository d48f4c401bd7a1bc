import type { DatabaseSync } from 'node:sqlite'

/**
 * The steps from each version of the schema to the next; the first takes an empty file to version
 * 1. Each runs in one transaction with the version number that it leads to, so an interrupted
 * upgrade resumes where it stopped.
 */
const MIGRATIONS: readonly string[] = [
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

export const SCHEMA_VERSION = MIGRATIONS.length

export function getSchemaVersion(database: DatabaseSync): number {
  return Number((database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version)
}

/** The tables exist and are strict. Those of another program are not a journal. */
export function hasJournalTables(database: DatabaseSync): boolean {
  const tables = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 1"
  const names = database
    .prepare(tables)
    .all()
    .map(({ name }) => name)
  return ['operations', 'events'].every((table) => names.includes(table))
}

/** This program creates none, and one could delete a row that was reported as written. */
export function hasTriggersOrViews(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type IN ('trigger', 'view') LIMIT 1").get() !== undefined
}

/** Throws SQLite's errors; the file is then as it was before the failed step. */
export function migrateJournal(database: DatabaseSync): void {
  for (let version = getSchemaVersion(database); version < SCHEMA_VERSION; version += 1) {
    database.exec('BEGIN IMMEDIATE')
    try {
      database.exec(MIGRATIONS[version] ?? '')
      database.exec(`PRAGMA user_version = ${version + 1}`)
      database.exec('COMMIT')
    } catch (error) {
      database.exec('ROLLBACK')
      throw error
    }
  }
}
