/**
 * Access of every entry point to the system: output, exit codes, flags, files.
 * Nothing here depends on the host or the services.
 * Read this file first; the remaining files are independent of each other.
 */
import { fstatSync, writeFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { AppError, toWireError } from '../../shared/errors.ts'
import { toExitName, programExits } from './program-exits.ts'

/** Codes of writing to a pipe or socket that its reader closed: POSIX, sockets, Windows. */
const READER_CLOSED_CODES = new Set(['EPIPE', 'ECONNRESET', 'EOF', 'ERR_STREAM_DESTROYED'])

const getErrorCode = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** True if the reader of a pipe has closed it (`| head`), which ends the output and is no error. */
export function isReaderClosed(error: unknown): boolean {
  return READER_CLOSED_CODES.has(getErrorCode(error))
}

/** The error for output that can no longer be written: full disk, quota, failing descriptor. */
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
 * Returns a stream that reports every byte that could not be written. For a file or a device,
 * Node's own stream ignores an incomplete write (`fs.writeSync` on a disk that fills up) and drops
 * the remaining bytes, so the returned stream writes each chunk completely. Terminals, pipes and
 * sockets are returned unchanged.
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

/** Prints, in programs that print once and keep running. @throws OUTPUT_FAILED */
export function printText(text: string): Promise<void> {
  const stream = createCheckedOutput(process.stdout)
  return new Promise((resolve, reject) => {
    stream.once('error', (error) => reject(createOutputError(error)))
    stream.write(text, (error) => {
      if (!error) resolve()
    })
  })
}

/** A sentence with a space before it; empty if the host gives no time. */
export function formatRetryHint(seconds: unknown): string {
  return typeof seconds === 'number' && seconds > 0 ? ` Retry after ${seconds} s.` : ''
}

export function formatErrorLine(thrown: unknown): string {
  if (thrown instanceof AppError) {
    const { code, kind, message, wire } = thrown
    return `${code ?? kind.toUpperCase()}: ${message}${formatRetryHint(wire.retryAfterSeconds)}`
  }
  // Maybe logged nowhere, so the text is shown; it has neither foreign data nor tokens.
  return `INTERNAL: ${thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)}`
}

export function exitWithError(thrown: unknown): never {
  process.stderr.write(`${formatErrorLine(thrown)}\n`)
  process.exit(programExits[toExitName(thrown instanceof AppError ? thrown : new AppError(toWireError(thrown)))].code)
}
