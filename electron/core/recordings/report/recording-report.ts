// The report of a recording for people: Markdown that quotes what is in the file. Its lines come
// from the writer, after everything in them was redacted. Read this file first.

import { toMarkdownCode as toCode, toMarkdownQuote } from '../../../../shared/format/markup.ts'
import { verdictTexts, type OperationVerdict } from '../../../../shared/operations/operation-verdict.ts'
import {
  findInitiatorPlace,
  formatInitiatorPlace,
  type InitiatorPlace,
} from '../../../../shared/traffic/call-initiator.ts'
import { getFindingGroupId, type Finding, type FindingClass } from '../../../../shared/protocol/finding.ts'
import { findingSeverities, getFindingClass, ruleTable } from '../../../../shared/protocol/rule-table.ts'
import { isBindingDeviation, type Deviation } from '../../../../shared/contract/deviation.ts'
import type {
  LinePart,
  ManifestFacts,
  RecordedExchange,
  RecordedLine,
  RecordedPanelNote,
  RecordedOperation,
  RecordedStep,
  RecordingManifest,
} from '../../../../shared/recordings/recording.ts'
import { formatManifestSections, formatTime } from './manifest-sections.ts'

/** A report lists at most so many entries of a section; further ones are counted. */
const MAX_ENTRIES = 200
/** Exchanges that one entry names. */
const MAX_NAMED_EXCHANGES = 10
/** A longer text is cut, except for the words of the person. */
const MAX_TEXT_CHARS = 300

/** These writes reached what they were sent for, as far as anybody reports. */
const SUCCESSFUL_VERDICTS: ReadonlySet<OperationVerdict['code']> = new Set<OperationVerdict['code']>([
  'saved-and-verified',
  'saved-unverified',
  'unsaid-but-verified',
  'session-recorded',
  'session-settled',
])

const isSuccessful = ({ summary: { verdict } }: RecordedOperation): boolean =>
  SUCCESSFUL_VERDICTS.has(verdict.code) && verdict.persisted !== false

type SummarisedExchange = Pick<
  RecordedExchange['row'],
  'method' | 'path' | 'status' | 'errorCode' | 'state' | 'startedAt' | 'durationMs'
>

interface CountedFinding {
  readonly finding: Finding
  readonly count: number
  /** The exchanges of the newest finding come first. */
  readonly exchanges: readonly number[]
}

/** Keeps of each line what a report says about it. */
export class RecordingReport {
  readonly #exchanges = new Map<number, SummarisedExchange>()
  readonly #seqs = new Map<string, number>()
  /** Keyed by the `seq` of the exchange. */
  readonly #initiators = new Map<number, InitiatorPlace>()
  readonly #findings = new Map<string, CountedFinding>()
  readonly #operations = new LimitedList<RecordedOperation>()
  readonly #deviations = new LimitedList<Deviation>()
  readonly #errors = new LimitedList<RecordedPanelNote>()
  readonly #steps = new LimitedList<RecordedStep>()
  readonly #unlistedFindings = { findings: 0, advice: 0, withdrawn: 0 }

  addLine<Part extends LinePart>(part: Part, line: RecordedLine<Part>): void
  addLine(part: LinePart, line: unknown): void {
    switch (part) {
      case 'exchanges':
        return this.#addExchange(line as RecordedExchange)
      case 'findings':
        return this.#addFinding(line as Finding)
      case 'operations':
        if (!isSuccessful(line as RecordedOperation)) this.#operations.add(line as RecordedOperation)
        return
      case 'deviations':
        if (isBindingDeviation(line as Deviation)) this.#deviations.add(line as Deviation)
        return
      case 'console':
        if ((line as RecordedPanelNote).level === 'error') this.#errors.add(line as RecordedPanelNote)
        return
      case 'steps':
        return this.#steps.add(line as RecordedStep)
    }
  }

