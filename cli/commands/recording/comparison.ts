import {
  compareOpenedRuns,
  describePair,
  summarizeComparison,
} from '../../../electron/services/recordings/run-comparisons.ts'
import { openFileRun } from '../../../electron/services/recordings/run-reader.ts'
import type { ListedPair, RunComparisonSummary } from '../../../shared/ipc/recordings.ts'
import { runDifferenceKinds, type RunDifferenceKind } from '../../../shared/recordings/comparison/run-difference.ts'
import type { CommandContext, CommandExit } from '../../base/command.ts'
import { toPlainText } from '../../base/io.ts'
import { describeDifference } from '../../output/check-report.ts'

const kindTexts: Readonly<Record<RunDifferenceKind, string>> = {
  missing: 'missing',
  extra: 'extra',
  request: 'asks otherwise',
  response: 'other response',
  effect: 'other effect',
  order: 'reordered',
  slower: 'slower',
}
const KIND_COLUMNS = 16

/** Prints how the second run differs from the first one. */
export async function compareRecordingFiles(
  { io, signal }: CommandContext,
  beforeFile: string,
  afterFile: string,
  isJson: boolean,
): Promise<CommandExit> {
  const result = await compareOpenedRuns(
    () => openFileRun(beforeFile, signal),
    () => openFileRun(afterFile, signal),
    {
      signal,
      onProgress: (done, total) =>
        io.showProgress(total === null ? `${done} exchanges read` : `${done} of ${total} pairs compared`),
    },
  )
  io.showProgress(null)
  const { before, after, comparison } = result
  const summary = summarizeComparison(result)
  const differences = comparison.pairs
    .filter(({ kinds }) => kinds.length > 0)
    .map((pair) => describePair(pair, before, after))
  if (isJson) await io.print(`${JSON.stringify({ ...summary, differences }, null, 2)}\n`)
  else await io.printText(`${[...differences.flatMap(formatPair), ...formatSummary(summary)].join('\n')}\n`)
  // Durations vary from run to run, so that they alone fail nothing.
  return differences.some(({ kinds }) => kinds.some((kind) => kind !== 'slower')) ? 'unmet' : 'ok'
}

function formatPair({ kinds, beforeRow, afterRow, responses, effects }: ListedPair): string[] {
  const row = beforeRow ?? afterRow
  const indent = ' '.repeat(KIND_COLUMNS)
  const unlisted = responses.total + effects.total - responses.differences.length - effects.differences.length
  const isSlower = kinds.includes('slower')
  return [
    `${kinds
      .map((kind) => kindTexts[kind])
      .join(', ')
      .padEnd(KIND_COLUMNS - 1)} ${toPlainText(`${row?.method} ${row?.path}`)}`,
    ...(kinds.includes('request') ? [`${indent}after ${toPlainText(`${afterRow?.method} ${afterRow?.path}`)}`] : []),
    ...[...responses.differences, ...effects.differences].map(
      (difference) => indent + toPlainText(describeDifference(difference, ['before', 'after'])),
    ),
    ...(unlisted > 0 ? [`${indent}and ${unlisted} more, which are not listed`] : []),
    ...(isSlower
      ? [
          `${indent}before ${Math.round(beforeRow?.durationMs ?? 0)} ms, after ${Math.round(afterRow?.durationMs ?? 0)} ms`,
        ]
      : []),
  ]
}

function formatSummary(summary: RunSummary): string[] {
  const { counts, sameCount, notCompared, areTextsComparable, haveForeignIds } = summary
  const differing = runDifferenceKinds
    .filter((kind) => counts[kind] > 0)
    .map((kind) => `${counts[kind]} ${kindTexts[kind]}`)
  const notComparedCount = Object.values(notCompared).reduce((sum, count) => sum + count, 0)
  return [
    [`${sameCount} the same`, ...differing].join(', '),
    ...(notComparedCount > 0 ? [`Not compared: ${notComparedCount} responses that are not whole in a file.`] : []),
    ...(areTextsComparable ? [] : ['Not compared, because a recording is redacted: texts.']),
    ...(haveForeignIds ? ['The runs have no id in common, so ids are paired by their places.'] : []),
  ]
}

type RunSummary = Omit<RunComparisonSummary, 'comparison'>
