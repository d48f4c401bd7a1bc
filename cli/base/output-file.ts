import { usageError } from './flags.ts'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { AppError } from '../../shared/errors.ts'
import type { Io } from './io.ts'

export type PrintFunction = Io['print']

interface OutputOptions {
  readonly output?: string | undefined
  readonly force?: boolean | undefined
}

/** Refuses a file that may not be written to, before anything is sent. */
export function assertOutputWritable({ output, force }: OutputOptions): void {
  if (output === undefined || output === '-') return
  const there = statSync(output, { throwIfNoEntry: false })
  const folder = statSync(path.dirname(path.resolve(output)), { throwIfNoEntry: false })
  if (!folder?.isDirectory()) throw usageError('The folder of the file after -o does not exist.')
  if (there && !there.isFile()) throw usageError('-o takes the name of a file; > leads to anything else.')
  if (there && force !== true) throw usageError('The file exists. --force replaces it.')
}

/**
 * Runs `work` with a way to print: to standard output, or with `-o` into a file, which is there whole or not at all. Throws `SAVE_FAILED` and
 * what `work` throws.
 */
export async function withOutput<T>(
  io: Io,
  { output }: OutputOptions,
  work: (print: PrintFunction) => Promise<T>,
): Promise<T> {
  if (output === undefined || output === '-') return work((data) => io.print(data))
  const partial = `${output}.${process.pid}.part`
  let isOpened = false
  try {
    const file = openSync(partial, 'wx', 0o666)
    isOpened = true
    try {
      const result = await work(async (data) => writeFileSync(file, data))
      fsyncSync(file)
      renameSync(partial, output)
      return result
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (isOpened) rmSync(partial, { force: true })
    if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error
    const reason = String(error.code)
    const message = `The file could not be written (${reason}).`
    throw new AppError(
      { kind: 'internal', code: 'SAVE_FAILED', message, retryable: true, params: { reason } },
      { cause: error },
    )
  }
}
