import { assertionSchema, jsonTypes, type Assertion } from '../../../shared/collections/assertion.ts'
import { isValidJsonText } from '../../../shared/json/inspection.ts'

/** A form has no `missing`, which is an assertion of the kind `exists`. */
export const assertionDraftKinds = [
  'status',
  'error-code',
  'equals',
  'matches',
  'exists',
  'missing',
  'type',
  'schema',
  'duration',
] as const

/** An assertion that is being composed; members that its kind does not use are ignored. */
export interface AssertionDraft {
  readonly kind: (typeof assertionDraftKinds)[number]
  readonly pointer: string
  /** The expected status, code, value, pattern or number of milliseconds. */
  readonly text: string
  readonly type: (typeof jsonTypes)[number]
}

export const emptyAssertionDraft: AssertionDraft = { kind: 'status', pointer: '', text: '200', type: jsonTypes[0] }

/** Null while the draft is incomplete. A value that is no JSON counts as text. */
export function parseAssertionDraft(draft: AssertionDraft): Assertion | null {
  const parsed = assertionSchema.safeParse(toAssertionFields(draft))
  return parsed.success ? parsed.data : null
}

/** Returns what keeps a draft from being an assertion; null if it is one. */
export function findDraftProblem(draft: AssertionDraft): 'pointer' | 'status' | 'duration' | 'length' | null {
  const issue = assertionSchema.safeParse(toAssertionFields(draft)).error?.issues[0]
  if (!issue) return null
  if (issue.path[0] === 'pointer') return 'pointer'
  return draft.kind === 'status' || draft.kind === 'duration' ? draft.kind : 'length'
}

function toAssertionFields({ kind, pointer, text, type }: AssertionDraft): unknown {
  switch (kind) {
    case 'status':
      return { kind, equals: toNumber(text) }
    case 'error-code':
      return { kind, equals: text.trim() === '' ? null : text.trim() }
    case 'equals':
      return { kind, pointer, value: isValidJsonText(text) ? (JSON.parse(text) as unknown) : text }
    case 'matches':
      return { kind, pointer, pattern: text }
    case 'exists':
    case 'missing':
      return { kind: 'exists', pointer, exists: kind === 'exists' }
    case 'type':
      return { kind, pointer, type }
    case 'schema':
      return { kind }
    case 'duration':
      return { kind, maxMs: toNumber(text) }
  }
}

/** The draft from which `parseAssertionDraft` makes this assertion. */
export function toAssertionDraft(assertion: Assertion): AssertionDraft {
  const draft = { ...emptyAssertionDraft, ...('pointer' in assertion ? { pointer: assertion.pointer } : {}), text: '' }
  switch (assertion.kind) {
    case 'status':
      return { ...draft, kind: 'status', text: String(assertion.equals) }
    case 'error-code':
      return { ...draft, kind: 'error-code', text: assertion.equals ?? '' }
    case 'equals':
      return { ...draft, kind: 'equals', text: JSON.stringify(assertion.value) }
    case 'matches':
      return { ...draft, kind: 'matches', text: assertion.pattern }
    case 'exists':
      return { ...draft, kind: assertion.exists ? 'exists' : 'missing' }
    case 'type':
      return { ...draft, kind: 'type', type: assertion.type }
    case 'schema':
      return { ...draft, kind: 'schema' }
    case 'duration':
      return { ...draft, kind: 'duration', text: String(assertion.maxMs) }
  }
}

const toNumber = (text: string): number | null => (text.trim() === '' ? null : Number(text))
