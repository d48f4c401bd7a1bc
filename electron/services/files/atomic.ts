import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'

/**
 * Writes a file so that a crash leaves the old or the new text, never a part: temporary file, fsync, rename. The text that
 * stood before becomes `<file>.bak`. `mode` is that of the new file.
 */
export function writeAtomic(file: string, text: string, mode = 0o600): void {
  mkdirSync(path.dirname(file), { recursive: true })
  const temporary = `${file}.${process.pid}.tmp`
  const handle = openSync(temporary, 'w', mode)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  if (existsSync(file)) copyFileSync(file, `${file}.bak`)
  renameSync(temporary, file)
}

export type ReadOutcome = 'ok' | 'absent' | 'backup' | 'lost'

/**
 * Reads a JSON file that `writeAtomic` wrote. `accept` says whether a parsed value is of the right shape; a file that is
 * not is set aside as `<file>.corrupt-<time>` and the backup is tried. `outcome` says which of them it was.
 */
export function readJson(file: string, accept: (value: unknown) => boolean): { value: unknown; outcome: ReadOutcome } {
  const first = tryRead(file, accept)
  if (first !== undefined) return { value: first, outcome: 'ok' }
  const present = existsSync(file)
  if (present) setAside(file)
  const backup = tryRead(`${file}.bak`, accept)
  if (backup !== undefined) return { value: backup, outcome: 'backup' }
  return { value: undefined, outcome: present || existsSync(`${file}.bak`) ? 'lost' : 'absent' }
}

function tryRead(file: string, accept: (value: unknown) => boolean): unknown {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return accept(value) ? value : undefined
  } catch {
    return undefined
  }
}

function setAside(file: string): void {
  try {
    renameSync(file, `${file}.corrupt-${Date.now()}`)
  } catch {
    rmSync(file, { force: true })
  }
}

/** A plain object, the least that every settings file must be. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
