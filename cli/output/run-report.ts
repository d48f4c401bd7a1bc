import { formatAssertionResult } from '../../shared/collections/assertion-result.ts'
import type { SequenceStep } from '../../shared/collections/request-sequence.ts'
import type { Variables } from '../../shared/collections/variables.ts'
import { escapeInvisible } from '../../shared/format/invisible-characters.ts'
import type { Collection } from '../../shared/ipc/console.ts'
import { toSingleLine } from '../base/io.ts'
import { formatWorkflowCommand } from './finding-reports.ts'
import { formatJunit, toXmlText } from './junit-report.ts'

/** The collection was sent once, with the values of one data row if there are any. */
export interface RowRun {
  /** Null without data. */
  readonly row: { readonly number: number; readonly variables: Variables } | null
  readonly steps: readonly SequenceStep[]
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly durationMs: number
}

interface CollectionReport {
  readonly collection: Collection
  /** Relative to the working directory; null if it lies elsewhere. */
  readonly file: string | null
  readonly baseUrl: string
  readonly runs: readonly RowRun[]
}

export const runFormats = ['text', 'json', 'junit', 'html', 'github'] as const
export type RunFormat = (typeof runFormats)[number]

/** Each report ends with a line break, unless it is empty. */
export const runReporters: Readonly<Record<RunFormat, (report: CollectionReport) => string>> = {
  text: formatText,
  json: formatJson,
  junit: toJunit,
  html: formatHtml,
  github: formatGithub,
}

type Outcome = 'passed' | 'failed' | 'skipped'
const getOutcome = ({ state }: SequenceStep): Outcome =>
  state === 'done' ? 'passed' : state === 'failed' ? 'failed' : 'skipped'

function countOutcomes({ runs }: CollectionReport): Record<Outcome, number> {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const step of runs.flatMap(({ steps }) => steps)) counts[getOutcome(step)] += 1
  return counts
}