  /** Call this when all lines were added. Ends with a line break. */
  format(facts: ManifestFacts, parts: RecordingManifest['parts'], fingerprint: string | null): string {
    return [
      `# Recording${facts.title === '' ? '' : ` ${toCode(facts.title)}`}`,
      ...this.#steps.format('What was done', (step) => this.#formatStep(step), '\n\n'),
      ...this.#formatFindings(parts),
      ...this.#operations.format('Writes that failed or are not proven', (write) => this.#formatOperation(write)),
      ...this.#deviations.format('What the host does otherwise than the contract says', (deviation) =>
        this.#formatDeviation(deviation),
      ),
      ...this.#errors.format('Errors of pages', formatError),
      ...formatManifestSections(facts, parts, fingerprint),
      '',
    ].join('\n\n')
  }

  #addExchange({ row, initiator }: RecordedExchange): void {
    const { method, path, status, errorCode, state, startedAt, durationMs } = row
    this.#exchanges.set(row.seq, { method, path: cut(path), status, errorCode, state, startedAt, durationMs })
    this.#seqs.set(row.id, row.seq)
    const place = initiator && findInitiatorPlace(initiator)
    if (place) this.#initiators.set(row.seq, place)
  }

  #addFinding(finding: Finding): void {
    const id = getFindingGroupId(finding)
    const counted = this.#findings.get(id)
    if (!counted && this.#findings.size >= MAX_ENTRIES) {
      this.#unlistedFindings[getFindingClass(finding)] += 1
      return
    }
    const exchanges = [...new Set([...finding.exchanges.toReversed(), ...(counted?.exchanges ?? [])])]
    this.#findings.set(id, { finding, count: (counted?.count ?? 0) + 1, exchanges: exchanges.slice(0, 50) })
  }

  #formatStep({ at, text, exchange, screenshot }: RecordedStep): string {
    const details = [
      at === null ? '' : formatTime(at),
      exchange === null ? '' : this.#describeExchange(exchange),
      screenshot === null ? '' : `screenshot ${toCode(screenshot)}`,
    ].filter((part) => part !== '')
    return [...(text === '' ? [] : [toMarkdownQuote(text)]), ...(details.length > 0 ? [details.join(', ')] : [])].join(
      '\n\n',
    )
  }

  #formatFindings(parts: RecordingManifest['parts']): string[] {
    const ranked = [...this.#findings.values()].sort(
      (first, second) => rankOf(first) - rankOf(second) || first.finding.at - second.finding.at,
    )
    const formatClass = (heading: string, formattedClass: FindingClass): string[] => {
      const entries = ranked.filter(({ finding }) => getFindingClass(finding) === formattedClass)
      const texts = entries.map((counted) => this.#formatFinding(counted))
      return formatSection(heading, texts, this.#unlistedFindings[formattedClass])
    }
    const section = formatClass('Findings', 'findings')
    const isEmpty = section.length === 0 && (parts['exchanges']?.lines ?? 0) > 0
    return [
      ...(isEmpty ? ['## Findings', 'None in this recording.'] : section),
      ...formatClass('Advice, about what the contract leaves open', 'advice'),
      ...formatClass('Findings that were withdrawn, because what was owed followed', 'withdrawn'),
    ]
  }

  #formatFinding({ finding, count, exchanges }: CountedFinding): string {
    const { violation, remedy, severity, specReference } = ruleTable[finding.rule]
    const label = finding.origin.label === null ? '' : ` ${toCode(cut(finding.origin.label))}`
    const params = Object.entries(finding.params).map(([name, value]) => `${toCode(name)} ${toCode(cut(value))}`)
    const place = this.#initiators.get(finding.exchanges.at(-1) ?? 0)
    const times = count === 1 ? '' : `, ${count} times`
    return [
      `- **${finding.rule}** (${severity}${times}, by ${finding.origin.kind}${label})`,
      `  - ${violation}`,
      `  - Instead: ${remedy} (${specReference})`,
      ...formatDecision(finding),
      ...(params.length > 0 ? [`  - Here: ${params.join(', ')}`] : []),
      ...(place ? [`  - Line: ${describePlace(place)}`] : []),
      ...this.#listExchanges(exchanges),
    ].join('\n')
  }

  #formatOperation({ method, path, summary, events, changes }: RecordedOperation): string {
    const { verdict, createdAt, state, outcome, errorCode, failureCode } = summary
    const facts = [
      `state ${state}`,
      ...(outcome === null ? [] : [`outcome ${toCode(cut(outcome))}`]),
      ...(errorCode === null ? [] : [`error ${toCode(cut(errorCode))}`]),
      ...(failureCode === null ? [] : [`failure ${toCode(cut(failureCode))}`]),
      ...(['persisted', 'persistedSnapshotVerified', 'snapshotCurrent'] as const).flatMap((name) =>
        verdict[name] === null ? [] : [`${toCode(name)} is ${verdict[name]}`],
      ),
    ]
    const quoted = verdict.quoted.slice(0, MAX_NAMED_EXCHANGES)
    const seqs = events.flatMap((event) => ('exchangeId' in event ? (this.#seqs.get(event.exchangeId) ?? []) : []))
    return [
      `- ${toCode(`${method} ${cut(path)}`)} at ${formatTime(createdAt)}: ${verdictTexts[verdict.code]}`,
      `  - Reported: ${facts.join(', ')}`,
      ...quoted.map(({ at, value }) => `  - ${toCode(cut(at))}: ${toCode(cut(value))}`),
      ...(changes.length > 0
        ? [`  - Read back differently: ${changes.map(({ field }) => toCode(cut(field))).join(', ')}`]
        : []),
      ...this.#listExchanges([...new Set(seqs)]),
    ].join('\n')
  }

  #formatDeviation({ kind, method, template, pointer, expected, actual, count, sampleSeq }: Deviation): string {
    const place = pointer === '' ? '' : ` at ${toCode(pointer)}`
    const texts = [
      expected === '' ? '' : `expected ${toCode(cut(expected))}`,
      actual === '' ? '' : `sent ${toCode(cut(actual))}`,
      count === 1 ? 'once' : `${count} times`,
    ].filter((part) => part !== '')
    return [
      `- ${kind.replaceAll('-', ' ')}: ${toCode(`${method} ${cut(template)}`)}${place}: ${texts.join(', ')}`,
      ...this.#listExchanges(sampleSeq === null ? [] : [sampleSeq]),
    ].join('\n')
  }

  #listExchanges(seqs: readonly number[]): string[] {
    const listed = seqs.slice(0, MAX_NAMED_EXCHANGES).map((seq) => `  - ${this.#describeExchange(seq)}`)
    const unlisted = seqs.length - listed.length
    return unlisted > 0 ? [...listed, `  - and ${unlisted} more exchanges`] : listed
  }

  #describeExchange(seq: number): string {
    const exchange = this.#exchanges.get(seq)
    if (!exchange) return `exchange ${seq}, which is not in this recording`
    const { method, path, status, errorCode, state, startedAt, durationMs } = exchange
    const result = status === null ? `no response (${state})` : String(status)
    const code = errorCode === null ? '' : ` ${toCode(cut(errorCode))}`
    const duration = durationMs === null ? '' : ` after ${Math.round(durationMs)} ms`
    return `exchange ${seq}: ${toCode(`${method} ${path}`)} → ${result}${code}${duration}, at ${formatTime(startedAt)}`
  }
}

