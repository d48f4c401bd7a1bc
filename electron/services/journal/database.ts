import { accessSync, closeSync, constants, existsSync, lstatSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import type * as sqliteModule from 'node:sqlite'
import { makeDataDir, tryRemoveFile } from '../files/atomic-file.ts'
import { NotRegularFileError, openRegularFile, getIrregularKind } from '../../system/regular-file.ts'
import { getSchemaVersion } from './schema.ts'

export type Sqlite = typeof sqliteModule
export type Database = sqliteModule.DatabaseSync

/** This runtime's SQLite; null if it has none (Node before 22.5, Electron before 35). */
export function loadBuiltinSqlite(): Sqlite | null {
  const { emitWarning } = process
  // Node 22 warns on standard error that its SQLite is experimental, in the middle of what a command prints.
  process.emitWarning = () => undefined
  try {
    return (process.getBuiltinModule('node:sqlite') as Sqlite | undefined) ?? null
  } catch {
    return null
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Whether this SQLite has full-text search; that of Node 22.13 has none. */
export function hasFullTextSearch(sqlite: Sqlite): boolean {
  const database = new sqlite.DatabaseSync(':memory:')
  try {
    return database.prepare("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").get() !== undefined
  } finally {
    closeQuietly(database)
  }
}

/** Up to this size the indexes are checked as well, which takes a moment; in larger files the quick check finds what matters. */
const THOROUGH_BYTES = 32 * 1024 * 1024

/** SQLite follows links and waits on FIFOs, so none of the files that it opens may be one. Throws `NotRegular`. */
export function assertRegularFiles(file: string): void {
  for (const end of ['', '-wal', '-shm', '-journal', '.bak']) {
    const stats = lstatSync(file + end, { throwIfNoEntry: false })
    const kind = stats ? getIrregularKind(stats) : null
    if (kind !== null) throw new NotRegularFileError(kind)
  }
}

/**
 * A file's schema version, read without changing a byte of it unless a transaction that was cut short has to be undone first; 0 if there is
 * no file. Throws what SQLite throws, and `BrokenJournal`: a file that is set aside is set aside as it was found.
 */
export function readSchemaVersion(sqlite: Sqlite, file: string): number {
  if (!existsSync(file)) return 0
  const isCutShort = (statSync(`${file}-journal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  const database = new sqlite.DatabaseSync(file, { readOnly: !isCutShort })
  try {
    const kind = statSync(file).size < THOROUGH_BYTES ? 'integrity_check' : 'quick_check'
    const found: Record<string, unknown> = database.prepare(`PRAGMA ${kind}(1)`).get() ?? {}
    if (found[kind] !== 'ok') throw new BrokenJournalError(String(found[kind]))
    const version = getSchemaVersion(database)
    // An upgrade would begin two thousand million versions ago.
    if (version < 0) throw new BrokenJournalError('its version is negative')
    return version
  } finally {
    closeQuietly(database)
  }
}

/**
 * Opens a database of this version or an earlier one so that acknowledged writes survive a power cut. `mode` is where SQLite keeps what it
 * needs to undo or repeat a transaction; a file in the other mode is converted. Throws what SQLite throws.
 */
export function openDatabase(sqlite: Sqlite, file: string, mode: 'TRUNCATE' | 'WAL'): Database {
  makePrivate(file)
  const database = new sqlite.DatabaseSync(file)
  try {
    // Only takes effect on an empty file.
    if (getSchemaVersion(database) === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL')
    database.exec(
      `PRAGMA busy_timeout = 500; PRAGMA synchronous = FULL; PRAGMA journal_mode = ${mode}; PRAGMA foreign_keys = ON`,
    )
    // Better to find out now than when somebody wants to send something.
    database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${getSchemaVersion(database)}; ROLLBACK`)
    return database
  } catch (error) {
    closeQuietly(database)
    throw getSqliteErrorCode(error) === READ_ONLY && isWritable(file)
      ? new BrokenJournalError('it calls itself read-only')
      : error
  }
}

/** Private to its user from the first byte on; SQLite gives the files beside it the same permissions. */
function makePrivate(file: string): void {
  makeDataDir(path.dirname(file))
  closeSync(openRegularFile(file, constants.O_RDWR | constants.O_CREAT))
}

const READ_ONLY = 8

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK)
    accessSync(path.dirname(file), constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** SQLite found nothing wrong with the file, and yet it is not a journal. */
export class BrokenJournalError extends Error {}

/** A step of an upgrade failed; the file is intact and unchanged. */
export class UpgradeError extends Error {}

/** Permission, busy, memory, read-only, disk, full, cannot be opened, not allowed: not the file's fault. */
const SURROUNDINGS = new Set([3, 5, 6, 7, 8, 10, 13, 14, 23])
const SHORT_READ = 522

/** Whether a file that could not be opened is itself broken, so that it should be set aside. */
export function isBrokenFileError(error: unknown): boolean {
  if (error instanceof UpgradeError || error instanceof NotRegularFileError) return false
  // A file system that cannot be written to says nothing about the file's contents.
  if (typeof (error as NodeJS.ErrnoException | null)?.syscall === 'string') return false
  const code = getSqliteErrorCode(error)
  return code === SHORT_READ || !SURROUNDINGS.has(code & 0xff)
}

/** SQLite's own error code; 0 for any other error. */
export const getSqliteErrorCode = (error: unknown): number =>
  Number((error as { errcode?: unknown } | null)?.errcode ?? 0)

export function closeQuietly(database: Database): void {
  try {
    database.close()
  } catch {
    // It was never open, or is already closed.
  }
}

/** Copies the whole journal; an old copy stays until the new one is complete. */
export function copyDatabase(database: Database, copy: string): void {
  const temporary = `${copy}.tmp`
  tryRemoveFile(temporary)
  makePrivate(temporary)
  database.prepare('VACUUM INTO ?').run(temporary)
  renameSync(temporary, copy)
}

/** Moves a broken database, with its journal or log, out of the way. Returns the new path. */
export function moveFileAside(file: string, now = Date.now()): string {
  const to = `${file}.broken-${now}`
  for (const end of ['-journal', '-wal', '-shm', '']) {
    if (existsSync(file + end)) renameSync(file + end, to + end)
  }
  return to
}
