import { randomBytes } from 'node:crypto'
import { closeSync, constants, createWriteStream, openSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { AppError } from '../../../shared/errors.ts'

/** Without a limit, opening a FIFO for writing waits forever and cannot be cancelled. */
const READER_WAIT_MS = 10_000
const READER_POLL_MS = 50

/** Returns a descriptor that keeps it open for writing. Throws ENXIO without a reader in time. */
async function openFifoWithReader(file: string, waitMs: number): Promise<number> {
  const deadline = performance.now() + waitMs
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
 * arrived. Pipes and devices such as `/dev/null` are written to directly.
 * @param readerWaitMs How long a FIFO may be without a reader.
 * @throws SAVE_FAILED
 */
export async function writePieces(
  file: string,
  pieces: AsyncIterable<Buffer>,
  readerWaitMs = READER_WAIT_MS,
): Promise<void> {
  let fifoDescriptor: number | null = null
  const partialFile = `${file}.${randomBytes(4).toString('hex')}.part`
  try {
    const existingStats = await stat(file).catch(() => null)
    if (existingStats?.isFIFO()) fifoDescriptor = await openFifoWithReader(file, readerWaitMs)
    if (existingStats && !existingStats.isFile()) return await pipeline(Readable.from(pieces), createWriteStream(file))
    await pipeline(Readable.from(pieces), createWriteStream(partialFile, { flags: 'wx', flush: true }))
    await rename(partialFile, file)
  } catch (error) {
    await rm(partialFile, { force: true })
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
    if (fifoDescriptor !== null) closeSync(fifoDescriptor)
  }
}
