import {
  findTemplateProblem,
  headerSchema,
  type CallConditions,
  type TemplateProblem,
} from '../../../shared/panel/call-match.ts'
import { JsonFindingList } from '../../../shared/json/findings.ts'
import { scanJson } from '../../../shared/json/scan.ts'

/** The fields for the conditions of an override or a breakpoint. */
export interface CallMatchForm {
  method: string
  path: string
  /** Lines of `name = value`. */
  query: string
  /** Lines of a JSON pointer, or of `pointer = JSON value`. */
  members: string
  /** Null for every time. */
  nth: number | null
}

/** `index` is the number of a line. */
export interface CallMatchProblem {
  readonly field: 'path' | 'query' | 'members'
  /** `empty` for a path of slashes alone, which matches no call. */
  readonly reason: TemplateProblem | 'empty' | 'line' | 'pointer' | 'json' | 'inexact'
  readonly index?: number
}

export function toCallMatchForm({ method, path, query = {}, body = [], nth }: CallConditions): CallMatchForm {
  return {
    method,
    path,
    query: Object.entries(query)
      .map((pair) => pair.join(' = '))
      .join('\n'),
    members: body.map(({ at, equals }) => (equals === undefined ? at : `${at} = ${JSON.stringify(equals)}`)).join('\n'),
    nth: nth ?? null,
  }
}

/** Returns the conditions that a form describes, or its first error. */
export function parseCallMatchForm({
  method,
  path,
  query,
  members,
  nth,
}: CallMatchForm): { readonly match: CallConditions } | { readonly problem: CallMatchProblem } {
  const template = path.trim()
  const templateProblem = findTemplateProblem(template) ?? (/^\/{2,}$/.test(template) ? 'empty' : null)
  if (templateProblem) return { problem: { field: 'path', reason: templateProblem } }
  const parsedQuery = parsePairs(query, '=')
  if ('line' in parsedQuery) return { problem: { field: 'query', reason: 'line', index: parsedQuery.line } }
  const body = parseMembers(members)
  if ('problem' in body) return body
  return {
    match: {
      method,
      path: template,
      ...(parsedQuery.pairs.length === 0 ? {} : { query: Object.fromEntries(parsedQuery.pairs) }),
      ...(body.members.length === 0 ? {} : { body: body.members }),
      ...(nth === null ? {} : { nth }),
    },
  }
}

function parseMembers(
  text: string,
): { readonly members: NonNullable<CallConditions['body']> } | { readonly problem: CallMatchProblem } {
  const members: NonNullable<CallConditions['body']> = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const separator = line.indexOf('=')
    const pointer = (separator < 0 ? line : line.slice(0, separator)).trim()
    if (pointer !== '' && !pointer.startsWith('/'))
      return { problem: { field: 'members', reason: 'pointer', index: index + 1 } }
    if (separator < 0) members.push({ at: pointer })
    else {
      const parsed = parseExactJson(line.slice(separator + 1))
      if ('why' in parsed) return { problem: { field: 'members', reason: parsed.why, index: index + 1 } }
      members.push({ at: pointer, equals: parsed.value })
    }
  }
  return { members }
}

/** A number that a double cannot hold exactly is an error, because it would be changed. */
export function parseExactJson(text: string): { readonly value: unknown } | { readonly why: 'json' | 'inexact' } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { why: 'json' }
  }
  const findings = new JsonFindingList()
  scanJson(text, findings)
  return findings.items.some(({ kind }) => kind === 'unsafe-number') ? { why: 'inexact' } : { value }
}

/** Parses lines of names and values, or returns the number of the first line without a name. */
export function parsePairs(
  text: string,
  separator: '=' | ':',
): { readonly pairs: [string, string][] } | { readonly line: number } {
  const pairs: [string, string][] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const separatorIndex = line.indexOf(separator)
    const name = line.slice(0, Math.max(0, separatorIndex)).trim()
    if (name === '') return { line: index + 1 }
    pairs.push([name, line.slice(separatorIndex + 1).trim()])
  }
  return { pairs }
}

export interface HeaderProblem {
  readonly reason: 'line' | 'name' | 'value'
  /** Number of the line, from 1. */
  readonly line: number
}

/** Parses lines of `name: value`, which must be headers that HTTP can send. */
export function parseHeaderLines(text: string): { readonly pairs: [string, string][] } | HeaderProblem {
  for (const [index, line] of text.split('\n').entries()) {
    const parsed = parsePairs(line, ':')
    const pair = 'pairs' in parsed ? parsed.pairs[0] : null
    if (pair === undefined) continue
    if (pair === null) return { reason: 'line', line: index + 1 }
    const issue = headerSchema.safeParse(pair).error?.issues[0]
    if (issue) return { reason: issue.path[0] === 0 ? 'name' : 'value', line: index + 1 }
  }
  const parsed = parsePairs(text, ':')
  return 'pairs' in parsed ? parsed : { reason: 'line', line: parsed.line }
}
