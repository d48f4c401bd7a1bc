import { omitValues, type JudgedReads, type SkippedRead } from '../../electron/core/sarif/deviation-sarif.ts'
import { isBindingDeviation, type Deviation, type DeviationKind } from '../../shared/contract/deviation.ts'
import { toMarkdownCode } from '../../shared/format/markup.ts'
import { toPlainText } from '../base/io.ts'

export interface DeviationReport extends JudgedReads {
  /** The host that was asked; null for what was recorded. */
  readonly baseUrl: string | null
  /** Deviations only from what was observed; they are held against nobody. */
  readonly observed: readonly Deviation[]
  readonly listsObserved: boolean
  /** Places with deviations beyond those that are listed. */
  readonly ungroupedCount: number
  readonly exchanges: number
}

/** The words of `#/contract`: `unknown member`. */
const describeKind = (kind: DeviationKind): string => kind.replaceAll('-', ' ')

function describeVersions({ hostVersions, hasMoreVersions }: Deviation): string {
  return `${hostVersions.map(toPlainText).join(', ')}${hasMoreVersions ? ' and others' : ''}`
}

/** The group of its own, which is listed only on request. */
const listObserved = ({ observed, listsObserved }: DeviationReport): readonly Deviation[] =>
  listsObserved ? observed : []

export function formatDeviationText(report: DeviationReport): string {
  const { deviations, unasked, refused, failed } = report
  const entries = [...deviations, ...listObserved(report)].map((deviation) => {
    const { kind, method, template, pointer, expected, count } = deviation
    const [sentText, versions] = [toPlainText(deviation.example ?? deviation.actual), describeVersions(deviation)]
    const details = [
      sentText === '' ? '' : `sent: ${sentText}`,
      expected === '' ? '' : `expected: ${toPlainText(expected)}`,
      count === 1 ? 'once' : `${count} times`,
      versions === '' ? '' : `host version ${versions}`,
    ]
    const group = isBindingDeviation(deviation) ? '' : 'otherwise than seen on 0.49: '
    const head = `${group}${describeKind(kind)}: ${method} ${toPlainText(template)} ${toPlainText(pointer)}`.trimEnd()
    return `${head}\n  ${details.filter((detail) => detail !== '').join('; ')}\n`
  })
  return [
    ...entries,
    ...formatSkipped('not asked', unasked),
    ...formatSkipped('only an error', refused),
    ...formatSkipped('no usable response', failed),
  ].join('')
}

const formatSkipped = (word: string, reads: readonly SkippedRead[]): string[] =>
  reads.map(({ method, path, reason }) => `${word}: ${method} ${path} (${toPlainText(reason)})\n`)

export function formatDeviationJson({ listsObserved, observed, ...report }: DeviationReport): string {
  const group = listsObserved ? { observed } : {}
  return `${JSON.stringify({ ...report, ...group, total: report.deviations.length }, null, 2)}\n`
}

export function formatDeviationMarkdown(report: DeviationReport): string {
  const { baseUrl, deviations, unasked, refused, failed, isPartial } = report
  const source = baseUrl === null ? 'Recorded traffic' : toCode(baseUrl)
  const count = deviations.length === 1 ? '1 deviation' : `${deviations.length} deviations`
  const toRows = (listed: readonly Deviation[]): string[][] =>
    listed
      .map(omitValues)
      .map((deviation) => [
        describeKind(deviation.kind),
        toCode(`${deviation.method} ${deviation.template}`),
        toCode(deviation.pointer),
        toCode(deviation.expected),
        toCode(deviation.actual),
        String(deviation.count),
        toCode(describeVersions(deviation)),
      ])
  const head = ['Kind', 'Route', 'Pointer', 'Expected', 'Sent', 'Count', 'Host version']
  const observedTable = toTable(head, toRows(listObserved(report)))
  const skippedRows = [...unasked, ...refused, ...failed].map(({ method, path, code, reason }) => [
    toCode(`${method} ${path}`),
    toCode(code ?? reason),
  ])
  return [
    `# Deviations from the contract\n\n${source}: ${count}.${isPartial ? ' It was stopped: this is only a part.' : ''}\n`,
    toTable(head, toRows(deviations)),
    observedTable === '' ? '' : `## Otherwise than seen on 0.49\n\n${observedTable}`,
    toTable(['Not judged', 'Why'], skippedRows),
  ]
    .filter((part) => part !== '')
    .join('\n')
}

const toRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`

export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : [head, head.map(() => '---'), ...rows].map(toRow).join('')
}

/** A code span in the cell of a table. */
export function toCode(text: string): string {
  return toMarkdownCode(text).replaceAll('|', '\\|')
}
