import { getDeviationId } from '../../../shared/contract/deviation.ts'
import { getFindingGroupId } from '../../../shared/protocol/finding.ts'
import { snapshotInfoSchema } from '../../../shared/snapshots/snapshot.ts'
import type { LinePart, RecordedLine } from '../../../shared/recordings/recording.ts'
import { toOwnMembers, type LineParts } from './exchange-redactor.ts'
import { findRule } from './json-redactor.ts'
import { contractNames, contractWords, getKindOfMember } from '../../../shared/recordings/redaction/member-kinds.ts'
import { OperationRedactor } from './operation-redactor.ts'
import { OverrideRedactor } from './override-redactor.ts'
import { isNumberText } from '../../../shared/recordings/redaction/string-shapes.ts'
import { createObjectRule, getBodyRule, type ValueRule } from '../../../shared/recordings/redaction/value-rules.ts'

const snapshotRule = createObjectRule('snapshot', {
  ...toOwnMembers(Object.keys(snapshotInfoSchema.shape)),
  ...{ host: 'address', topicid: 'id' },
})
const JSON_TYPES = /^(?:array|object|string|number|boolean|null|undefined|absent|integer|[\d.,\s<>=…-]+)(?: \| \w+)*$/

/** Redacts the lines of all parts but exchanges. */
export class LineRedactor {
  readonly #parts: LineParts
  readonly #operations: OperationRedactor
  readonly #overrides: OverrideRedactor
  readonly #keepsSteps: boolean
  readonly #groupIds = new Map<string, string>()

  /** @param keepsSteps the person wrote the steps for whoever gets the recording */
  constructor(parts: LineParts, keepsSteps: boolean) {
    this.#parts = parts
    this.#operations = new OperationRedactor(parts)
    this.#overrides = new OverrideRedactor(parts)
    this.#keepsSteps = keepsSteps
  }

  redactLine<Part extends Exclude<LinePart, 'exchanges'>>(part: Part, line: RecordedLine<Part>): RecordedLine<Part> {
    this.#parts.strings.tally.place = part
    return this.#redactors[part](line)
  }

  /** @returns the id that a group of findings has since its findings were redacted */
  redactGroupId(groupId: string): string {
    const place = { kind: 'looseId', name: 'id', isRequired: true } as const
    return this.#groupIds.get(groupId) ?? this.#parts.strings.redact(groupId, place)
  }

