import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../../shared/errors.ts'

/**
 * Writes pieces to a file, completely or not at all: an existing file stays until everything has arrived. What is no file, such as a pipe or
 * `/dev/null`, is written to and stays what it is. Throws `SAVE_FAILED`.
 */
export async function writeFile(file: string, pieces: AsyncIterable<Buffer>): Promise<void> {
  const partial = `${file}.${randomBytes(4).toString('hex')}.part`
  try {
    const there = await stat(file).catch(() => null)
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
  }
}
