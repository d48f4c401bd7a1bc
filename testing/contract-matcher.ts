import type * as api from './api.ts'
import { assertAwaited, checkOptions } from './options.ts'

const MAX_CELL_CHARS = 60

/** Settles the panel, and fails with a table of its findings and their lines. */
export async function toKeepContract(
  session: Pick<api.PanelSession, 'settle' | 'advice'>,
  options: api.MatcherOptions = {},
): Promise<api.MatcherResult> {
  assertAwaited('toKeepContract: what it is called with', session)
  // A test without types may give any value.
  if (typeof (session as Partial<typeof session> | null | undefined)?.settle !== 'function')
    throw new TypeError('toKeepContract takes what startPanel or hostApi returns.')
  checkOptions('toKeepContract', options)
  const findings = await session.settle()
  if (options.advice) findings.push(...(await session.advice()))
  return {
    pass: findings.length === 0,
    message: () =>
      findings.length === 0
        ? 'The panel keeps the contract: there are no findings.'
        : `The panel breaks the contract (${findings.length}):\n\n${formatFindings(findings)}\n`,
  }
}

export function formatFindings(findings: readonly api.Finding[]): string {
  const rows = [
    ['', 'Rule', 'Line', 'Call'],
    ...findings.map(({ severity, rule, initiator, resource, count }) => [
      severity,
      rule,
      initiator === null ? 'unknown' : formatPlace(initiator),
      count === 1 ? resource : `${resource} (${count} times)`,
    ]),
  ].map((cells) => cells.map(toCell))
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)))
  const lines = rows.map((cells) =>
    `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  )
  const sentences = new Map(findings.map(({ rule, message, remedy }) => [rule, `  ${rule}: ${message} ${remedy}`]))
  const details = [...sentences].flatMap(([rule, sentence]) => [
    sentence,
    ...findings.filter((finding) => finding.rule === rule).flatMap(formatStack),
  ])
  return [...lines, '', ...details].join('\n')
}

/** The line in the table may be one of a function that only passes on calls. */
const formatStack = ({ resource, stack }: api.Finding): string[] =>
  stack.length < 2 ? [] : [`    ${toCell(resource)}`, ...stack.map((place) => `      at ${formatPlace(place)}`)]

const formatPlace = ({ file, line, column, functionName }: api.Initiator): string =>
  [file, line, column].filter((part) => part !== null).join(':') + (functionName === '' ? '' : ` ${functionName}`)

/** Of a long text the end says more: the line of a file, the id of a path. */
const toCell = (text: string): string => {
  const line = text.replace(/\s+/g, ' ')
  return line.length <= MAX_CELL_CHARS ? line : `…${line.slice(1 - MAX_CELL_CHARS)}`
}
