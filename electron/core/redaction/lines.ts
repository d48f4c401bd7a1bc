// The parts of a library in the lines of a recording. A member that is not listed was
// written by this program, or is a number or flag, and stays.

import { findEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import { getDeviationId } from '../../../shared/contract/deviation.ts'
import { wireErrorSchema } from '../../../shared/errors.ts'
import { isObject, lookUp } from '../../../shared/json/object.ts'
import { BY_HAND_MARK, HELD_MARK } from '../../../shared/panel/breakpoints.ts'
import { panelCallDecisions } from '../../../shared/panel/panel.ts'
import { getFindingGroupId } from '../../../shared/protocol/finding.ts'
import type { LinePart, RecordedExchange, RecordedLine } from '../../../shared/recordings/recording.ts'
import { contractWords, getKindOfMember, type StringKind } from './member-kinds.ts'
import type { TextKind } from '../../../shared/recordings/redaction/redaction-tally.ts'
import { isNearContractName, isNumberOrFlag, isUuid } from './string-shapes.ts'
import { getBodyRule, getRuleOfName, UNKNOWN_VALUE, type ValueRule } from './value-rules.ts'
import { mapInitiatorTexts, type CallInitiator } from '../../../shared/traffic/call-initiator.ts'
import { redactAddress } from './addresses.ts'
import { findRule, redactJsonText, redactJsonValue, redactMemberName, redactPointer } from './json-values.ts'
import { redactOverride } from './overrides.ts'
import { forEach, redactShape, type Shape } from './shapes.ts'
import type { StringRedactor } from './string-redactor.ts'

const LISTED_PREFIX = 'listed '
const ownRules: ReadonlySet<string> = new Set([...panelCallDecisions, HELD_MARK, BY_HAND_MARK])
const JSON_TYPES = /^(?:array|object|string|number|boolean|null|undefined|absent|integer|[\d.,\s<>=…-]+)(?: \| \w+)*$/
/** Names of the contract and of the host's own list, and numbers. */
const OWN_PARAMETERS: ReadonlySet<string> = new Set(
  'nearest name min max n seconds waited polls how why member members method'.split(' '),
)
const kindsOfParameters: Readonly<Record<string, StringKind>> = {
  revision: 'opaque',
  current: 'opaque',
  committed: 'id',
  first: 'id',
}

const ownNames: ReadonlySet<string> = new Set([...OWN_PARAMETERS, ...Object.keys(kindsOfParameters)])

export class LineRedactor {
  readonly #strings: StringRedactor
  readonly #keepsSteps: boolean
  readonly #groupIds = new Map<string, string>()

  constructor(strings: StringRedactor, keepsSteps: boolean) {
    this.#strings = strings
    this.#keepsSteps = keepsSteps
  }

  redactLine<Part extends Exclude<LinePart, 'exchanges'>>(part: Part, line: RecordedLine<Part>): RecordedLine<Part> {
    this.#strings.tally.place = part
    return this.#redactors[part](line)
  }

  readonly #redactors: {
    readonly [Part in Exclude<LinePart, 'exchanges'>]: (line: RecordedLine<Part>) => RecordedLine<Part>
  } = {
    operations: (line) => redactShape(line, this.#getOperationShape(line)),
    findings: (line) => {
      const redacted = this.#redactFinding(line)
      this.#groupIds.set(getFindingGroupId(line), getFindingGroupId(redacted))
      return redacted
    },
    deviations: (line) => {
      const redacted = redactShape(line, this.#getDeviationShape(line))
      return { ...redacted, id: getDeviationId(redacted) }
    },
    console: (line) => this.#redactNote(line),
    overrides: (line) => redactOverride(this.#strings, line),
    snapshots: (line) =>
      'snapshot' in line && !('noteid' in line)
        ? redactShape(line, this.#snapshotShape)
        : this.#redactValue<typeof line>(cardRule)(line),
    steps: (line) => (this.#keepsSteps ? line : redactShape(line, { text: this.#asText('text', 'notes') })),
    moments: (line) => line,
  }

  /** @returns the id that a group of findings has since its findings were redacted */
  redactGroupId(groupId: string): string {
    return this.#groupIds.get(groupId) ?? this.as('looseId', 'id')(groupId)
  }

  /** Redacts an exchange but for what depends on its bodies. */
  redactExchange(exchange: RecordedExchange): RecordedExchange {
    const { row } = exchange
    const isHost = row.state === 'answered'
    return redactShape(exchange, {
      row: {
        method: this.#asWord('method'),
        path: () => this.redactPath(row),
        endpoint: this.redactEndpoint,
        template: this.#asAddress(row.method),
        origin: this.originShape,
        ...(isHost ? { errorCode: this.as('code', 'code') } : {}),
        instance: this.as('id', 'instanceNonce'),
        host: this.#asAddress(),
        rule: (rule: string) => (ownRules.has(rule) ? rule : this.#asText('rule')(rule)),
      },
      error: this.#redactError,
      // The names of a plugin's own code say nothing about the library.
      initiator: (initiator: CallInitiator) =>
        mapInitiatorTexts(initiator, {
          toFile: this.#redactSourceFile,
          toFunctionName: (name) => this.#strings.redactFunctionName(name),
        }),
      names: forEach(({ member, id }: RecordedExchange['names'][number]) => ({
        member: redactMemberName(this.#strings, member),
        // The list may name members that are none by the contract.
        id: this.as(getKindOfMember(member, '') === 'id' ? 'id' : 'looseId', member)(id),
      })),
    })
  }

  /** A host may serve an endpoint at a path of its own. */
  redactPath({ path, method, endpoint }: RecordedExchange['row']): string {
    return redactAddress(this.#strings, path, method, findEndpointById(endpoint ?? '') ?? null)
  }

  /** The name of a panel is no text of the library, though it may hold one. */
  readonly originShape: Shape = {
    label: (label: string) => (isUuid(label) || contractWords.has(label) ? label : this.as('message', 'label')(label)),
    caller: (caller: string) => this.as('looseId', 'caller')(caller),
  }

  /** The id of a route that only the host lists contains the route. */
  readonly redactEndpoint = (endpoint: string): string => {
    if (findEndpointById(endpoint)) return endpoint
    if (!endpoint.startsWith(LISTED_PREFIX)) return this.#asText('endpoint')(endpoint)
    return LISTED_PREFIX + this.#redactRoute(endpoint.slice(LISTED_PREFIX.length))
  }

  /** Redacts strings of a kind. What is dropped leaves something behind. */
  as(kind: StringKind, name: string): (text: string) => string {
    return (text) => this.#strings.redact(text, { kind, name, isRequired: true })
  }

  readonly #asWord = (name: string): ((text: string) => string) => this.as('word', name)

  #asText(name: string, textKind?: TextKind): (text: string) => string {
    const place = textKind === undefined ? { name, isRequired: true } : { name, textKind }
    return (text) => this.#strings.redactText(text, place)
  }

  #asAddress(method: string | null = null): (address: string) => string {
    return (address) => redactAddress(this.#strings, address, method)
  }

  #redactValue<Value>(rule: ValueRule): (value: Value) => Value {
    return (value) => redactJsonValue(this.#strings, value, rule) as Value
  }

  #redactText(rule: ValueRule): (text: string) => string {
    return (text) => redactJsonText(this.#strings, text, rule)
  }

  #redactRoute(route: string): string {
    const [method = '', path = ''] = route.split(/ (.*)/s)
    const redactedMethod = this.#asWord('method')(method)
    return path === '' ? redactedMethod : `${redactedMethod} ${redactAddress(this.#strings, path, method)}`
  }

  /** Only a host's code is foreign. What no schema of this program has is unknown. */
  readonly #redactError = (error: unknown): unknown => {
    if (!isObject(error)) return this.#redactValue(UNKNOWN_VALUE)(error)
    const ownMembers = Object.entries(error).filter(([name]) => name in wireErrorSchema.shape)
    const others = Object.entries(error).filter(([name]) => !(name in wireErrorSchema.shape))
    return {
      ...redactShape(Object.fromEntries(ownMembers), {
        ...(error['kind'] === 'host' || error['kind'] === undefined ? { code: this.as('code', 'code') } : {}),
        message: this.as('message', 'message'),
        params: this.#redactValue(getRuleOfName('params', '')),
        details: this.#redactValue(getRuleOfName('details', '')),
      }),
      ...(this.#redactValue(UNKNOWN_VALUE)(Object.fromEntries(others)) as object),
    }
  }

  readonly #redactSourceFile = (file: string): string => this.#strings.redactSourceFile(file)

  #getOperationShape({ summary, method }: RecordedLine<'operations'>): Shape {
    const { endpoint } = summary
    const id = this.as('id', 'id')
    const nonce = this.as('id', 'instanceNonce')
    const rule = getBodyRule(endpoint, 'response')
    const requestText = this.#redactText(getBodyRule(endpoint, 'request'))
    const changes = forEach((change: RecordedLine<'operations'>['changes'][number]) => this.#redactChange(change))
    return {
      summary: {
        endpoint: this.redactEndpoint,
        profileName: this.#asText('profileName'),
        outcome: this.#asWord('outcome'),
        verdict: {
          outcome: this.#asWord('outcome'),
          quoted: forEach(({ at, value }: { at: string; value: string }) => ({
            at: redactPointer(this.#strings, at, rule),
            value: this.#redactText(findRule(at, rule))(value),
          })),
        },
        errorCode: this.as('code', 'code'),
        requestId: id,
        topicid: id,
        noteid: id,
        windowId: id,
        host: this.#asAddress(),
        cardTitle: this.#asText('cardTitle', 'titles'),
      },
      path: this.#asAddress(method),
      origin: this.#asAddress(),
      body: requestText,
      events: forEach((event: RecordedLine<'operations'>['events'][number]) => {
        const isObserved = event.kind === 'observation'
        const source = isObserved && event.source === 'pencil-result' ? 'writing.pencilResult' : 'writing.context'
        return redactShape(event, {
          body: this.#redactValue(isObserved ? getBodyRule(source, 'response') : rule),
          facts: this.#redactValue(UNKNOWN_VALUE),
          error: this.#redactError,
          instanceNonce: nonce,
          from: nonce,
          to: nonce,
        })
      }),
      changes,
      since: changes,
      earlier: { body: requestText },
      instanceNonce: nonce,
    }
  }

  #redactChange({ field, before, after }: RecordedLine<'operations'>['changes'][number]): unknown {
    const names = field.split(/([./[\]])/)
    const rule = getRuleOfName(names.findLast((name) => /[A-Za-z]/.test(name)) ?? '', '')
    return {
      field: names.map((name, index) => (index % 2 === 1 ? name : redactMemberName(this.#strings, name))).join(''),
      before: this.#redactValue(rule)(before),
      after: this.#redactValue(rule)(after),
    }
  }

  #redactFinding(finding: RecordedLine<'findings'>): RecordedLine<'findings'> {
    // Id and resource end with a further text that distinguishes findings of one rule.
    const [, head, mark = ''] = /^([a-z-]+:\d+)(?::(.*))?$/s.exec(finding.id) ?? []
    const suffix = mark === '' ? '' : `:${mark}`
    const hasSuffix = suffix !== '' && finding.resource.endsWith(suffix)
    const route = hasSuffix ? finding.resource.slice(0, -suffix.length) : finding.resource
    const redactedSuffix = suffix === '' ? '' : `:${this.#redactParameter(mark, '')}`
    const params = Object.entries(finding.params).map(([name, value]) => [
      ownNames.has(name) ? name : redactMemberName(this.#strings, name),
      OWN_PARAMETERS.has(name) ? value : this.#redactParameter(value, name),
    ])
    return {
      ...finding,
      id: head === undefined ? this.#redactParameter(finding.id, '') : head + redactedSuffix,
      origin: redactShape(finding.origin, this.originShape),
      resource: this.#redactRoute(route) + (hasSuffix ? redactedSuffix : ''),
      params: Object.fromEntries(params) as Record<string, string>,
    }
  }

  /** A value for the text of a rule: a number, a path, a name of the contract, an id, or data. */
  #redactParameter(value: string, name: string): string {
    if (isNumberOrFlag(value) || isNearContractName(value)) return value
    const [, method = null, path = ''] = /^(?:([A-Z]{3,8}) )?(\/.*)$/s.exec(value) ?? []
    if (path !== '') return (method === null ? '' : `${method} `) + redactAddress(this.#strings, path, method)
    if (/^[\w-]+(?:, [\w-]+)+$/.test(value))
      return value
        .split(', ')
        .map((part) => this.#redactParameter(part, name))
        .join(', ')
    const kind = lookUp(kindsOfParameters, name) ?? getKindOfMember(name, '')
    return this.as(kind === 'text' ? 'looseId' : kind, name)(value)
  }

  #getDeviationShape({ method, endpoint, pointer }: RecordedLine<'deviations'>): Shape {
    const rule = getBodyRule(endpoint, 'response')
    const value = this.#redactText(findRule(pointer, rule))
    return {
      method: this.#asWord('method'),
      template: this.#asAddress(method),
      endpoint: this.redactEndpoint,
      pointer: () => redactPointer(this.#strings, pointer, rule),
      actual: (actual: string) => (JSON_TYPES.test(actual) || isNumberOrFlag(actual) ? actual : value(actual)),
      example: value,
      hostVersions: forEach(this.as('opaque', 'version')),
      muted: { reason: this.#asText('reason') },
    }
  }

  #redactNote(note: RecordedLine<'console'>): RecordedLine<'console'> {
    const isError = note.kind !== 'console' || note.level === 'error' || note.level === 'warning'
    const place = { kind: 'message', name: 'text', textKind: 'console', isRequired: true } as const
    const { text, ...changed } = redactShape(note, {
      text: (message: string) =>
        isError ? this.#strings.redactMessage(message, place) : this.#asText('text', 'console')(message),
      file: this.#redactSourceFile,
      original: { file: this.#redactSourceFile },
      caller: this.as('looseId', 'caller'),
    })
    return { ...changed, text, textLength: text.length < note.text.length ? text.length : note.textLength }
  }

  readonly #snapshotShape: Shape = {
    snapshot: {
      topicid: this.as('id', 'topicid'),
      host: this.#asAddress(),
      origin: this.originShape,
      palette: this.#redactValue(getBodyRule('studySets.palette', 'response')),
      members: forEach((member: string) => redactMemberName(this.#strings, member)),
    },
  }
}

/** A card of a snapshot has the members of a listing, and below `@details` those of the card. */
const cardRule: ValueRule = (() => {
  const node = findRule('/nodes/0', getBodyRule('studySets.tree', 'response'))
  const details = findRule('/items/0', getBodyRule('notes.batchGet', 'response'))
  return { ...node, members: new Map([...(node.members ?? []), ['@details', details]]) }
})()
