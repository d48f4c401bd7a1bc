import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { isWithinDepth } from './value-depth.ts'
import { readRegularFile } from '../../system/regular-file.ts'

interface WriteOptions {
  /** Mode of the new file; only the user may read what we keep. */
  readonly mode?: number
  /**
   * What `<file>.bak` holds afterwards: the previous text, the new one (if the old one must not
   * survive), or no backup is kept.
   */
  readonly backup?: 'previous' | 'same' | 'none'
  /** False for what is worth nothing after the system has gone down: the disk is not waited for. */
  readonly isDurable?: boolean
}

/**
 * Writes a file through a temporary file, fsync and rename, so that a crash leaves either the old
 * or the new text, never a part of it. Throws `STORE_FAILED` if the disk does not accept it; the
 * old file is unchanged then.
 */
export function writeAtomic(
  file: string,
  text: string,
  { mode = 0o600, backup = 'previous', isDurable: lasting = true }: WriteOptions = {},
): void {
  const temporary = `${file}.${process.pid}.tmp`
  try {
    makeDataDir(path.dirname(file))
    writeThrough(temporary, text, mode, lasting)
    if (backup === 'previous' && existsSync(file)) replaceBackup(file, readRegularFile(file).text, mode)
    renameSync(temporary, file)
    if (backup === 'same') replaceBackup(file, text, mode)
  } catch (error) {
    tryRemoveFile(temporary)
    throw storeFailed(file, error)
  }
}

/** By renaming: a link or FIFO in place of the backup is replaced, never written through. */
function replaceBackup(file: string, text: string, mode: number): void {
  const temporary = `${file}.bak.${process.pid}.tmp`
  try {
    writeThrough(temporary, text, mode)
    renameSync(temporary, `${file}.bak`)
  } finally {
    tryRemoveFile(temporary)
  }
}

/** Removes a file if possible; whatever is left is replaced by the next write. */
export function tryRemoveFile(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // There is no such file, or we may not remove it.
  }
}

/** Creates the folder for what the program keeps; a newly created one is private. */
export function makeDataDir(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
}

/**
 * Writes to a new file: whatever another process left under this name is removed, never written
 * through.
 */
function writeThrough(file: string, text: string, mode: number, lasting = true): void {
  rmSync(file, { force: true })
  const handle = openSync(file, 'wx', mode)
  try {
    writeFileSync(handle, text)
    if (lasting) fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function storeFailed(file: string, error: unknown): AppError {
  const name = path.basename(file)
  const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
  return new AppError(
    {
      kind: 'internal',
      code: 'STORE_FAILED',
      message: `${name} could not be written (${reason}). Is the disk full or read-only?`,
      retryable: true,
      params: { file: name, reason },
    },
    { cause: error },
  )
}

export type JsonFileOutcome = 'ok' | 'absent' | 'backup' | 'lost'

/**
 * Reads a JSON file that `writeAtomic` wrote. `accept` tells whether a parsed value has the right
 * shape; a file whose value does not is set aside as `<file>.corrupt-<time>`, and the backup is
 * tried. `outcome` tells which one was used. Never throws.
 */
export function readJsonFile(
  file: string,
  accept: (value: unknown) => boolean,
): { value: unknown; outcome: JsonFileOutcome } {
  const first = tryRead(file, accept)
  if (first !== undefined) return { value: first, outcome: 'ok' }
  const present = existsSync(file)
  if (present) setAside(file)
  const backup = tryRead(`${file}.bak`, accept)
  if (backup !== undefined) return { value: backup, outcome: 'backup' }
  return { value: undefined, outcome: present || existsSync(`${file}.bak`) ? 'lost' : 'absent' }
}

/**
 * Maximum nesting of our files; foreign members are written back, so it must be possible to write
 * them.
 */
const MAX_DEPTH = 100

function tryRead(file: string, accept: (value: unknown) => boolean): unknown {
  try {
    // Editors on Windows put a byte order mark at the beginning.
    const value: unknown = JSON.parse(readRegularFile(file).text.replace(/^\uFEFF/, ''))
    return isWithinDepth(value, MAX_DEPTH) && accept(value) ? value : undefined
  } catch {
    return undefined
  }
}

function setAside(file: string): void {
  try {
    renameSync(file, `${file}.corrupt-${Date.now()}`)
  } catch {
    // It stays where it is: a later write replaces it and keeps it as the backup.
  }
}
