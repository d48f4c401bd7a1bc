import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync, type Stats } from 'node:fs'

type IrregularKind = 'a directory' | 'a symbolic link' | 'a FIFO' | 'a socket' | 'a device'

/**
 * Thrown when there is something other than a regular file at the path, or the file is too large.
 */
export class NotRegularFileError extends Error {
  readonly kind: IrregularKind | 'too large'

  constructor(kind: IrregularKind | 'too large') {
    super(`it is ${kind}`)
    this.kind = kind
  }
}

/** Returns null for a regular file. */
export function getIrregularKind(stats: Stats): IrregularKind | null {
  if (stats.isFile()) return null
  if (stats.isDirectory()) return 'a directory'
  if (stats.isSymbolicLink()) return 'a symbolic link'
  if (stats.isFIFO()) return 'a FIFO'
  return stats.isSocket() ? 'a socket' : 'a device'
}

/** Windows has neither of these flags, and no FIFOs in its file system. */
const { O_NOFOLLOW: noFollow = 0, O_NONBLOCK: noWait = 0 } = constants as Partial<typeof constants>

/**
 * Opens a file only if it is a regular file. A FIFO does not block the caller, and a device is not
 * opened at all.
 *
 * @param options.follow whether a symbolic link may lead to the file: true for files that the user
 *   names, false for our own.
 * @throws NotRegularFileError, and the system's errors.
 */
export function openRegularFile(
  file: string,
  flags: number,
  options: { follow?: boolean; mode?: number } = {},
): number {
  const { follow = false, mode = 0o600 } = options
  const existing = (follow ? statSync : lstatSync)(file, { throwIfNoEntry: false })
  if (existing) assertRegular(existing)
  const handle = openSync(file, flags | noWait | (follow ? 0 : noFollow), mode)
  try {
    // The file may have been replaced after the check above.
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

/** The program's own files are far smaller. */
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024

/** Reads the file like `readRegularFileBytes`, as UTF-8. */
export function readRegularFile(file: string, options: ReadOptions = {}): { text: string; stats: Stats } {
  const { bytes, stats } = readRegularFileBytes(file, options)
  return { text: bytes.toString('utf8'), stats }
}

interface ReadOptions {
  readonly follow?: boolean
  readonly maxBytes?: number
}

/** Reads without blocking on a FIFO or a device. @throws NotRegularFileError, system errors */
export function readRegularFileBytes(
  file: string,
  { follow = false, maxBytes = DEFAULT_MAX_BYTES }: ReadOptions = {},
): { bytes: Buffer; stats: Stats } {
  const handle = openRegularFile(file, constants.O_RDONLY, { follow })
  try {
    const stats = fstatSync(handle)
    // The buffer has one byte more than the file, so that a growing file is noticed. Files in /proc
    // have the size 0, so the buffer has a minimum size.
    const bytes = Buffer.alloc(Math.min(Math.max(stats.size, 4_096), maxBytes) + 1)
    let length = 0
    for (let bytesRead = -1; bytesRead !== 0 && length < bytes.length; length += bytesRead) {
      bytesRead = readSync(handle, bytes, length, bytes.length - length, null)
    }
    if (length > maxBytes) throw new NotRegularFileError('too large')
    return { bytes: bytes.subarray(0, length), stats }
  } finally {
    closeSync(handle)
  }
}
