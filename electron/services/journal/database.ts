import { accessSync, closeSync, constants, existsSync, lstatSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import type * as sqliteModule from 'node:sqlite'
import { makeDataDir, tryRemoveFile } from '../files/atomic-file.ts'
import { NotRegularFileError, openRegularFile, getIrregularKind } from '../../system/regular-file.ts'
import { getSchemaVersion } from './schema.ts'

export type Sqlite = typeof sqliteModule
export type Database = sqliteModule.DatabaseSync

/** This runtime's SQLite; null if it has none (Electron before 35). */
export function loadBuiltinSqlite(): Sqlite | null {
  const { emitWarning } = process
  // Node 22 warns that its SQLite is experimental, which would break a command's output.
  process.emitWarning = () => undefined
  try {
    return (process.getBuiltinModule('node:sqlite') as Sqlite | undefined) ?? null
  } catch {
    return null
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Up to this size the indexes are checked too. For larger files the quick check is enough. */
const MAX_FULL_CHECK_BYTES = 32 * 1024 * 1024

/** SQLite follows links and waits on FIFOs. @throws NotRegularFileError */
export function assertRegularFiles(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal', '.bak']) {
    const stats = lstatSync(file + suffix, { throwIfNoEntry: false })
    const kind = stats ? getIrregularKind(stats) : null
    if (kind !== null) throw new NotRegularFileError(kind)
  }
}

/**
 * Reads a file's schema version without changing the file, unless an interrupted transaction has to
 * be undone first. Throws the errors of SQLite.
 * @returns 0 if there is no file.
 * @throws BrokenJournalError when a check finds damage
 */
export function readSchemaVersion(sqlite: Sqlite, file: string): number {
  if (!existsSync(file)) return 0
  const isInterrupted = (statSync(`${file}-journal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  const database = new sqlite.DatabaseSync(file, { readOnly: !isInterrupted })
  try {
    const kind = statSync(file).size < MAX_FULL_CHECK_BYTES ? 'integrity_check' : 'quick_check'
    const result: Record<string, unknown> = database.prepare(`PRAGMA ${kind}(1)`).get() ?? {}
    if (result[kind] !== 'ok') throw new BrokenJournalError(String(result[kind]))
    const version = getSchemaVersion(database)
    // Upgrades start at the version, so a negative version would cause up to two billion steps.
    if (version < 0) throw new BrokenJournalError('its version is negative')
    return version
  } finally {
    closeQuietly(database)
  }
}

/**
 * Opens a database of this version or an earlier one so that acknowledged writes survive a power
 * cut. Throws the errors of SQLite.
 * @param mode where SQLite keeps what it needs to undo or repeat a transaction; a file in the other
 *   mode is converted.
 */
export function openDatabase(sqlite: Sqlite, file: string, mode: 'TRUNCATE' | 'WAL'): Database {
  makePrivate(file)
  const database = new sqlite.DatabaseSync(file)
  try {
    // SQLite accepts this setting only for an empty file.
    if (getSchemaVersion(database) === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL')
    database.exec(
      `PRAGMA busy_timeout = 500; PRAGMA synchronous = FULL; PRAGMA journal_mode = ${mode}; PRAGMA foreign_keys = ON`,
    )
    // Shows now whether the file can be written, before the user wants to send something.
    database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${getSchemaVersion(database)}; ROLLBACK`)
    return database
  } catch (error) {
    closeQuietly(database)
    throw getSqliteErrorCode(error) === SQLITE_READONLY && isWritable(file)
      ? new BrokenJournalError('it calls itself read-only')
      : error
  }
}

/** Call before its first byte: SQLite gives the files beside it the same permissions. */
function makePrivate(file: string): void {
  makeDataDir(path.dirname(file))
  closeSync(openRegularFile(file, constants.O_RDWR | constants.O_CREAT))
}

const SQLITE_READONLY = 8

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK)
    accessSync(path.dirname(file), constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Finds a flipped byte in the name of a column, which passes all checks of SQLite. */
export function hasMigratedTables(sqlite: Sqlite, database: Database, migrate: (database: Database) => void): boolean {
  const reference = new sqlite.DatabaseSync(':memory:')
  try {
    migrate(reference)
    const names = new Set(listColumns(database))
    return listColumns(reference).every((name) => names.has(name))
  } finally {
    closeQuietly(reference)
  }
}

function listColumns(database: Database): string[] {
  const rows = database
    .prepare(
      `SELECT tables.name AS owner, columns.name AS name
       FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'`,
    )
    .all()
  return rows.map(({ owner, name }) => JSON.stringify([owner, name]))
}

/** Thrown for a file that SQLite accepts but that is not a journal. */
export class BrokenJournalError extends Error {}

/** Thrown when a step of an upgrade failed. The file is intact and unchanged. */
export class UpgradeError extends Error {}

/** No damage: permission, busy, memory, read-only, disk, full, cannot be opened, not allowed. */
const ENVIRONMENT_ERRORS = new Set([3, 5, 6, 7, 8, 10, 13, 14, 23])
const SQLITE_IOERR_SHORT_READ = 522

/** The file itself is broken, so that it should be moved aside. */
export function isBrokenFileError(error: unknown): boolean {
  if (error instanceof UpgradeError || error instanceof NotRegularFileError) return false
  // A file system that cannot be written to says nothing about the contents of the file.
  if (typeof (error as NodeJS.ErrnoException | null)?.syscall === 'string') return false
  const code = getSqliteErrorCode(error)
  return code === SQLITE_IOERR_SHORT_READ || !ENVIRONMENT_ERRORS.has(code & 0xff)
}

/** SQLite's own error code; 0 for any other error. */
export function getSqliteErrorCode(error: unknown): number {
  return Number((error as { errcode?: unknown } | null)?.errcode ?? 0)
}

export function closeQuietly(database: Database): void {
  try {
    database.close()
  } catch {
    // The database was never open, or is already closed.
  }
}

/** Copies the whole journal. An old copy stays until the new one is complete. */
export function copyDatabase(database: Database, copyPath: string): void {
  const temporary = `${copyPath}.tmp`
  tryRemoveFile(temporary)
  makePrivate(temporary)
  database.prepare('VACUUM INTO ?').run(temporary)
  renameSync(temporary, copyPath)
}

/** Moves a broken database and its journal or log out of the way, and returns the new path. */
export function moveFileAside(file: string, now = Date.now()): string {
  const target = `${file}.broken-${now}`
  for (const suffix of ['-journal', '-wal', '-shm', '']) {
    if (existsSync(file + suffix)) renameSync(file + suffix, target + suffix)
  }
  return target
}
