import type { RecordedLine } from '../../../shared/recordings/recording.ts'
import type { LineParts } from './exchange-redactor.ts'
import { findRule } from './json-redactor.ts'
import { decodeBase64, encodeBase64Like } from '../../../shared/recordings/redaction/string-shapes.ts'
import { UNKNOWN_VALUE } from '../../../shared/recordings/redaction/value-rules.ts'

type Override = RecordedLine<'overrides'>

/** Redacts the rules that gave a panel other responses than the host's. */
export class OverrideRedactor {
  readonly #parts: LineParts

  constructor(parts: LineParts) {
    this.#parts = parts
  }

  redactOverride(rule: Override): Override {
    const { strings, addresses } = this.#parts
    const { query, body, ...match } = rule.match
    return {
      ...rule,
      id: strings.redact(rule.id, { kind: 'looseId', name: 'id', isRequired: true }),
      name: strings.redactText(rule.name, { name: 'rule', isRequired: true }),
      match: {
        ...match,
        method:
          match.method === '*' ? '*' : strings.redact(match.method, { kind: 'word', name: 'method', isRequired: true }),
        path: addresses.redactAddress(match.path, match.method),
        ...(query ? { query: this.#redactQuery(query) } : {}),
        ...(body ? { body: body.map((condition) => this.#redactCondition(condition)) } : {}),
      },
      answer: this.#redactOverrideResponse(rule.answer),
    }
  }

  #redactQuery(query: Readonly<Record<string, string>>): Record<string, string> {
    const { addresses } = this.#parts
    const pairs = Object.entries(query).map(([name, value]) => {
      const redacted = addresses.redactQuery(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      const [redactedName = '', redactedValue = ''] = redacted.split('=')
      return [decodeURIComponent(redactedName), decodeURIComponent(redactedValue)] as const
    })
    return Object.fromEntries(pairs)
  }

  #redactCondition<Condition extends { readonly at: string; readonly equals?: unknown }>(
    condition: Condition,
  ): Condition {
    const { at, equals } = condition
    return {
      ...condition,
      at: this.#parts.json.redactPointer(at, UNKNOWN_VALUE),
      ...(equals === undefined ? {} : { equals: this.#parts.json.redactValue(equals, findRule(at, UNKNOWN_VALUE)) }),
    }
  }

  #redactOverrideResponse(response: Override['answer']): Override['answer'] {
    if (response.kind === 'change') {
      return {
        ...response,
        changes: response.changes.map((change) => {
          const pointer = this.#parts.json.redactPointer(change.at, UNKNOWN_VALUE)
          if (change.do === 'remove') return { ...change, at: pointer }
          return {
            ...change,
            at: pointer,
            value: this.#parts.json.redactValue(change.value, findRule(change.at, UNKNOWN_VALUE)) ?? null,
          }
        }),
      }
    }
    if (response.kind === 'fault') return response
    const body = this.#redactOverrideBody(response.body, response.base64)
    const isChanged = body !== response.body
    return {
      ...response,
      body,
      headers: this.#parts.headers.redactHeaders(response.headers, { isChanged, bytes: null, mediaType: null }),
    }
  }

  #redactOverrideBody(body: string, isBase64: boolean): string {
    if (!isBase64) return this.#parts.json.redactText(body, UNKNOWN_VALUE)
    const { policy } = this.#parts.strings
    if (policy.texts === 'keep' && policy.pictures === 'keep') return body
    const bytes = decodeBase64(body.replace(/\s/g, ''))
    if (bytes === null) return ''
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    if (!/^\s*[[{]/.test(text)) return ''
    return encodeBase64Like(new TextEncoder().encode(this.#parts.json.redactText(text, UNKNOWN_VALUE)), body)
  }
}
