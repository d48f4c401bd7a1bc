import { isValidJsonText } from '../../../shared/json/inspection.ts'
import { overrideRuleSchema, type OverrideRule, type overrideFaults } from '../../../shared/panel/overrides.ts'
import { toPointerStep } from '../../../shared/json/pointer.ts'
import { formatJson } from '../json/json-formatter.ts'
import {
  parseCallMatchForm,
  parseExactJson,
  parseHeaderLines,
  toCallMatchForm,
  type CallMatchForm,
  type CallMatchProblem,
  type HeaderProblem,
} from './call-match-form.ts'

export type RuleKind = OverrideRule['answer']['kind']
export type OverrideFault = (typeof overrideFaults)[number]

export interface RuleChangeLine {
  action: 'set' | 'remove'
  pointer: string
  /** The new value as JSON text. */
  value: string
}

/** The fields of every kind of rule keep their text when the kind changes. */
export interface RuleForm extends CallMatchForm {
  name: string
  kind: RuleKind
  changes: RuleChangeLine[]
  status: number | null
  /** Lines of `name: value`. */
  headers: string
  body: string
  /** The body as the edited rule has it. It is kept if the user leaves its formatted text alone. */
  ruleBody: string | null
  base64: boolean
  fault: OverrideFault
  retryAfterSeconds: number | null
  delayMs: number | null
}

/** `index` is the position of a change, or the number of a line. */
export interface RuleFormProblem {
  readonly field: CallMatchProblem['field'] | 'pointer' | 'value' | 'status' | 'headers' | 'body' | 'rule'
  readonly reason: CallMatchProblem['reason'] | HeaderProblem['reason'] | 'status' | 'base64' | 'schema'
  readonly index?: number
  /** The message of the schema that rejected the rule. */
  readonly text?: string
}

const emptyForm: Omit<RuleForm, keyof CallMatchForm | 'name' | 'kind' | 'delayMs'> = {
  changes: [{ action: 'set', pointer: '', value: '' }],
  status: 200,
  headers: 'Content-Type: application/json',
  body: '{\n  \n}',
  ruleBody: null,
  base64: false,
  fault: 'offline',
  retryAfterSeconds: 5,
}

/** Fills the form with a rule; null gives the form of a new rule. */
export function toRuleForm(rule: OverrideRule | null): RuleForm {
  if (rule === null) {
    return {
      ...emptyForm,
      changes: [{ action: 'set', pointer: '', value: '' }],
      ...toCallMatchForm({ method: 'GET', path: '/' }),
      name: '',
      kind: 'change',
      delayMs: 0,
    }
  }
  const { name, match, answer, delayMs } = rule
  const form: RuleForm = {
    ...emptyForm,
    changes: [{ action: 'set', pointer: '', value: '' }],
    ...toCallMatchForm(match),
    name,
    kind: answer.kind,
    delayMs,
  }
  if (answer.kind === 'fault') {
    return { ...form, fault: answer.fault, retryAfterSeconds: answer.retryAfterSeconds ?? emptyForm.retryAfterSeconds }
  }
  if (answer.kind === 'change') return { ...form, changes: answer.changes.map(toChangeLine) }
  const { status, headers, body, base64 } = answer
  return {
    ...form,
    status,
    headers: headers.map((header) => header.join(': ')).join('\n'),
    body: base64 ? body : formatBody(body),
    ruleBody: body,
    base64,
  }
}

/** Formatting a longer body would block the page noticeably. */
const MAX_FORMATTED_CHARS = 100_000

/** Formats a body that is JSON and not too long. */
export function formatBody(body: string): string {
  return body.length <= MAX_FORMATTED_CHARS && isValidJsonText(body) ? formatJson(body).text : body
}

type Change = Extract<OverrideRule['answer'], { kind: 'change' }>['changes'][number]

const toChangeLine = (change: Change): RuleChangeLine => ({
  action: change.do,
  pointer: change.at,
  value: change.do === 'set' ? JSON.stringify(change.value, null, 2) : '',
})

