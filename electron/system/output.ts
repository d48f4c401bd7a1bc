import { fstatSync, writeFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { AppError, toWireError } from '../../shared/errors.ts'
import { toExitName, programExits } from '../../shared/program-exits.ts'

/** What a write ends with when whoever read the other end has closed it: POSIX, a socket, Windows. */
const READER_CLOSED_CODES = new Set(['EPIPE', 'ECONNRESET', 'EOF', 'ERR_STREAM_DESTROYED'])

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** Whether the reader of a pipe has closed it (`| head`): that is the end of the output, but no error. */
export const isReaderClosed = (error: unknown): boolean => READER_CLOSED_CODES.has(codeOf(error))

/** The error for an output that can't be written any more: a full disk, a quota, a failing descriptor. */
export function createOutputError(error: unknown): AppError {
  const reason = codeOf(error) || 'unknown'
  return new AppError({
    kind: 'internal',
    code: 'OUTPUT_FAILED',
    message: `Standard output can’t be written (${reason}): what was printed is not everything.`,
    retryable: false,
    params: { reason },
  })
}

/**
 * A standard stream that reports every byte that could not be written. Where it leads to a file or a device, Node's own stream ignores that
 * a write was short (`fs.writeSync` on a disk that fills up) and drops the rest, so each chunk is written to its end here. Terminals, pipes
 * and sockets are returned as they are.
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

/** Prints a text on standard output, for programs that print one thing and go on. Rejects with `OUTPUT_FAILED`. */
export function printText(text: string): Promise<void> {
  const stream = createCheckedOutput(process.stdout)
  return new Promise((resolve, reject) => {
    stream.once('error', (error) => reject(createOutputError(error)))
    stream.write(text, (error) => {
      if (!error) resolve()
    })
  })
}

/** When the host says that a request may be made again, as a sentence after its own; empty if it does not say. */
export const formatRetryHint = (seconds: unknown): string =>
  typeof seconds === 'number' && seconds > 0 ? ` Retry after ${seconds} s.` : ''

/** An error as the one line that every entry point prints: `CODE: sentence`. */
export function formatErrorLine(thrown: unknown): string {
  if (thrown instanceof AppError) {
    const { code, kind, message, wire } = thrown
    return `${code ?? kind.toUpperCase()}: ${message}${formatRetryHint(wire.retryAfterSeconds)}`
  }
  // A defect. There may be no log, so whoever reports it needs what it says; foreign data and tokens never get into such a message.
  return `INTERNAL: ${thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)}`
}

/** Ends an entry point because of an error, with the exit code that the documentation gives for it. */
export function exitWithError(thrown: unknown): never {
  process.stderr.write(`${formatErrorLine(thrown)}\n`)
  process.exit(programExits[toExitName(thrown instanceof AppError ? thrown : new AppError(toWireError(thrown)))].code)
}
