import { escapeInvisible } from '../../shared/format/invisible-characters.ts'
import { formatInitiatorPlace, type InitiatorPlace } from '../../shared/traffic/call-initiator.ts'
import type { FindingClass, FindingGroup } from '../../shared/protocol/finding.ts'
import { ruleTable } from '../../shared/protocol/rule-table.ts'
import { toSingleLine, type Io, toPlainText } from '../base/io.ts'

const headings: Readonly<Record<FindingClass, string>> = {
  findings: '',
  advice: 'Advice, about what the contract leaves open:\n',
  withdrawn: 'Withdrawn, because what was owed followed after all:\n',
}

type TextWriter = Pick<Io, 'printText'> & { readonly style: Pick<Io['style'], 'bold' | 'failure'> }

export const PLAIN_STYLE: Pick<TextWriter, 'style'> = { style: { bold: (text) => text, failure: (text) => text } }

/** Returns a writer of notes, for a command whose standard output belongs to another program. */
export function createNoteWriter({ printNote }: Pick<Io, 'printNote'>): TextWriter {
  return {
    ...PLAIN_STYLE,
    async printText(text) {
      for (const line of text.trimEnd().split('\n')) printNote(line)
    },
  }
}

type PrintedFinding = FindingGroup & { readonly initiator?: InitiatorPlace | null }

/** Prints what callers did against the contract, each with what to do instead. */
export async function printFindings(
  writer: TextWriter,
  groups: Partial<Record<FindingClass, readonly PrintedFinding[]>>,
): Promise<void> {
  for (const listedClass of ['findings', 'advice', 'withdrawn'] as const) {
    const group = groups[listedClass] ?? []
    if (group.length > 0) await writer.printText(headings[listedClass])
    for (const finding of group) await printFinding(writer, finding)
  }
}

async function printFinding({ style, printText }: TextWriter, finding: PrintedFinding): Promise<void> {
  const { bold, failure } = style
  const { rule, resource, count, origins } = finding
  const { severity, violation, remedy, specReference } = ruleTable[rule]
  const names = origins.map(({ kind, label }) => (label === null ? kind : `${kind} ${toSingleLine(label)}`))
  const head = [resource, count === 1 ? '' : `${count} times`, names.join(', ')].filter((part) => part !== '')
  await printText(
    `${severity === 'error' ? failure(severity) : severity} ${bold(rule)}: ${escapeInvisible(head.join(', '))}\n`,
  )
  const decision = describeDecision(finding)
  const place = finding.initiator ? `  Line: ${describePlace(finding.initiator)}\n` : ''
  await printText(
    `  ${violation}\n${decision === '' ? '' : `  ${decision}\n`}${place}  Instead: ${remedy} (${specReference})\n`,
  )
}

/** Names the line and the function, in one line without invisible characters. */
export function describePlace(place: InitiatorPlace): string {
  const name = place.functionName === '' ? '' : ` in ${place.functionName}`
  return toPlainText(formatInitiatorPlace(place) + name)
}

const formatTime = (timestamp: number): string => new Date(timestamp).toISOString()

/** Says when a finding was decided or withdrawn; empty if that was at its last exchange. */
export function describeDecision({ at, late, withdrawnAt }: Pick<FindingGroup, 'at' | 'late' | 'withdrawnAt'>): string {
  const decided =
    late &&
    `Decided at ${formatTime(at)}, ${(late.afterMs / 1_000).toFixed(1)} s after the last exchange, ${
      late.because === 'ended' ? 'when the caller had ended' : 'because nothing had followed'
    }.`
  const withdrawn = withdrawnAt !== undefined && `Withdrawn at ${formatTime(withdrawnAt)}.`
  return [decided, withdrawn].filter(Boolean).join(' ')
}
