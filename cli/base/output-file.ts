import { createUsageError } from './flags.ts'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { AppError } from '../../shared/errors.ts'
import type { Io } from './io.ts'

export type PrintFunction = Io['print']

interface OutputOptions {
  readonly output?: string | undefined
  readonly force?: boolean | undefined
}

interface ReportOptions extends OutputOptions {
  readonly flag?: '-o' | '--sarif' | '--reporter' | '--page'
}

/**
 * Checks that the output file may be written, before anything is sent.
 * @throws FLAG_INVALID when the folder is missing, the file exists and `force` is not set, or the
 *   flag does not take standard output.
 */
export function assertOutputWritable({ output, force, flag = '-o' }: ReportOptions): void {
  if (output === undefined) return
  if (output === '-') {
    if (flag === '-o') return
    throw createUsageError(`${flag} needs a file, because the command prints to standard output.`)
  }
  const existing = statSync(output, { throwIfNoEntry: false })
  const folder = statSync(path.dirname(path.resolve(output)), { throwIfNoEntry: false })
  if (!folder?.isDirectory()) throw createUsageError(`The folder of the file after ${flag} does not exist.`)
  if (existing && !existing.isFile())
    throw createUsageError(`${flag} takes the name of a file; > leads to anything else.`)
  if (existing && force !== true) throw createUsageError('The file exists. --force replaces it.')
}

/**
 * Runs `work` with a function that prints to standard output, or with `-o` into a file. The file
 * appears complete or not at all.
 * @throws SAVE_FAILED when the file cannot be written, and what `work` throws
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
