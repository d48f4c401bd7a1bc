import { formatSarifLog, type SarifLevel, type SarifResult } from '../../electron/core/sarif/sarif-log.ts'
import type { UncheckedRequest } from '../../electron/core/recordings/check/recorded-reads.ts'
import {
  checkDifferenceKinds,
  type CheckDifference,
  type CheckDifferenceKind,
} from '../../shared/recordings/check/check-difference.ts'
import { toPlainText } from '../base/io.ts'
import { toCode, toTable } from './deviation-report.ts'
import { formatJunit } from './junit-report.ts'
import { locateFile } from './source-file.ts'

/** A recorded read or write after it was asked or sent again. */
export interface CheckedRead {
  readonly method: string
  readonly path: string
  /** `total` counts all differences, of which at most so many are listed. */
  readonly differences: readonly CheckDifference[]
  readonly total: number
  /** Why there is no response to compare; null if there is one. */
  readonly problem: string | null
}

export interface CheckReport {
  readonly file: string
  readonly baseUrl: string
  readonly checked: readonly CheckedRead[]
  readonly unchecked: readonly UncheckedRequest[]
  /** Places that differ between recorded responses to the same read. */
  readonly volatilePointers: readonly string[]
  /** Kinds that a redaction replaced, so that they were not compared; empty if none. */
  readonly notCompared: string
  /** Not everything was asked. */
  readonly isPartial: boolean
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
}

/** Each report ends with a line break. `version` is that of this program. */
export const checkReporters = {
  text: formatText,
  json: (report: CheckReport) => `${JSON.stringify({ ...report, ...countOutcomes(report) }, null, 2)}\n`,
  junit: toJunit,
  sarif: formatSarif,
  markdown: formatMarkdown,
} as const satisfies Record<string, (report: CheckReport, version: string, workingDir: string) => string>

const kindTexts: Readonly<Record<CheckDifferenceKind, string>> = {
  status: 'another status',
  'media-type': 'another media type',
  bytes: 'other bytes',
  type: 'another type',
  missing: 'missing',
  extra: 'not recorded',
  value: 'another value',
  order: 'another order',
}

type Outcome = 'same' | 'different' | 'failed'
const getOutcome = ({ problem, total }: CheckedRead): Outcome =>
  problem !== null ? 'failed' : total > 0 ? 'different' : 'same'

export function countOutcomes({ checked }: CheckReport): Record<Outcome, number> {
  const counts = { same: 0, different: 0, failed: 0 }
  for (const read of checked) counts[getOutcome(read)] += 1
  return counts
}

/** @param sides what is compared with what */
export function describeDifference(
  { kind, pointer, expected, actual }: CheckDifference,
  sides: readonly [expected: string, actual: string] = ['recorded', 'now'],
): string {
  const values = [expected === null ? '' : `${sides[0]} ${expected}`, actual === null ? '' : `${sides[1]} ${actual}`]
  const place = pointer === '' ? '' : ` ${pointer}`
  return `${kindTexts[kind]}${place}${values.every((value) => value === '') ? '' : ': '}${values
    .filter((value) => value !== '')
    .join(', ')}`
}

function listProblems(read: CheckedRead): string[] {
  const { problem, differences, total } = read
  if (problem !== null) return [problem]
  const unlisted = total - differences.length
  return [
    ...differences.map((difference) => describeDifference(difference)),
    ...(unlisted > 0 ? [`and ${unlisted} more, which are not listed`] : []),
  ]
}

function formatText(report: CheckReport): string {
  const lines = report.checked.flatMap((read) => [
    `${getOutcome(read).padEnd(10)}${read.method} ${toPlainText(read.path)}`,
    ...listProblems(read).map((problem) => `          ${toPlainText(problem)}`),
  ])
  const skipped = report.unchecked.map(
    ({ method, path, reason }) => `${'not asked'.padEnd(10)}${method} ${toPlainText(path)} (${describeReason(reason)})`,
  )
  const { same, different, failed } = countOutcomes(report)
  const sum = `${same} the same, ${different} different, ${failed} without a response, ${skipped.length} not asked`
  const remarks = report.notCompared === '' ? [] : [report.notCompared]
  return `${[...lines, ...skipped, sum, ...remarks].join('\n')}\n`
}

const reasonTexts: Readonly<Record<UncheckedRequest['reason'], string>> = {
  write: 'it may change something',
  'dry-run': 'it was a dry run',
  created: 'it names what only the recording created',
  screen: 'it takes over the screen',
  secret: 'its response is not recorded',
  cursor: 'its cursor belongs to the recorded host',
  condition: 'its response depends on what the client had, or is a range',
  redacted: 'the redaction replaced what it asks for',
  unanswered: 'no response was recorded',
  cut: 'the recorded response is cut',
}

