import type { RecordedLine } from '../../../shared/recordings/recording.ts'
import { wireErrorRule, type LineParts } from './exchange-redactor.ts'
import { findRule } from './json-redactor.ts'
import { getBodyRule, getRuleOfName, UNKNOWN_VALUE } from '../../../shared/recordings/redaction/value-rules.ts'

type Operation = RecordedLine<'operations'>
type OperationEvent = Operation['events'][number]

/** Redacts records of writes with their events and proofs. */
export class OperationRedactor {
  readonly #parts: LineParts

  constructor(parts: LineParts) {
    this.#parts = parts
  }

  redactOperation(operation: Operation): Operation {
    const { strings, addresses, exchanges } = this.#parts
    const { summary, earlier } = operation
    const { endpoint } = summary
    const bodyRule = getBodyRule(endpoint, 'request')
    const redactId = (id: string | null): string | null =>
      id === null ? null : strings.redact(id, { kind: 'id', name: 'id', isRequired: true })
    const redactWord = (word: string | null): string | null =>
      word === null ? null : strings.redact(word, { kind: 'word', name: 'outcome' })
    return {
      ...operation,
      summary: {
        ...summary,
        endpoint: exchanges.redactEndpoint(endpoint),
        profileName: strings.redactText(summary.profileName, { name: 'profileName', isRequired: true }),
        outcome: redactWord(summary.outcome),
        verdict: {
          ...summary.verdict,
          outcome: redactWord(summary.verdict.outcome),
          quoted: summary.verdict.quoted.map(({ at, value }) => ({
            at: this.#parts.json.redactPointer(at, getBodyRule(endpoint, 'response')),
            value: this.#parts.json.redactText(value, findRule(at, getBodyRule(endpoint, 'response'))),
          })),
        },
        errorCode: exchanges.redactCode(summary.errorCode),
        requestId: redactId(summary.requestId),
        host: addresses.redactAddress(summary.host),
        topicid: redactId(summary.topicid),
        noteid: redactId(summary.noteid),
        ...(summary.cardTitle === undefined
          ? {}
          : { cardTitle: strings.redactText(summary.cardTitle, { textKind: 'titles', name: 'cardTitle' }) }),
        windowId: redactId(summary.windowId),
      },
      path: addresses.redactAddress(operation.path, operation.method),
      origin: addresses.redactAddress(operation.origin),
      body: operation.body === null ? null : this.#parts.json.redactText(operation.body, bodyRule),
      events: operation.events.map((event) => this.#redactEvent(event, endpoint)),
      changes: operation.changes.map((change) => this.#redactChange(change)),
      since: operation.since.map((change) => this.#redactChange(change)),
      earlier: earlier && {
        ...earlier,
        body: earlier.body === null ? null : this.#parts.json.redactText(earlier.body, bodyRule),
      },
      instanceNonce: redactId(operation.instanceNonce),
    }
  }

  #redactEvent(event: OperationEvent, endpoint: string): OperationEvent {
    const { strings, json } = this.#parts
    const rule = getBodyRule(endpoint, 'response')
    const redactNonce = (nonce: string | null): string | null =>
      nonce === null ? null : strings.redact(nonce, { kind: 'id', name: 'instanceNonce', isRequired: true })
    switch (event.kind) {
      case 'answer':
        return { ...event, body: json.redactValue(event.body, rule), instanceNonce: redactNonce(event.instanceNonce) }
      case 'observation':
        return {
          ...event,
          body: json.redactValue(
            event.body,
            event.source === 'pencil-result'
              ? getBodyRule('writing.pencilResult', 'response')
              : getBodyRule('writing.context', 'response'),
          ),
        }
      case 'record-gone':
        return { ...event, body: json.redactValue(event.body, rule) }
      case 'failure':
        return { ...event, error: json.redactValue(event.error, wireErrorRule) }
      case 'host-restarted':
        return { ...event, from: redactNonce(event.from), to: redactNonce(event.to) }
      case 'read-back':
        return {
          ...event,
          facts: json.redactValue(event.facts, UNKNOWN_VALUE),
          error: json.redactValue(event.error, wireErrorRule),
          instanceNonce: redactNonce(event.instanceNonce),
        }
      default:
        return event
    }
  }

  #redactChange({ field, before, after }: Operation['changes'][number]): Operation['changes'][number] {
    const names = field.split(/([./[\]])/)
    const rule = getRuleOfName(names.findLast((name) => /[A-Za-z]/.test(name)) ?? '', '')
    return {
      field: names.map((name, index) => (index % 2 === 1 ? name : this.#parts.json.redactName(name))).join(''),
      before: this.#parts.json.redactValue(before, rule),
      after: this.#parts.json.redactValue(after, rule),
    }
  }
}
