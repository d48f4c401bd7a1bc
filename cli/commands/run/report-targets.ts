import path from 'node:path'
import { createUsageError } from '../../base/flags.ts'
import { assertOutputWritable } from '../../base/output-file.ts'
import { runFormats, type RunFormat } from '../../output/run-report.ts'

interface ReportTarget {
  readonly format: RunFormat
  readonly output: string | undefined
}

/** Several reports in these formats may go to one output, where their lines mix. */
const lineFormats: ReadonlySet<RunFormat> = new Set(['text', 'github'])

/**
 * Reads `FORMAT` and `FORMAT=FILE`, separated by commas. If each has a file, the default format
 * goes to standard output, or into the file of `output`.
 * @throws FLAG_INVALID for another format, a file that cannot be written, or two reports in one
 *   place
 */
export function parseReportTargets(
  texts: readonly string[],
  {
    json = false,
    output,
    force,
  }: { json?: boolean | undefined; output?: string | undefined; force?: boolean | undefined },
): readonly ReportTarget[] {
  const chosen = texts
    .flatMap((text) => text.split(','))
    .map((text) => {
      const [, name = '', file] = /^(\w+)(?:=(.*))?$/s.exec(text) ?? []
      const format = runFormats.find((candidate) => candidate === name)
      if (format === undefined || file === '')
        throw createUsageError(`--reporter takes FORMAT or FORMAT=FILE, separated by commas: ${runFormats.join(', ')}.`)
      return { format, output: file }
    })
  const defaultTarget = { format: json ? ('json' as const) : ('text' as const), output: undefined }
  const all = chosen.some((target) => target.output === undefined) ? chosen : [...chosen, defaultTarget]
  const printed = all.filter((target) => target.output === undefined)
  const isShared = printed.length > 1
  if (isShared && (output !== undefined || printed.some(({ format }) => !lineFormats.has(format))))
    throw createUsageError(
      'Of the reports, only text and github may be printed together. Give the others a file: FORMAT=FILE.',
    )
  const targets = all.map((target) => ({ ...target, output: target.output ?? output }))
  const files = targets.flatMap(({ output: file }) => (file === undefined ? [] : path.resolve(file)))
  if (new Set(files).size < files.length) throw createUsageError('Two reports go into the same file.')
  assertOutputWritable({ output, force })
  for (const target of chosen) assertOutputWritable({ output: target.output, force, flag: '--reporter' })
  return targets
}
