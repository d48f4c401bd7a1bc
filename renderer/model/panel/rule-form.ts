import { FindingList } from '../../../shared/json/findings.ts'
import { scanJson } from '../../../shared/json/scan.ts'
import {
  findTemplateProblem,
  type TemplateProblem,
  overrideRuleSchema,
  type OverrideRule,
  type overrideFaults,
} from '../../../shared/panel/overrides.ts'
import { toPointerStep } from '../../../shared/json/pointer.ts'

export type RuleKind = OverrideRule['answer']['kind']
export type OverrideFault = (typeof overrideFaults)[number]

/** One change as it is edited. */
export interface ChangeLine {
  action: 'set' | 'remove'
  pointer: string
  /** JSON text. */
  value: string
}

/** A rule as it is edited: whatever its kind, the fields of the other kinds keep what was typed. */
export interface RuleForm {
  name: string
  method: string
  path: string
  /** `name = value`, a line each. */
  query: string
  kind: RuleKind
  changes: ChangeLine[]
  status: number | null
  /** `name: value`, a line each. */
  headers: string
  body: string
  base64: boolean
  fault: OverrideFault
  retryAfterSeconds: number | null
  delayMs: number | null
}

/** What is wrong with a form: a code and where (the index of a change, the number of a line). */
export interface RuleFormProblem {
  readonly field: 'path' | 'query' | 'pointer' | 'value' | 'status' | 'headers' | 'body' | 'rule'
  readonly reason: TemplateProblem | 'line' | 'pointer' | 'json' | 'inexact' | 'status' | 'base64' | 'schema'
  readonly index?: number
  /** What the schema says. */
  readonly text?: string
}

const blank: Omit<RuleForm, 'name' | 'method' | 'path' | 'query' | 'kind' | 'delayMs'> = {
  changes: [{ action: 'set', pointer: '', value: '' }],
  status: 200,
  headers: 'Content-Type: application/json',
  body: '{\n  \n}',
  base64: false,
  fault: 'offline',
  retryAfterSeconds: 5,
}

/** The form of a rule; of a new one where there is none. */
export function toRuleForm(rule: OverrideRule | null): RuleForm {
  if (rule === null) {
    return {
      ...blank,
      changes: [{ action: 'set', pointer: '', value: '' }],
      name: '',
      method: 'GET',
      path: '/',
      query: '',
      kind: 'change',
      delayMs: 0,
    }
  }
  const { name, match, answer, delayMs } = rule
  const query = Object.entries(match.query ?? {}).map((pair) => pair.join(' = '))
  const form: RuleForm = {
    ...blank,
    changes: [{ action: 'set', pointer: '', value: '' }],
    name,
    method: match.method,
    path: match.path,
    query: query.join('\n'),
    kind: answer.kind,
    delayMs,
  }
  if (answer.kind === 'fault') {
    return { ...form, fault: answer.fault, retryAfterSeconds: answer.retryAfterSeconds ?? blank.retryAfterSeconds }
  }
  if (answer.kind === 'change') return { ...form, changes: answer.changes.map(lineOf) }
  const { status, headers, body, base64 } = answer
  return { ...form, status, headers: headers.map((header) => header.join(': ')).join('\n'), body, base64 }
}

type Change = Extract<OverrideRule['answer'], { kind: 'change' }>['changes'][number]

const lineOf = (change: Change): ChangeLine => ({
  action: change.do,
  pointer: change.at,
  value: change.do === 'set' ? JSON.stringify(change.value, null, 2) : '',
})