export function describeReason(reason: UncheckedRequest['reason']): string {
  return reasonTexts[reason]
}

function toJunit(report: CheckReport): string {
  const checked = report.checked.map((read) => {
    const problems = listProblems(read)
    const kind = read.problem === null ? ('failure' as const) : ('error' as const)
    return {
      className: report.file,
      name: `${read.method} ${read.path}`,
      problem: problems.length === 0 ? null : { kind, message: problems[0] ?? '', text: problems.join('\n') },
    }
  })
  const unchecked = report.unchecked.map(({ method, path, reason }) => ({
    className: report.file,
    name: `${method} ${path}`,
    problem: { kind: 'skipped' as const, message: describeReason(reason) },
  }))
  return formatJunit([
    {
      name: report.file,
      cases: [...checked, ...unchecked],
      durationMs: report.durationMs,
      startedAt: report.startedAt,
      ...(report.notCompared === '' ? {} : { output: report.notCompared }),
    },
  ])
}

const toLevel = (kind: CheckDifferenceKind): SarifLevel => (kind === 'extra' || kind === 'order' ? 'warning' : 'error')

function formatSarif(report: CheckReport, version: string, workingDir: string): string {
  const failures = report.checked.filter(({ problem }) => problem !== null)
  return formatSarifLog({
    version,
    rules: checkDifferenceKinds.map((kind) => ({
      id: kind,
      description: `The response differs from the recorded one: ${kindTexts[kind]}.`,
      help: 'Compare the response of the host with the recorded one.',
      level: toLevel(kind),
    })),
    results: toResults(report, workingDir),
    isSuccessful: !report.isPartial && failures.length === 0,
    notifications: [
      ...failures.map((read) => toNotification(read, read.problem ?? '', 'error')),
      ...(report.notCompared === '' ? [] : [{ level: 'note' as const, message: report.notCompared }]),
      ...report.unchecked.map((read) => toNotification(read, describeReason(read.reason), 'note')),
    ],
  })
}

const toNotification = ({ method, path }: Pick<CheckedRead, 'method' | 'path'>, text: string, level: SarifLevel) => ({
  level,
  message: `${method} ${path}: ${text}`,
})

/** The results are about the recording: no line of its file stands for one request. */
function toResults({ file, checked }: CheckReport, workingDir: string): SarifResult[] {
  const artifact = locateFile(file, workingDir)
  const occurrences = new Map<string, number>()
  return checked.flatMap((read) =>
    read.differences.map((difference) => {
      const place = `${read.method} ${read.path}#${difference.pointer}`
      const occurrence = occurrences.get(`${difference.kind} ${place}`) ?? 0
      occurrences.set(`${difference.kind} ${place}`, occurrence + 1)
      return {
        ruleId: difference.kind,
        level: toLevel(difference.kind),
        message: `${read.method} ${read.path}: ${describeDifference(difference)}`,
        // A recording of writes has the same read several times.
        id: occurrence === 0 ? place : `${place} ${occurrence}`,
        file: artifact,
        line: 1,
        column: 1,
        logicalName: place,
        logicalKind: 'member' as const,
        count: 1,
        justification: null,
      }
    }),
  )
}

function formatMarkdown(report: CheckReport): string {
  const { same, different, failed } = countOutcomes(report)
  const rows = report.checked.flatMap((read) => {
    const route = toCode(`${read.method} ${read.path}`)
    if (read.problem !== null) return [[route, 'no response', '', toCode(read.problem), '']]
    const listed = read.differences.map(({ kind, pointer, expected, actual }) => [
      route,
      kindTexts[kind],
      toCode(pointer),
      toCode(expected ?? ''),
      toCode(actual ?? ''),
    ])
    const unlisted = read.total - read.differences.length
    return unlisted > 0 ? [...listed, [route, `and ${unlisted} more`, '', '', '']] : listed
  })
  const skipped = report.unchecked.map(({ method, path, reason }) => [
    toCode(`${method} ${path}`),
    describeReason(reason),
  ])
  return [
    `# Check against a recording\n\n${toCode(report.file)} asked again of ${toCode(report.baseUrl)}: ` +
      `${same} the same, ${different} different, ${failed} without a response.` +
      `${report.isPartial ? ' It was stopped: this is only a part.' : ''}` +
      `${report.notCompared === '' ? '' : ` ${report.notCompared}`}\n`,
    toTable(['Request', 'Difference', 'Pointer', 'Recorded', 'Now'], rows),
    toTable(['Not asked', 'Why'], skipped),
  ]
    .filter((part) => part !== '')
    .join('\n')
}
