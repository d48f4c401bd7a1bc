import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync, type Stats } from 'node:fs'

/** What can be at a path instead of a regular file. */
type IrregularKind = 'a directory' | 'a symbolic link' | 'a FIFO' | 'a socket' | 'a device'

/** There is something other than a regular file at the path, or more than was expected. */
export class NotRegularFileError extends Error {
  readonly kind: IrregularKind | 'too large'

  constructor(kind: IrregularKind | 'too large') {
    super(`it is ${kind}`)
    this.kind = kind
  }
}

/** What this is if it is not a regular file; null if it is one. */
export function getIrregularKind(stats: Stats): IrregularKind | null {
  if (stats.isFile()) return null
  if (stats.isDirectory()) return 'a directory'
  if (stats.isSymbolicLink()) return 'a symbolic link'
  if (stats.isFIFO()) return 'a FIFO'
  return stats.isSocket() ? 'a socket' : 'a device'
}

/** Windows has neither flag, and no FIFOs in its file system either. */
const { O_NOFOLLOW: noFollow = 0, O_NONBLOCK: noWait = 0 } = constants as Partial<typeof constants>

/**
 * Opens a regular file and nothing else. A FIFO does not make the caller wait for its other end, and a device is not opened at all. With
 * `follow` a symbolic link may lead to the file (for files that the user names), otherwise not (for our own). Throws `NotRegular` and
 * what the system throws.
 */
export function openRegularFile(
  file: string,
  flags: number,
  options: { follow?: boolean; mode?: number } = {},
): number {
  const { follow = false, mode = 0o600 } = options
  const there = (follow ? statSync : lstatSync)(file, { throwIfNoEntry: false })
  if (there) assertRegular(there)
  const handle = openSync(file, flags | noWait | (follow ? 0 : noFollow), mode)
  try {
    // The file may have been replaced since it was checked.
    assertRegular(fstatSync(handle))
    return handle
  } catch (error) {
    closeSync(handle)
    throw error
  }
}

function assertRegular(stats: Stats): void {
  const kind = getIrregularKind(stats)
  if (kind !== null) throw new NotRegularFileError(kind)
}

/** Nothing of ours that is read in one go comes close to this. */
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024

/** The text (UTF-8) and the owner of a regular file; see `readRegularBytes`. */
export function readRegularFile(file: string, options: ReadOptions = {}): { text: string; stats: Stats } {
  const { bytes, stats } = readRegularFileBytes(file, options)
  return { text: bytes.toString('utf8'), stats }
}

interface ReadOptions {
  readonly follow?: boolean
  readonly maxBytes?: number
}

/** The bytes and the owner of a regular file of at most `maxBytes`. Never waits. Throws `NotRegular` and what the system throws. */
export function readRegularFileBytes(
  file: string,
  { follow = false, maxBytes = DEFAULT_MAX_BYTES }: ReadOptions = {},
): { bytes: Buffer; stats: Stats } {
  const handle = openRegularFile(file, constants.O_RDONLY, { follow })
  try {
    const stats = fstatSync(handle)
    // One more byte than the size, to notice a file that grows; files in /proc claim to be empty.
    const bytes = Buffer.alloc(Math.min(Math.max(stats.size, 4_096), maxBytes) + 1)
    let length = 0
    for (let more = -1; more !== 0 && length < bytes.length; length += more) {
      more = readSync(handle, bytes, length, bytes.length - length, null)
    }
    if (length > maxBytes) throw new NotRegularFileError('too large')
    return { bytes: bytes.subarray(0, length), stats }
  } finally {
    closeSync(handle)
  }
}
