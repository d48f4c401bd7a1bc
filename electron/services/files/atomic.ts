import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { isShallow } from '../../../shared/json/shallow.ts'
import { readRegular } from './regular.ts'

interface WriteOptions {
  /** Of the new file; only the user may read what we keep. */
  readonly mode?: number
  /** What `<file>.bak` holds afterwards: the text before this one, or this one (where the old one must not survive). */
  readonly backup?: 'previous' | 'same'
}

/**
 * Writes a file so that a crash leaves the old or the new text, never a part: temporary file, fsync, rename. Throws
 * `STORE_FAILED` when the disk does not take it; then the old file stands as it was.
 */
export function writeAtomic(
  file: string,
  text: string,
  { mode = 0o600, backup = 'previous' }: WriteOptions = {},
): void {
  const temporary = `${file}.${process.pid}.tmp`
  try {
    makeDataDir(path.dirname(file))
    writeThrough(temporary, text, mode)
    if (backup === 'previous' && existsSync(file)) replaceBackup(file, readRegular(file).text, mode)
    renameSync(temporary, file)
    if (backup === 'same') replaceBackup(file, text, mode)
  } catch (error) {
    removeQuietly(temporary)
    throw storeFailed(file, error)
  }
}

/** By a rename: a link or FIFO in place of the backup is replaced, never written through. */
function replaceBackup(file: string, text: string, mode: number): void {
  const temporary = `${file}.bak.${process.pid}.tmp`
  try {
    writeThrough(temporary, text, mode)
    renameSync(temporary, `${file}.bak`)
  } finally {
    removeQuietly(temporary)
  }
}

/** Removes a file where that is possible; what stays behind is replaced by the next write. */
export function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // No file of ours, or not ours to remove.
  }
}

/** Makes the folder for what the program keeps; where it makes it, nobody else may look into it. */
export function makeDataDir(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
}

/** Into a file of its own: what another process left under this name is removed, never written through. */
function writeThrough(file: string, text: string, mode: number): void {
  rmSync(file, { force: true })
  const handle = openSync(file, 'wx', mode)
  try {
    writeFileSync(handle, text)
    fsyncSync(handle)
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

export type ReadOutcome = 'ok' | 'absent' | 'backup' | 'lost'

/**
 * Reads a JSON file that `writeAtomic` wrote. `accept` says whether a parsed value is of the right shape; a file that is
 * not is set aside as `<file>.corrupt-<time>` and the backup is tried. `outcome` says which of them it was. Never throws.
 */
export function readJsonFile(
  file: string,
  accept: (value: unknown) => boolean,
): { value: unknown; outcome: ReadOutcome } {
  const first = tryRead(file, accept)
  if (first !== undefined) return { value: first, outcome: 'ok' }
  const present = existsSync(file)
  if (present) setAside(file)
  const backup = tryRead(`${file}.bak`, accept)
  if (backup !== undefined) return { value: backup, outcome: 'backup' }
  return { value: undefined, outcome: present || existsSync(`${file}.bak`) ? 'lost' : 'absent' }
}

/** Levels of a file that we write; what is foreign in it is written back, and must be possible to write. */
const DEEPEST = 100

function tryRead(file: string, accept: (value: unknown) => boolean): unknown {
  try {
    // Editors on Windows put a byte order mark in front.
    const value: unknown = JSON.parse(readRegular(file).text.replace(/^\uFEFF/, ''))
    return isShallow(value, DEEPEST) && accept(value) ? value : undefined
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