/** The form's rule, or its first error. The id and the switch are those of the edited rule. */
export function parseRuleForm(
  form: RuleForm,
  { id, on }: Pick<OverrideRule, 'id' | 'on'>,
): { readonly rule: OverrideRule } | { readonly problem: RuleFormProblem } {
  const conditions = parseCallMatchForm(form)
  if ('problem' in conditions) return conditions
  const response = buildResponse(form)
  if ('problem' in response) return response
  const ruleDraft = {
    id,
    name: form.name.trim() || `${form.method} ${conditions.match.path}`.slice(0, 200),
    on,
    match: conditions.match,
    answer: response.answer,
    delayMs: form.delayMs ?? 0,
  }
  const parsed = overrideRuleSchema.safeParse(ruleDraft)
  if (parsed.success) return { rule: parsed.data }
  const [issue] = parsed.error.issues
  const text = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`
  return { problem: { field: 'rule', reason: 'schema', text } }
}

type BuiltResponse = { readonly answer: unknown } | { readonly problem: RuleFormProblem }

function buildResponse(form: RuleForm): BuiltResponse {
  switch (form.kind) {
    case 'change':
      return buildChanges(form.changes)
    case 'fault': {
      const { fault, retryAfterSeconds } = form
      const wait = fault === 'rate-limit' && retryAfterSeconds !== null ? { retryAfterSeconds } : {}
      return { answer: { kind: 'fault', fault, ...wait } }
    }
    case 'canned':
      return buildCannedResponse(form)
  }
}

function buildChanges(lines: readonly RuleChangeLine[]): BuiltResponse {
  const changes: unknown[] = []
  for (const [index, line] of lines.entries()) {
    if (line.pointer !== '' && !line.pointer.startsWith('/'))
      return { problem: { field: 'pointer', reason: 'pointer', index } }
    if (line.action === 'remove') changes.push({ do: 'remove', at: line.pointer })
    else {
      const parsed = parseExactJson(line.value)
      if ('why' in parsed) return { problem: { field: 'value', reason: parsed.why, index } }
      changes.push({ do: 'set', at: line.pointer, value: parsed.value })
    }
  }
  return { answer: { kind: 'change', changes } }
}

function buildCannedResponse({ status, headers, body, ruleBody, base64 }: RuleForm): BuiltResponse {
  if (status === null || status < 200 || status > 599) return { problem: { field: 'status', reason: 'status' } }
  const parsedHeaders = parseHeaderLines(headers)
  if ('line' in parsedHeaders) {
    return { problem: { field: 'headers', reason: parsedHeaders.reason, index: parsedHeaders.line } }
  }
  const compactBody = body.replace(/\s+/g, '')
  if (base64 && !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(compactBody)) {
    return { problem: { field: 'body', reason: 'base64' } }
  }
  const plainBody = ruleBody !== null && body === formatBody(ruleBody) ? ruleBody : body
  const sentBody = base64 ? compactBody : plainBody
  return { answer: { kind: 'canned', status, headers: parsedHeaders.pairs, body: sentBody, base64 } }
}

/** The form offers pointers up to this number and depth. */
const MAX_POINTERS = 300
const MAX_DEPTH = 6

/**
 * Lists pointers into a response, each with a short form of its value, from which the user chooses
 * what to change. Only the first two elements of a list are included.
 */
export function listJsonPointers(value: unknown): { readonly value: string; readonly label: string }[] {
  const options: { value: string; label: string }[] = []
  const visit = (current: unknown, pointer: string, depth: number): void => {
    if (options.length >= MAX_POINTERS) return
    if (pointer !== '') options.push({ value: pointer, label: `${pointer}  ${summarizeValue(current)}` })
    if (typeof current !== 'object' || current === null || depth === MAX_DEPTH) return
    const entries = Object.entries(current)
    for (const [name, inner] of Array.isArray(current) ? entries.slice(0, 2) : entries) {
      visit(inner, pointer + toPointerStep(name), depth + 1)
    }
  }
  visit(value, '', 0)
  return options
}

function summarizeValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`
  if (typeof value === 'object' && value !== null) return '{…}'
  const text = JSON.stringify(value)
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
