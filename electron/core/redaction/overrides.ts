import type { RecordedLine } from '../../../shared/recordings/recording.ts'
import { decodeBase64, encodeBase64Like } from './string-shapes.ts'
import { UNKNOWN_VALUE } from './value-rules.ts'
import { redactAddress, redactQuery } from './addresses.ts'
import { redactHeaders } from './headers.ts'
import { findRule, redactJsonText, redactJsonValue, redactPointer } from './json-values.ts'
import { forEach, redactShape } from './shapes.ts'
import type { StringRedactor } from './string-redactor.ts'

type Override = RecordedLine<'overrides'>

/** Redacts a rule that gave a panel other responses than the host's. */
export function redactOverride(strings: StringRedactor, rule: Override): Override {
  return redactShape(rule, {
    id: (id: string) => strings.redact(id, { kind: 'looseId', name: 'id', isRequired: true }),
    name: (name: string) => strings.redactText(name, { name: 'rule', isRequired: true }),
    match: {
      method: (method: string) =>
        method === '*' ? method : strings.redact(method, { kind: 'word', name: 'method', isRequired: true }),
      path: (path: string) => redactAddress(strings, path, rule.match.method),
      query: (query: Record<string, string>) => redactConditions(strings, query),
      body: forEach((condition: { at: string; equals?: unknown }) => redactPlace(strings, condition, 'equals')),
    },
    answer: (response: Override['answer']) => redactResponse(strings, response),
  })
}

function redactConditions(strings: StringRedactor, query: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries(query).map(([name, value]) =>
    redactQuery(strings, `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .split('=')
      .map(decodeURIComponent),
  )
  return Object.fromEntries(pairs) as Record<string, string>
}

const redactPlace = <Place extends { readonly at: string }>(
  strings: StringRedactor,
  place: Place,
  member: string,
): Place =>
  redactShape(place, {
    at: () => redactPointer(strings, place.at, UNKNOWN_VALUE),
    [member]: (value: unknown) => redactJsonValue(strings, value, findRule(place.at, UNKNOWN_VALUE)),
  })

function redactResponse(strings: StringRedactor, response: Override['answer']): Override['answer'] {
  if (response.kind === 'fault') return response
  if (response.kind === 'change')
    return { ...response, changes: response.changes.map((change) => redactPlace(strings, change, 'value')) }
  const body = redactBody(strings, response.body, response.base64)
  const size = { isChanged: body !== response.body, bytes: null, mediaType: null }
  return { ...response, body, headers: redactHeaders(strings, response.headers, size) }
}

function redactBody(strings: StringRedactor, body: string, isBase64: boolean): string {
  if (!isBase64) return redactJsonText(strings, body, UNKNOWN_VALUE)
  if (strings.policy.texts === 'keep' && strings.policy.pictures === 'keep') return body
  const bytes = decodeBase64(body.replace(/\s/g, ''))
  const text = bytes && new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  if (text === null || !/^\s*[[{]/.test(text)) return ''
  return encodeBase64Like(new TextEncoder().encode(redactJsonText(strings, text, UNKNOWN_VALUE)), body)
}