function describeCounts(report: CollectionReport): string {
  const { passed, failed, skipped } = countOutcomes(report)
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

function describeProblem({ problem, state }: SequenceStep): string | null {
  switch (problem?.code) {
    case undefined:
      return null
    case 'missing':
      return state === 'skipped'
        ? `a request that failed did not give: ${problem.names}`
        : `a variable has no value: ${problem.names}`
    case 'status':
      return `the status is ${problem.status}`
    case 'not-sent':
      return state === 'skipped' ? 'it may write, and a request before it failed' : 'it was not sent'
    case 'take':
      return `the response has no such value: ${problem.names}`
    case 'not-json':
      return 'the response is not JSON'
    case 'assertions':
      return `${problem.count} of its assertions did not pass`
    case 'error':
      return problem.message
  }
}

/** The request line as it was sent, or as it is saved if it was not. */
const getRequestLine = ({ request, sentPath }: SequenceStep): string => `${request.method} ${sentPath ?? request.path}`

/** The reason why the request did not pass, and the assertions that did not. */
function listDetails(step: SequenceStep): string[] {
  const reason = describeProblem(step)
  const unmet = step.assertions.filter(({ outcome }) => outcome !== 'passed').map(formatAssertionResult)
  return [...(reason === null ? [] : [reason]), ...unmet]
}

const formatDuration = ({ durationMs }: SequenceStep): string =>
  durationMs === null ? '' : `${Math.round(durationMs)} ms`

const MAX_ROW_CHARS = 200

function describeRow({ row }: RowRun): string {
  if (row === null) return ''
  const values = Object.entries(row.variables).map(([name, value]) => `${name}=${toSingleLine(value)}`)
  const text = values.join(', ').slice(0, MAX_ROW_CHARS)
  return `row ${row.number}: ${text}`
}

function formatText(report: CollectionReport): string {
  const lines = report.runs.flatMap((run) => [
    ...(run.row === null ? [] : [escapeInvisible(describeRow(run))]),
    ...run.steps.flatMap((step) => {
      const status = step.status === null ? '' : String(step.status)
      const parts = [toSingleLine(step.request.name), getRequestLine(step), status, formatDuration(step)]
      const head = `${getOutcome(step).padEnd(8)}${parts.filter((part) => part !== '').join('  ')}`
      return [head, ...listDetails(step).map((detail) => `        ${toSingleLine(detail)}`)].map(escapeInvisible)
    }),
  ])
  const sum = `${toSingleLine(report.collection.name)}: ${describeCounts(report)}`
  return `${[...lines, escapeInvisible(sum)].join('\n')}\n`
}

function formatJson(report: CollectionReport): string {
  const { collection, baseUrl, runs } = report
  const value = {
    collection: collection.name,
    baseUrl,
    startedAt: runs[0]?.startedAt ?? null,
    durationMs: runs.reduce((sum, { durationMs }) => sum + durationMs, 0),
    ...countOutcomes(report),
    rows: runs.flatMap(({ row }) => row ?? []),
    requests: runs.flatMap(({ row, steps }) =>
      steps.map((step) => ({
        row: row?.number ?? null,
        name: step.request.name,
        method: step.request.method,
        path: step.request.path,
        sentPath: step.sentPath,
        outcome: getOutcome(step),
        status: step.status,
        durationMs: step.durationMs,
        reason: describeProblem(step),
        operationId: step.operationId,
        assertions: step.assertions.map((result) => ({ outcome: result.outcome, text: formatAssertionResult(result) })),
      })),
    ),
  }
  return `${JSON.stringify(value, null, 2)}\n`
}

/** A suite for each row, with one test for each request. */
function toJunit({ collection, runs }: CollectionReport): string {
  return formatJunit(
    runs.map((run) => ({
      name: run.row === null ? collection.name : `${collection.name}, ${describeRow(run)}`,
      durationMs: run.durationMs,
      startedAt: run.startedAt,
      cases: run.steps.map((step) => {
        const outcome = getOutcome(step)
        const [message = '', ...details] = listDetails(step)
        const problem =
          outcome === 'failed'
            ? { kind: 'failure' as const, message, text: details.join('\n') }
            : { kind: 'skipped' as const, ...(message === '' ? {} : { message }) }
        return {
          className: collection.name,
          name: step.request.name,
          durationMs: step.durationMs,
          problem: outcome === 'passed' ? null : problem,
          ...(step.sentPath === null ? {} : { output: getRequestLine(step) }),
        }
      }),
    })),
  )
}

/** Marks the file of the collection in a workflow of GitHub Actions, once for each failure. */
function formatGithub({ file, runs }: CollectionReport): string {
  return runs
    .flatMap((run) =>
      run.steps
        .filter((step) => getOutcome(step) === 'failed')
        .map((step) => {
          const row = run.row === null ? '' : ` (row ${run.row.number})`
          const properties = { ...(file === null ? {} : { file }), title: `${toSingleLine(step.request.name)}${row}` }
          return formatWorkflowCommand('error', properties, [getRequestLine(step), ...listDetails(step)].join('\n'))
        }),
    )
    .join('')
}

const HTML_STYLE =
  'body{font:14px/1.5 system-ui,sans-serif;margin:2rem;color:#1c1c1e;background:#fff}table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #d0d0d5}code,pre{font:12px/1.5 ui-monospace,monospace;overflow-wrap:anywhere;white-space:pre-wrap;margin:0}.passed{color:#1a7f37}.failed{color:#b3261e}.skipped{color:#5f6368}'

/** One file without scripts that loads nothing. */
function formatHtml(report: CollectionReport): string {
  const { collection, baseUrl, runs } = report
  const title = toXmlText(toSingleLine(collection.name))
  const startedAt = runs[0] === undefined ? '' : new Date(runs[0].startedAt).toISOString()
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${title}</title>`,
    `<style>${HTML_STYLE}</style>`,
    '</head>',
    '<body>',
    `<h1>${title}</h1>`,
    `<p>${describeCounts(report)} · ${toXmlText(baseUrl)} · ${startedAt}</p>`,
    ...runs.flatMap((run) => [
      ...(run.row === null ? [] : [`<h2>${toXmlText(describeRow(run))}</h2>`]),
      '<table>',
      '<thead><tr><th>Result</th><th>Request</th><th>As sent</th><th>Status</th><th>Time</th></tr></thead>',
      '<tbody>',
      ...run.steps.map(formatHtmlRow),
      '</tbody>',
      '</table>',
    ]),
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

function formatHtmlRow(step: SequenceStep): string {
  const outcome = getOutcome(step)
  const details = listDetails(step)
  const text = details.length === 0 ? '' : `<pre>${toXmlText(details.join('\n'))}</pre>`
  const cells = [
    `<td class="${outcome}">${outcome}</td>`,
    `<td>${toXmlText(step.request.name)}${text}</td>`,
    `<td><code>${toXmlText(getRequestLine(step))}</code></td>`,
    `<td>${step.status ?? ''}</td>`,
    `<td>${formatDuration(step)}</td>`,
  ]
  return `<tr>${cells.join('')}</tr>`
}
