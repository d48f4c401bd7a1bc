import { randomBytes } from 'node:crypto'
import { closeSync, constants, createWriteStream, openSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { AppError } from '../../../shared/errors.ts'

/**
 * How long a FIFO may be without a reader: opening one for writing would wait for that without end,
 * and can't be given up.
 */
const READER_WAIT_MS = 10_000
const READER_POLL_MS = 50

/**
 * Waits until somebody reads the FIFO. Returns a descriptor that keeps it open for writing, without
 * which its reader would see the end. Throws `ENXIO` if nobody reads in time.
 */
async function openOnceRead(file: string, ms: number): Promise<number> {
  const deadline = performance.now() + ms
  for (;;) {
    try {
      return openSync(file, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (error) {
      const isUnread = error instanceof Error && 'code' in error && error.code === 'ENXIO'
      if (!isUnread || performance.now() >= deadline) throw error
    }
    await setTimeout(READER_POLL_MS)
  }
}

/**
 * Writes pieces to a file, completely or not at all: an existing file stays until everything has
 * arrived. What is no file, such as a pipe or `/dev/null`, is written to and stays what it is;
 * nobody has to read a FIFO for longer than `readerWaitMs`. Throws `SAVE_FAILED`.
 */
export async function writePieces(
  file: string,
  pieces: AsyncIterable<Buffer>,
  readerWaitMs = READER_WAIT_MS,
): Promise<void> {
  let held: number | null = null
  const partial = `${file}.${randomBytes(4).toString('hex')}.part`
  try {
    const there = await stat(file).catch(() => null)
    if (there?.isFIFO()) held = await openOnceRead(file, readerWaitMs)
    if (there && !there.isFile()) return await pipeline(Readable.from(pieces), createWriteStream(file))
    await pipeline(Readable.from(pieces), createWriteStream(partial, { flags: 'wx', flush: true }))
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    if (error instanceof AppError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new AppError(
      {
        kind: 'internal',
        code: 'SAVE_FAILED',
        message: `The file could not be written (${code}).`,
        retryable: true,
        params: { reason: code },
      },
      { cause: error },
    )
  } finally {
    if (held !== null) closeSync(held)
  }
}