/** The rule that a form describes, with the id and switch of the edited one, or the first thing that is wrong. */
export function parseRuleForm(
  form: RuleForm,
  { id, on }: Pick<OverrideRule, 'id' | 'on'>,
): { readonly rule: OverrideRule } | { readonly problem: RuleFormProblem } {
  const template = findTemplateProblem(form.path.trim())
  if (template) return { problem: { field: 'path', reason: template } }
  const query = pairsOf(form.query, '=')
  if ('line' in query) return { problem: { field: 'query', reason: 'line', index: query.line } }
  const answer = answerOf(form)
  if ('problem' in answer) return answer
  const path = form.path.trim()
  const made = {
    id,
    name: form.name.trim() || `${form.method} ${path}`.slice(0, 200),
    on,
    match: {
      method: form.method,
      path,
      ...(query.pairs.length === 0 ? {} : { query: Object.fromEntries(query.pairs) }),
    },
    answer: answer.answer,
    delayMs: form.delayMs ?? 0,
  }
  const parsed = overrideRuleSchema.safeParse(made)
  if (parsed.success) return { rule: parsed.data }
  const [issue] = parsed.error.issues
  const text = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`
  return { problem: { field: 'rule', reason: 'schema', text } }
}

type BuiltResponse = { readonly answer: unknown } | { readonly problem: RuleFormProblem }

function answerOf(form: RuleForm): BuiltResponse {
  switch (form.kind) {
    case 'change':
      return changesOf(form.changes)
    case 'fault': {
      const { fault, retryAfterSeconds } = form
      const wait = fault === 'rate-limit' && retryAfterSeconds !== null ? { retryAfterSeconds } : {}
      return { answer: { kind: 'fault', fault, ...wait } }
    }
    case 'canned':
      return cannedOf(form)
  }
}

function changesOf(lines: readonly ChangeLine[]): BuiltResponse {
  const changes: unknown[] = []
  for (const [at, line] of lines.entries()) {
    if (line.pointer !== '' && !line.pointer.startsWith('/'))
      return { problem: { field: 'pointer', reason: 'pointer', index: at } }
    if (line.action === 'remove') changes.push({ do: 'remove', at: line.pointer })
    else {
      const value = exactJson(line.value)
      if ('why' in value) return { problem: { field: 'value', reason: value.why, index: at } }
      changes.push({ do: 'set', at: line.pointer, value: value.value })
    }
  }
  return { answer: { kind: 'change', changes } }
}

/** A value of JSON text; a number that would be rounded is none. */
function exactJson(text: string): { readonly value: unknown } | { readonly why: 'json' | 'inexact' } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { why: 'json' }
  }
  const findings = new FindingList()
  scanJson(text, findings)
  return findings.items.some(({ kind }) => kind === 'unsafe-number') ? { why: 'inexact' } : { value }
}

function cannedOf({ status, headers, body, base64 }: RuleForm): BuiltResponse {
  if (status === null || status < 200 || status > 599) return { problem: { field: 'status', reason: 'status' } }
  const read = pairsOf(headers, ':')
  if ('line' in read) return { problem: { field: 'headers', reason: 'line', index: read.line } }
  const packed = body.replace(/\s+/g, '')
  if (base64 && !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(packed)) {
    return { problem: { field: 'body', reason: 'base64' } }
  }
  return { answer: { kind: 'canned', status, headers: read.pairs, body: base64 ? packed : body, base64 } }
}

/** Names and values of lines, or the number of the first line that has none. */
function pairsOf(text: string, sign: '=' | ':'): { readonly pairs: [string, string][] } | { readonly line: number } {
  const pairs: [string, string][] = []
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const cut = line.indexOf(sign)
    const name = line.slice(0, Math.max(0, cut)).trim()
    if (name === '') return { line: at + 1 }
    pairs.push([name, line.slice(cut + 1).trim()])
  }
  return { pairs }
}

/** How many pointers of an answer are offered, and how deep they lead. */
const MAX_POINTERS = 300
const MAX_DEPTH = 6

/** Pointers into an answer, with the value there: what a change can be about. Of a list its first elements. */
export function listPointers(value: unknown): { readonly value: string; readonly label: string }[] {
  const found: { value: string; label: string }[] = []
  const visit = (at: unknown, pointer: string, depth: number): void => {
    if (found.length >= MAX_POINTERS) return
    if (pointer !== '') found.push({ value: pointer, label: `${pointer}  ${briefly(at)}` })
    if (typeof at !== 'object' || at === null || depth === MAX_DEPTH) return
    const entries = Object.entries(at)
    for (const [name, inner] of Array.isArray(at) ? entries.slice(0, 2) : entries) {
      visit(inner, pointer + toPointerStep(name), depth + 1)
    }
  }
  visit(value, '', 0)
  return found
}

function briefly(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`
  if (typeof value === 'object' && value !== null) return '{…}'
  const text = JSON.stringify(value)
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