/** Holds the first entries, and counts the others. */
class LimitedList<Entry> {
  readonly #entries: Entry[] = []
  #unlisted = 0

  add(entry: Entry): void {
    if (this.#entries.length < MAX_ENTRIES) this.#entries.push(entry)
    else this.#unlisted += 1
  }

  /** Returns the blocks of a section; an entry without a text is left out. */
  format(title: string, formatEntry: (entry: Entry) => string, separator?: string): string[] {
    return formatSection(title, this.#entries.map(formatEntry).filter(Boolean), this.#unlisted, separator)
  }
}

function formatDecision({ at, late, withdrawnAt }: Finding): string[] {
  const reason = late?.because === 'ended' ? 'when the caller had ended' : 'because nothing had followed'
  return [
    ...(late ? [`  - Decided at ${formatTime(at)}, ${formatSeconds(late.afterMs)} later, ${reason}`] : []),
    ...(withdrawnAt === undefined ? [] : [`  - Withdrawn at ${formatTime(withdrawnAt)}`]),
  ]
}

const formatSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

const rankOf = ({ finding }: CountedFinding): number => findingSeverities.indexOf(ruleTable[finding.rule].severity)

function formatSection(title: string, entries: readonly string[], unlisted: number, separator = '\n'): string[] {
  if (entries.length === 0) return []
  const rest = unlisted === 0 ? [] : [`And ${unlisted} more, which this report does not list.`]
  return [`## ${title}`, entries.join(separator), ...rest]
}

function formatError({ at, text, file, line, original }: RecordedPanelNote): string {
  const place = original ?? (file === '' ? null : { file, line })
  const location =
    place === null ? '' : `, ${toCode(formatInitiatorPlace({ file: cut(place.file), line: place.line }))}`
  return `- ${toCode(cut(text)) || 'an empty line'} at ${formatTime(at)}${location}`
}

const describePlace = (place: InitiatorPlace): string => {
  const name = place.functionName === '' ? '' : ` in ${toCode(cut(place.functionName))}`
  return toCode(cut(formatInitiatorPlace(place))) + name
}

/** Never leaves half of a surrogate pair. */
const cut = (text: string): string =>
  text.length <= MAX_TEXT_CHARS ? text : `${text.slice(0, MAX_TEXT_CHARS).replace(/[\ud800-\udbff]$/, '')}…`
