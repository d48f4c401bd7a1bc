import { z } from 'zod'
import { isJsonPointer } from '../json/pointer.ts'

export const jsonTypes = ['object', 'array', 'string', 'number', 'boolean', 'null'] as const

/** A saved request has at most this many assertions; the others are reported as invalid. */
export const MAX_ASSERTIONS = 200

const pointer = z.string().max(500).refine(isJsonPointer, { error: 'not a JSON pointer' })

/** Plain JSON in a collection's file, which may contain `{{variable}}` placeholders. */
export const assertionSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('status'), equals: z.number().int().min(100).max(599) }),
  /** `equals` is null if the response must have no `error`. */
  z.strictObject({ kind: z.literal('error-code'), equals: z.string().max(200).nullable() }),
  /** Members of an object may be in any order; entries of a list may not. */
  z.strictObject({ kind: z.literal('equals'), pointer, value: z.json() }),
  /** The pattern covers the whole text (`matchesTextPattern`). Numbers match as they were sent. */
  z.strictObject({ kind: z.literal('matches'), pointer, pattern: z.string().max(500) }),
  z.strictObject({ kind: z.literal('exists'), pointer, exists: z.boolean().default(true) }),
  z.strictObject({ kind: z.literal('type'), pointer, type: z.enum(jsonTypes) }),
  /** The response fits the contract of its endpoint. */
  z.strictObject({ kind: z.literal('schema') }),
  z.strictObject({ kind: z.literal('duration'), maxMs: z.number().nonnegative().max(3_600_000) }),
])
export type Assertion = z.infer<typeof assertionSchema>
export const assertionKinds = assertionSchema.options.map(({ shape }) => shape.kind.value)

/** An entry of the file that is no assertion. It stays in the file and is never evaluated. */
export interface InvalidAssertion {
  readonly kind: 'invalid'
  /** The entry as JSON, cut if it is long. */
  readonly json: string
  /** The reason in English. */
  readonly reason: string
}

const MAX_SHOWN_CHARS = 200

/** Entries that are no assertions keep their places: each entry of the file has one element. */
export function parseAssertions(value: unknown): readonly (Assertion | InvalidAssertion)[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) return [toInvalidAssertion(value, 'the assertions are not a list')]
  return value.map((entry: unknown, index) => {
    if (index >= MAX_ASSERTIONS) return toInvalidAssertion(entry, `more than ${MAX_ASSERTIONS} assertions`)
    const parsed = assertionSchema.safeParse(entry)
    return parsed.success ? parsed.data : toInvalidAssertion(entry, describeIssue(parsed.error))
  })
}

function toInvalidAssertion(value: unknown, reason: string): InvalidAssertion {
  const json = JSON.stringify(value)
  return {
    kind: 'invalid',
    json: json.length > MAX_SHOWN_CHARS ? `${json.slice(0, MAX_SHOWN_CHARS)}…` : json,
    reason,
  }
}

function describeIssue({ issues: [issue] }: z.ZodError): string {
  if (!issue) return 'invalid'
  const place = issue.path.join('.')
  if (issue.code === 'invalid_union' && place === 'kind') return `kind is none of ${assertionKinds.join(', ')}`
  return place === '' ? issue.message : `${place}: ${issue.message}`
}

/** Writes an assertion in one line that is the same in every language. */
export function formatAssertion(assertion: Assertion | InvalidAssertion): string {
  switch (assertion.kind) {
    case 'status':
      return `status = ${assertion.equals}`
    case 'error-code':
      return assertion.equals === null ? 'no error' : `error code = ${assertion.equals}`
    case 'equals':
      return `${formatPointer(assertion.pointer)} = ${cutText(JSON.stringify(assertion.value))}`
    case 'matches':
      return `${formatPointer(assertion.pointer)} matches ${cutText(assertion.pattern)}`
    case 'exists':
      return `${formatPointer(assertion.pointer)} ${assertion.exists ? 'exists' : 'does not exist'}`
    case 'type':
      return `${formatPointer(assertion.pointer)} is ${assertion.type}`
    case 'schema':
      return 'fits the contract'
    case 'duration':
      return `duration ≤ ${assertion.maxMs} ms`
    case 'invalid':
      return assertion.json
  }
}

const formatPointer = (text: string): string => (text === '' ? '(body)' : text)
const cutText = (text: string): string => (text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text)
