/**
 * What every entry point of the program does with the system: output, exit codes, flags, files.
 * Not for anything that knows the host or the services.
 * Read this file first; the others are independent of each other.
 */
import { fstatSync, writeFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { AppError, toWireError } from '../../shared/errors.ts'
import { toExitName, programExits } from '../../shared/program-exits.ts'

/**
 * A write fails with one of these codes when its reader has closed the other end: POSIX, a socket,
 * Windows.
 */
const READER_CLOSED_CODES = new Set(['EPIPE', 'ECONNRESET', 'EOF', 'ERR_STREAM_DESTROYED'])

const getErrorCode = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/**
 * Tells whether the reader of a pipe has closed it (`| head`). That ends the output but is no
 * error.
 */
export const isReaderClosed = (error: unknown): boolean => READER_CLOSED_CODES.has(getErrorCode(error))

/**
 * Creates the error for an output that can no longer be written: a full disk, a quota, a failing
 * descriptor.
 */
export function createOutputError(error: unknown): AppError {
  const reason = getErrorCode(error) || 'unknown'
  return new AppError({
    kind: 'internal',
    code: 'OUTPUT_FAILED',
    message: `Standard output can’t be written (${reason}): what was printed is not everything.`,
    retryable: false,
    params: { reason },
  })
}

/**
 * Returns a standard stream that reports every byte that could not be written. For a file or a
 * device, Node's own stream ignores a short write (`fs.writeSync` on a disk that fills up) and
 * drops the rest, so each chunk is written completely here. Terminals, pipes and sockets are
 * returned unchanged.
 */
export function createCheckedOutput<S extends Writable>(stream: S): S | Writable {
  const fd = 'fd' in stream && typeof stream.fd === 'number' ? stream.fd : null
  if (fd === null || ('isTTY' in stream && stream.isTTY === true) || !isFile(fd)) return stream
  return new Writable({
    write(chunk: Uint8Array, _, done) {
      try {
        writeFileSync(fd, chunk)
      } catch (error) {
        return done(error as Error)
      }
      done()
    },
  })
}

function isFile(fd: number): boolean {
  try {
    const stats = fstatSync(fd)
    return !stats.isFIFO() && !stats.isSocket()
  } catch {
    return false
  }
}

/**
 * Prints a text on standard output, for programs that print one thing and go on. Rejects with
 * `OUTPUT_FAILED`.
 */
export function printText(text: string): Promise<void> {
  const stream = createCheckedOutput(process.stdout)
  return new Promise((resolve, reject) => {
    stream.once('error', (error) => reject(createOutputError(error)))
    stream.write(text, (error) => {
      if (!error) resolve()
    })
  })
}

/**
 * Formats the host's time until a request may be repeated, as a sentence to append; empty if the
 * host gives none.
 */
export const formatRetryHint = (seconds: unknown): string =>
  typeof seconds === 'number' && seconds > 0 ? ` Retry after ${seconds} s.` : ''

/** Formats an error as the one line that every entry point prints: `CODE: sentence`. */
export function formatErrorLine(thrown: unknown): string {
  if (thrown instanceof AppError) {
    const { code, kind, message, wire } = thrown
    return `${code ?? kind.toUpperCase()}: ${message}${formatRetryHint(wire.retryAfterSeconds)}`
  }
  // An unexpected error may have no log to go to, so its text must be shown; it never contains
  // foreign data or tokens.
  return `INTERNAL: ${thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)}`
}

/** Ends an entry point because of an error, with the documented exit code. */
export function exitWithError(thrown: unknown): never {
  process.stderr.write(`${formatErrorLine(thrown)}\n`)
  process.exit(programExits[toExitName(thrown instanceof AppError ? thrown : new AppError(toWireError(thrown)))].code)
}