  readonly #redactors: {
    readonly [Part in Exclude<LinePart, 'exchanges'>]: (line: RecordedLine<Part>) => RecordedLine<Part>
  } = {
    operations: (line) => this.#operations.redactOperation(line),
    findings: (line) => {
      const redacted = this.#redactFinding(line)
      this.#groupIds.set(getFindingGroupId(line), getFindingGroupId(redacted))
      return redacted
    },
    deviations: (line) => this.#redactDeviation(line),
    console: (line) => this.#redactNote(line),
    overrides: (line) => this.#overrides.redactOverride(line),
    snapshots: (line) => this.#redactSnapshotLine(line),
    steps: (line) => ({
      ...line,
      text: this.#keepsSteps ? line.text : this.#parts.strings.redactText(line.text, { textKind: 'notes' }),
    }),
  }

  #redactFinding(finding: RecordedLine<'findings'>): RecordedLine<'findings'> {
    const { exchanges } = this.#parts
    // Id and resource end with a further text that distinguishes findings of one rule.
    const [, head = finding.id, mark = ''] = /^([a-z-]+:\d+)(?::(.*))?$/s.exec(finding.id) ?? []
    const suffix = mark === '' ? '' : `:${mark}`
    const hasSuffix = suffix !== '' && finding.resource.endsWith(suffix)
    const resource = hasSuffix ? finding.resource.slice(0, -suffix.length) : finding.resource
    const redactedSuffix = suffix === '' ? '' : `:${this.#redactParameter(mark, '')}`
    const [method = '', path = ''] = resource.split(/ (.*)/s)
    const redactedMethod = this.#parts.strings.redact(method, { kind: 'word', name: 'method', isRequired: true })
    return {
      ...finding,
      id: head === finding.id ? this.#redactParameter(head, '') : head + redactedSuffix,
      origin: exchanges.redactOrigin(finding.origin),
      resource:
        (path === '' ? redactedMethod : `${redactedMethod} ${this.#parts.addresses.redactAddress(path, method)}`) +
        (hasSuffix ? redactedSuffix : ''),
      params: Object.fromEntries(
        Object.entries(finding.params).map(([name, value]) => [
          this.#parts.json.redactName(name),
          this.#redactParameter(value, name),
        ]),
      ),
    }
  }

  /** A value for the text of a rule: a number, a path, a name of the contract, an id, or data. */
  #redactParameter(value: string, name: string): string {
    const { strings, addresses } = this.#parts
    if (isNumberText(value) || contractWords.has(value) || contractNames.has(value)) return value
    const [, method = null, path = ''] = /^(?:([A-Z]{3,8}) )?(\/.*)$/s.exec(value) ?? []
    if (path !== '') return `${method === null ? '' : `${method} `}${addresses.redactAddress(path, method)}`
    if (/^[\w-]+(?:, [\w-]+)+$/.test(value))
      return value
        .split(', ')
        .map((part) => this.#redactParameter(part, name))
        .join(', ')
    const kind = getKindOfMember(name, '')
    return strings.redact(value, { kind: kind === 'text' ? 'looseId' : kind, name, isRequired: true })
  }

  #redactDeviation(deviation: RecordedLine<'deviations'>): RecordedLine<'deviations'> {
    const { strings, addresses, exchanges } = this.#parts
    const rule = getBodyRule(deviation.endpoint, 'response')
    const valueRule = findRule(deviation.pointer, rule)
    const redacted = {
      ...deviation,
      method: strings.redact(deviation.method, { kind: 'word', name: 'method', isRequired: true }),
      template: addresses.redactAddress(deviation.template, deviation.method),
      endpoint: deviation.endpoint === null ? null : exchanges.redactEndpoint(deviation.endpoint),
      pointer: this.#parts.json.redactPointer(deviation.pointer, rule),
      actual:
        JSON_TYPES.test(deviation.actual) || isNumberText(deviation.actual)
          ? deviation.actual
          : this.#parts.json.redactText(deviation.actual, valueRule),
      example: deviation.example === null ? null : this.#parts.json.redactText(deviation.example, valueRule),
      hostVersions: deviation.hostVersions.map((version) =>
        strings.redact(version, { kind: 'opaque', name: 'version' }),
      ),
      muted: deviation.muted && { ...deviation.muted, reason: strings.redactText(deviation.muted.reason) },
    }
    return { ...redacted, id: getDeviationId(redacted) }
  }

  #redactNote(note: RecordedLine<'console'>): RecordedLine<'console'> {
    const { strings } = this.#parts
    const text = strings.redactText(note.text, { textKind: 'console', name: 'text' })
    return {
      ...note,
      text,
      textLength: text.length < note.text.length ? text.length : note.textLength,
      file: this.#redactFile(note.file),
      original: note.original && { ...note.original, file: this.#redactFile(note.original.file) },
      caller:
        note.caller === null
          ? null
          : strings.redact(note.caller, { kind: 'looseId', name: 'caller', isRequired: true }),
    }
  }

  #redactFile(file: string): string {
    const { strings, addresses } = this.#parts
    return /^[a-z][a-z0-9+.-]*:\/\//i.test(file) ? addresses.redactAddress(file) : strings.redactFile(file)
  }

  #redactSnapshotLine(line: RecordedLine<'snapshots'>): RecordedLine<'snapshots'> {
    if (isSnapshotHead(line)) {
      const { snapshot } = line
      return {
        snapshot: {
          ...(this.#parts.json.redactValue(snapshot, snapshotRule) as typeof snapshot),
          origin: this.#parts.exchanges.redactOrigin(snapshot.origin),
          // Its names are ours, although no rule lists them.
          anomalies: snapshot.anomalies,
          members: snapshot.members.map((member) => this.#parts.json.redactName(member)),
        },
      }
    }
    return this.#parts.json.redactValue(line, cardRule) as RecordedLine<'snapshots'>
  }
}

const isSnapshotHead = (
  line: RecordedLine<'snapshots'>,
): line is Extract<RecordedLine<'snapshots'>, { snapshot: object }> => 'snapshot' in line && !('noteid' in line)

/** A card of a snapshot has the members of a listing, and below `@details` those of the card. */
const cardRule: ValueRule = (() => {
  const node = findRule('/nodes/0', getBodyRule('studySets.tree', 'response'))
  const details = findRule('/items/0', getBodyRule('notes.batchGet', 'response'))
  return { ...node, members: new Map([...(node.members ?? []), ['@details', details]]) }
})()
