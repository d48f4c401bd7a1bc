import { formatAssertionResult } from '../../shared/collections/assertion-result.ts'
import type { SequenceStep, StepProblem } from '../../shared/collections/request-sequence.ts'
import { escapeInvisible } from '../../shared/format/invisible-characters.ts'
import { escapeXml } from '../../shared/format/markup.ts'
import type { Collection } from '../../shared/ipc/console.ts'
import { toSingleLine } from '../base/io.ts'

interface CollectionReport {
  readonly collection: Collection
  readonly steps: readonly SequenceStep[]
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly durationMs: number
}

/** Each report ends with a line break. */
export const runReporters: Readonly<Record<'text' | 'json' | 'junit', (report: CollectionReport) => string>> = {
  text: formatText,
  json: formatJson,
  junit: formatJunit,
}

type Outcome = 'passed' | 'failed' | 'skipped'
const getOutcome = ({ state }: SequenceStep): Outcome =>
  state === 'done' ? 'passed' : state === 'failed' ? 'failed' : 'skipped'

const countOutcomes = (steps: readonly SequenceStep[]): Record<Outcome, number> => {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const step of steps) counts[getOutcome(step)] += 1
  return counts
}

function describeProblem(problem: StepProblem | null): string | null {
  switch (problem?.code) {
    case undefined:
      return null
    case 'missing':
      return `a variable has no value: ${problem.names}`
    case 'status':
      return `the status is ${problem.status}`
    case 'not-sent':
      return 'it was not sent'
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

function formatText({ collection, steps }: CollectionReport): string {
  const lines = steps.flatMap((step) => {
    const { request, status, problem, assertions } = step
    const outcome = getOutcome(step)
    const reason = describeProblem(problem)
    const name = `${toSingleLine(request.name)}  ${request.method} ${request.path}`
    const head = `${outcome.padEnd(8)}${name}${status === null ? '' : `  ${status}`}`
    const failed = assertions.filter((result) => result.outcome !== 'passed')
    const details = [...(reason === null ? [] : [reason]), ...failed.map(formatAssertionResult)]
    return [head, ...details.map((detail) => `        ${toSingleLine(detail)}`)].map(escapeInvisible)
  })
  const { passed, failed, skipped } = countOutcomes(steps)
  const sum = `${toSingleLine(collection.name)}: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
  return `${[...lines, escapeInvisible(sum)].join('\n')}\n`
}

function formatJson({ collection, steps, startedAt, durationMs }: CollectionReport): string {
  const report = {
    collection: collection.name,
    startedAt,
    durationMs,
    ...countOutcomes(steps),
    requests: steps.map((step) => ({
      name: step.request.name,
      method: step.request.method,
      path: step.request.path,
      outcome: getOutcome(step),
      status: step.status,
      reason: describeProblem(step.problem),
      operationId: step.operationId,
      assertions: step.assertions.map((result) => ({ outcome: result.outcome, text: formatAssertionResult(result) })),
    })),
  }
  return `${JSON.stringify(report, null, 2)}\n`
}

/** The format that CI systems read: a test suite with one test for each request. */
function formatJunit({ collection, steps, startedAt, durationMs }: CollectionReport): string {
  const { failed, skipped } = countOutcomes(steps)
  const name = toXmlText(collection.name)
  const cases = steps.map((step) => {
    const outcome = getOutcome(step)
    const open = `    <testcase classname="${name}" name="${toXmlText(step.request.name)}"`
    if (outcome === 'passed') return `${open}/>`
    if (outcome === 'skipped') return `${open}><skipped/></testcase>`
    const reason = toXmlText(describeProblem(step.problem) ?? '')
    const details = step.assertions.filter((result) => result.outcome !== 'passed').map(formatAssertionResult)
    return `${open}><failure message="${reason}">${toXmlText(details.join('\n'))}</failure></testcase>`
  })
  const counts = `tests="${steps.length}" failures="${failed}" skipped="${skipped}" time="${durationMs / 1_000}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${name}" ${counts} errors="0" timestamp="${new Date(startedAt).toISOString()}">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

/** Control characters are shown by their names, which XML could not hold. */
export function toXmlText(text: string): string {
  return escapeXml(escapeInvisible(text))
}
