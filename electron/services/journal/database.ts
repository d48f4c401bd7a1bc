import { accessSync, closeSync, constants, existsSync, lstatSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import type * as sqliteModule from 'node:sqlite'
import { makeDataDir, removeQuietly } from '../files/atomic.ts'
import { NotRegular, openRegular, strangeKind } from '../files/regular.ts'
import { describe, type Log } from '../log.ts'
import { schemaVersion } from './schema.ts'

export type Sqlite = typeof sqliteModule
export type Database = sqliteModule.DatabaseSync

/** SQLite of this runtime; null where it has none (Node before 22.5, Electron before 35). */
export function builtinSqlite(): Sqlite | null {
  try {
    return (process.getBuiltinModule('node:sqlite') as Sqlite | undefined) ?? null
  } catch {
    return null
  }
}

/** Up to this size indexes are checked as well, which takes a moment; the quick check finds what matters in larger ones. */
const THOROUGH_BYTES = 32 * 1024 * 1024

/** SQLite follows links and waits for FIFOs: none of the files that it opens may be one. Throws `NotRegular`. */
export function refuseStrange(file: string): void {
  for (const end of ['', '-wal', '-shm', '-journal', '.bak']) {
    const stats = lstatSync(file + end, { throwIfNoEntry: false })
    const kind = stats ? strangeKind(stats) : null
    if (kind !== null) throw new NotRegular(kind)
  }
}

/**
 * The schema's version of a file, without changing a byte of it; 0 where there is none. Throws what SQLite throws, and `BrokenJournal`: what
 * is set aside is what was found.
 */
export function peekVersion(sqlite: Sqlite, file: string): number {
  if (!existsSync(file)) return 0
  const database = new sqlite.DatabaseSync(file, { readOnly: true })
  try {
    const kind = statSync(file).size < THOROUGH_BYTES ? 'integrity_check' : 'quick_check'
    const found: Record<string, unknown> = database.prepare(`PRAGMA ${kind}(1)`).get() ?? {}
    if (found[kind] !== 'ok') throw new BrokenJournal(String(found[kind]))
    return schemaVersion(database)
  } finally {
    closeQuietly(database)
  }
}

/** Opens a journal of this version or an earlier one, for acknowledged writes that survive a power cut. Throws what SQLite throws. */
export function openDatabase(sqlite: Sqlite, file: string): Database {
  makePrivate(file)
  const database = new sqlite.DatabaseSync(file)
  try {
    // It takes effect on an empty file alone.
    if (schemaVersion(database) === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL')
    database.exec(
      'PRAGMA busy_timeout = 500; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON',
    )
    // Better known now than when somebody wants to send something.
    database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${schemaVersion(database)}; ROLLBACK`)
    return database
  } catch (error) {
    closeQuietly(database)
    throw codeOf(error) === READ_ONLY && isWritable(file) ? new BrokenJournal('it calls itself read-only') : error
  }
}

/**
 * Brings what is in the log into the database and empties the log, so that no damage to the log costs anything. Where that fails, what was
 * committed is on the disk all the same.
 */
export function emptyLog(database: Database, log: Log): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    log.warn('the log of the journal could not be emptied', { reason: describe(error) })
  }
}

/** For its user alone, from the first byte on; SQLite gives its log the same permissions. */
function makePrivate(file: string): void {
  makeDataDir(path.dirname(file))
  closeSync(openRegular(file, constants.O_RDWR | constants.O_CREAT))
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

/** What SQLite itself found nothing wrong with, and yet is no journal. */
export class BrokenJournal extends Error {}

/** A step of an upgrade failed: the file is as it was, and whole. */
export class UpgradeFailed extends Error {}

/** Permission, busy, memory, read-only, disk, full, cannot be opened, not allowed: no fault of the file. */
const SURROUNDINGS = new Set([3, 5, 6, 7, 8, 10, 13, 14, 23])
const SHORT_READ = 522

/** Whether a file that could not be opened is broken itself: then it is set aside. */
export function isBroken(error: unknown): boolean {
  if (error instanceof UpgradeFailed || error instanceof NotRegular) return false
  // A file system that does not let itself be written to says nothing of what stands in the file.
  if (typeof (error as NodeJS.ErrnoException | null)?.syscall === 'string') return false
  const code = codeOf(error)
  return code === SHORT_READ || !SURROUNDINGS.has(code & 0xff)
}

/** SQLite's own code; 0 where it is none of its errors. */
export const codeOf = (error: unknown): number => Number((error as { errcode?: unknown } | null)?.errcode ?? 0)

export function closeQuietly(database: Database): void {
  try {
    database.close()
  } catch {
    // It was never open, or is closed already.
  }
}

/** Copies the whole journal, also what is still in its log; an old copy stays until the new one is complete. */
export function copyTo(database: Database, copy: string): void {
  const temporary = `${copy}.tmp`
  removeQuietly(temporary)
  makePrivate(temporary)
  database.prepare('VACUUM INTO ?').run(temporary)
  renameSync(temporary, copy)
}

/** Puts a broken journal where it is in nobody's way, with its log, and answers where. */
export function setAside(file: string, now = Date.now()): string {
  const to = `${file}.broken-${now}`
  for (const end of ['-wal', '-shm', '']) {
    if (existsSync(file + end)) renameSync(file + end, to + end)
  }
  return to
}
