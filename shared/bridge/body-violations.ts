import { z } from 'zod'
import type { Endpoint } from './endpoints/endpoint.ts'
import { isObject } from '../json/object.ts'
import { toPointer, toPointerStep } from '../json/pointer.ts'

/** A difference between a body and the contract: a code that the page translates, and its facts. */
export interface BodyViolation {
  /** JSON pointer; empty for the body itself. */
  readonly pointer: string
  readonly code: 'missing' | 'type' | 'choice' | 'unknown' | 'too-many' | 'together' | 'other'
  /**
   * The types or values that the contract allows there, the maximum number of entries, or the
   * mutually exclusive members.
   */
  readonly expected: string
}

const MAX_VIOLATIONS = 20

interface Schema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

/**
 * Finds where a body differs from what the contract documents for the endpoint. The result is a
 * warning, never a refusal, because bodies change with the host (spec §1). Nothing is reported for
 * an endpoint that only the host lists (`confirm: 'unknown'`).
 */
export function findBodyViolations(row: Endpoint, body: unknown): readonly BodyViolation[] {
  if (row.body === null || row.confirm === 'unknown') return []
  const issues = (row.body.safeParse(body).error?.issues ?? []).map((issue) => toBodyViolation(issue, body))
  const schema = z.toJSONSchema(row.body, { io: 'input', unrepresentable: 'any' }) as Schema
  const all = [
    ...issues,
    ...findUnknownMembers(schema, body, '', true),
    ...findTooLongLists(row, body),
    ...findAlternativeViolations(row, body),
  ]
  return [...new Map(all.map((violation) => [`${violation.pointer} ${violation.code}`, violation])).values()].slice(
    0,
    MAX_VIOLATIONS,
  )
}

function toBodyViolation(issue: z.core.$ZodIssue, body: unknown): BodyViolation {
  const pointer = toPointer(issue.path)
  let value = body
  for (const name of issue.path)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  const expected =
    issue.code === 'invalid_type'
      ? issue.expected
      : issue.code === 'invalid_value'
        ? issue.values.map(String).join(', ')
        : ''
  if (value === undefined) return { pointer, code: 'missing', expected }
  return { pointer, code: issue.code === 'invalid_value' ? 'choice' : expected === '' ? 'other' : 'type', expected }
}

/**
 * Finds members of a body that its schema does not name. A schema without members accepts any
 * member.
 */
function findUnknownMembers(
  { properties = {}, items }: Schema,
  value: unknown,
  pointer: string,
  isClosed: boolean,
): BodyViolation[] {
  if (Array.isArray(value)) {
    return items
      ? value.flatMap((item: unknown, index) => findUnknownMembers(items, item, `${pointer}/${index}`, false))
      : []
  }
  if (!isObject(value) || (!isClosed && Object.keys(properties).length === 0)) return []
  return Object.entries(value).flatMap(([name, inner]): BodyViolation[] => {
    const memberSchema = Object.hasOwn(properties, name) ? properties[name] : undefined
    const memberPointer = pointer + toPointerStep(name)
    return memberSchema
      ? findUnknownMembers(memberSchema, inner, memberPointer, false)
      : [{ pointer: memberPointer, code: 'unknown', expected: '' }]
  })
}

/** Finds lists with more entries than the contract allows. The host may have another limit. */
function findTooLongLists({ limits }: Endpoint, body: unknown): BodyViolation[] {
  if (!isObject(body)) return []
  return limits.flatMap(({ member, max }): BodyViolation[] => {
    const [head = '', tail] = member.split('.')
    const list = body[head]
    if (!Array.isArray(list)) return []
    const lists = tail === undefined ? [list] : list.map((entry: unknown) => (isObject(entry) ? entry[tail] : null))
    const count = lists.reduce<number>((sum, entry) => sum + (Array.isArray(entry) ? entry.length : 0), 0)
    return count > max ? [{ pointer: `/${head}`, code: 'too-many', expected: String(max) }] : []
  })
}

/** Reports more than one of several mutually exclusive members, or none of them. */
function findAlternativeViolations({ alternatives }: Endpoint, body: unknown): BodyViolation[] {
  if (alternatives.length === 0 || !isObject(body)) return []
  const startedGroups = alternatives.filter((group) =>
    group.some((name) => body[name] !== undefined && body[name] !== false),
  )
  const completeGroups = startedGroups.filter((group) => group.every((name) => body[name] !== undefined))
  if (startedGroups.length === 1 && completeGroups.length === 1) return []
  return [{ pointer: '', code: 'together', expected: alternatives.map((group) => group.join(' + ')).join(' | ') }]
}
