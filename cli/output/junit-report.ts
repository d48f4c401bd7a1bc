import { escapeInvisible } from '../../shared/format/invisible-characters.ts'
import { escapeXml } from '../../shared/format/markup.ts'

interface JunitCase {
  readonly className: string
  readonly name: string
  readonly place?: { readonly file: string; readonly line: number }
  /** Milliseconds; null or left out if it is not known. */
  readonly durationMs?: number | null
  /** Null for a test that passed. */
  readonly problem: JunitProblem | null
  readonly output?: string
}

type JunitProblem =
  | { readonly kind: 'failure' | 'error'; readonly type?: string; readonly message: string; readonly text: string }
  | { readonly kind: 'skipped'; readonly message?: string }

interface JunitSuite {
  readonly name: string
  readonly cases: readonly JunitCase[]
  readonly durationMs?: number
  /** Milliseconds since 1970. */
  readonly startedAt?: number
  readonly output?: string
}

/** The format that CI systems read. It ends with a line break. */
export function formatJunit(suites: readonly JunitSuite[]): string {
  const durations = suites.flatMap(({ durationMs }) => durationMs ?? [])
  const totalMs = durations.length === 0 ? undefined : durations.reduce((sum, durationMs) => sum + durationMs, 0)
  const cases = suites.flatMap((suite) => suite.cases)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${formatCounts(cases, totalMs)}>`,
    ...suites.flatMap((suite) => [
      `  <testsuite name="${toXmlText(suite.name)}" ${formatCounts(suite.cases, suite.durationMs)}${formatStart(suite)}>`,
      ...suite.cases.map(formatCase),
      ...(suite.output === undefined ? [] : [`    <system-out>${toXmlText(suite.output)}</system-out>`]),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n')
}

function formatCounts(cases: readonly JunitCase[], durationMs: number | null | undefined): string {
  const count = (kind: JunitProblem['kind']): number => cases.filter(({ problem }) => problem?.kind === kind).length
  return `tests="${cases.length}" failures="${count('failure')}" skipped="${count('skipped')}" errors="${count('error')}"${formatTime(durationMs)}`
}

const formatTime = (durationMs: number | null | undefined): string =>
  durationMs === null || durationMs === undefined ? '' : ` time="${durationMs / 1_000}"`

const formatStart = ({ startedAt }: JunitSuite): string =>
  startedAt === undefined ? '' : ` timestamp="${new Date(startedAt).toISOString()}"`

function formatCase({ className, name, place, durationMs, problem, output }: JunitCase): string {
  const lines = place === undefined ? '' : ` file="${toXmlText(place.file)}" line="${place.line}"`
  const open = `    <testcase classname="${toXmlText(className)}" name="${toXmlText(name)}"${lines}${formatTime(durationMs)}`
  const content = `${formatProblem(problem)}${output === undefined ? '' : `<system-out>${toXmlText(output)}</system-out>`}`
  return content === '' ? `${open}/>` : `${open}>${content}</testcase>`
}

function formatProblem(problem: JunitProblem | null): string {
  if (problem === null) return ''
  const message = problem.message === undefined ? '' : ` message="${toXmlText(problem.message)}"`
  if (problem.kind === 'skipped') return `<skipped${message}/>`
  const type = problem.type === undefined ? '' : ` type="${toXmlText(problem.type)}"`
  return `<${problem.kind}${type}${message}>${toXmlText(problem.text)}</${problem.kind}>`
}

/** Control characters are shown by their names, which XML could not hold. */
export function toXmlText(text: string): string {
  return escapeXml(escapeInvisible(text))
}
