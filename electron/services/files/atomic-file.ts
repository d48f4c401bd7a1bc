import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { isWithinDepth } from './value-depth.ts'
import { readRegularFile } from '../../system/regular-file.ts'

interface WriteOptions {
  /** Permission bits of the new file; by default only the user may read it. */
  readonly mode?: number
  /** Content of `<file>.bak` afterwards; `same` if the old text must not survive. */
  readonly backup?: 'previous' | 'same' | 'none'
  /** False for data that is worthless after a system crash; the disk is not waited for. */
  readonly isDurable?: boolean
}

/** Writes by temporary file, fsync, rename: old or new, never a part. @throws STORE_FAILED */
export function writeAtomic(
  file: string,
  text: string,
  { mode = 0o600, backup = 'previous', isDurable = true }: WriteOptions = {},
): void {
  const temporary = `${file}.${process.pid}.tmp`
  try {
    makeDataDir(path.dirname(file))
    writeNewFile(temporary, text, mode, isDurable)
    if (backup === 'previous' && existsSync(file)) replaceBackup(file, readRegularFile(file).text, mode)
    renameSync(temporary, file)
    if (backup === 'same') replaceBackup(file, text, mode)
  } catch (error) {
    tryRemoveFile(temporary)
    throw createStoreFailedError(file, error)
  }
}

/** Replaces the backup by renaming, so that a link or FIFO in its place is not written through. */
function replaceBackup(file: string, text: string, mode: number): void {
  const temporary = `${file}.bak.${process.pid}.tmp`
  try {
    writeNewFile(temporary, text, mode)
    renameSync(temporary, `${file}.bak`)
  } finally {
    tryRemoveFile(temporary)
  }
}

/** Removes a file if possible; a file that stays is replaced by the next write. */
export function tryRemoveFile(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // There is no such file, or this process may not remove it.
  }
}

/** Only the user can enter it. An existing folder keeps its permissions. */
export function makeDataDir(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
}

/** Removes the file first, so that a link or FIFO under this name is never written through. */
function writeNewFile(file: string, text: string, mode: number, isDurable = true): void {
  rmSync(file, { force: true })
  const handle = openSync(file, 'wx', mode)
  try {
    writeFileSync(handle, text)
    if (isDurable) fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function createStoreFailedError(file: string, error: unknown): AppError {
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

/** Result of `readJsonFile`: `backup` and `lost` mean that the file itself was unusable. */
export type JsonFileOutcome = 'ok' | 'absent' | 'backup' | 'lost'

/**
 * Reads a JSON file that `writeAtomic` wrote. Never throws.
 * @param isValid Whether a parsed value has the right shape. A file with another value is renamed
 * to `<file>.corrupt-<time>`, and the backup is read instead.
 * @returns The value, undefined if there is none, which file it came from, and the name of the file
 *   that was unusable.
 */
export function readJsonFile(
  file: string,
  isValid: (value: unknown) => boolean,
): { value: unknown; outcome: JsonFileOutcome; asideName?: string | undefined } {
  const value = tryRead(file, isValid)
  if (value !== undefined) return { value, outcome: 'ok' }
  const isPresent = existsSync(file)
  const asideName = isPresent ? moveFileAside(file) : undefined
  const backup = tryRead(`${file}.bak`, isValid)
  if (backup !== undefined) return { value: backup, outcome: 'backup', asideName }
  return { value: undefined, outcome: isPresent || existsSync(`${file}.bak`) ? 'lost' : 'absent', asideName }
}

/** Nesting of files: unknown members are written back, and deep ones overflow the stack. */
const MAX_DEPTH_LEVELS = 100

function tryRead(file: string, isValid: (value: unknown) => boolean): unknown {
  try {
    // Editors on Windows put a byte order mark at the beginning.
    const value: unknown = JSON.parse(readRegularFile(file).text.replace(/^\uFEFF/, ''))
    return isWithinDepth(value, MAX_DEPTH_LEVELS) && isValid(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns the new name. */
function moveFileAside(file: string): string {
  const aside = `${file}.corrupt-${Date.now()}`
  try {
    renameSync(file, aside)
    return path.basename(aside)
  } catch {
    // The file stays in place: the next write replaces it and keeps it as the backup.
    return path.basename(file)
  }
}
