import { z } from 'zod'
import type { Endpoint } from './endpoints/endpoint.ts'
import { isObject } from '../json/object.ts'
import { toPointer, toPointerStep } from '../json/pointer.ts'

/** One way in which a body differs from the contract: a code for the page, and what its sentence needs. */
export interface BodyViolation {
  /** JSON pointer; empty for the body itself. */
  readonly pointer: string
  readonly code: 'missing' | 'type' | 'choice' | 'unknown' | 'too-many' | 'together' | 'other'
  /** The types or values that the contract allows there, the maximum number of entries, or the mutually exclusive members. */
  readonly expected: string
}

/** Maximum number of misfits that are reported. */
const MAX_VIOLATIONS = 20

interface Schema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

/**
 * Where a body differs from what the contract documents for its row. A warning, never a refusal: bodies change with the host (spec §1),
 * and a route that a host lists but the table lacks (`confirm: 'unknown'`) is documented nowhere.
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
  return [...new Map(all.map((one) => [`${one.pointer} ${one.code}`, one])).values()].slice(0, MAX_VIOLATIONS)
}

function toBodyViolation(issue: z.core.$ZodIssue, body: unknown): BodyViolation {
  const at = toPointer(issue.path)
  let there = body
  for (const name of issue.path)
    there = typeof there === 'object' && there !== null ? Reflect.get(there, name) : undefined
  const expected =
    issue.code === 'invalid_type'
      ? issue.expected
      : issue.code === 'invalid_value'
        ? issue.values.map(String).join(', ')
        : ''
  if (there === undefined) return { pointer: at, code: 'missing', expected }
  return { pointer: at, code: issue.code === 'invalid_value' ? 'choice' : expected === '' ? 'other' : 'type', expected }
}

/** Members that no document names. A schema without members accepts any. */
function findUnknownMembers(
  { properties = {}, items }: Schema,
  value: unknown,
  at: string,
  closed: boolean,
): BodyViolation[] {
  if (Array.isArray(value)) {
    return items ? value.flatMap((one: unknown, n) => findUnknownMembers(items, one, `${at}/${n}`, false)) : []
  }
  if (!isObject(value) || (!closed && Object.keys(properties).length === 0)) return []
  return Object.entries(value).flatMap(([name, inner]): BodyViolation[] => {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined
    const here = at + toPointerStep(name)
    return own ? findUnknownMembers(own, inner, here, false) : [{ pointer: here, code: 'unknown', expected: '' }]
  })
}

/** Lists that are longer than the contract allows; a host may have another limit. */
function findTooLongLists({ limits }: Endpoint, body: unknown): BodyViolation[] {
  if (!isObject(body)) return []
  return limits.flatMap(({ member, max }): BodyViolation[] => {
    const [head = '', tail] = member.split('.')
    const list = body[head]
    if (!Array.isArray(list)) return []
    const lists = tail === undefined ? [list] : list.map((one: unknown) => (isObject(one) ? one[tail] : null))
    const count = lists.reduce<number>((sum, one) => sum + (Array.isArray(one) ? one.length : 0), 0)
    return count > max ? [{ pointer: `/${head}`, code: 'too-many', expected: String(max) }] : []
  })
}

/** More than one of several mutually exclusive members, or none. */
function findAlternativeViolations({ alternatives }: Endpoint, body: unknown): BodyViolation[] {
  if (alternatives.length === 0 || !isObject(body)) return []
  const begun = alternatives.filter((group) => group.some((name) => body[name] !== undefined && body[name] !== false))
  const whole = begun.filter((group) => group.every((name) => body[name] !== undefined))
  if (begun.length === 1 && whole.length === 1) return []
  return [{ pointer: '', code: 'together', expected: alternatives.map((group) => group.join(' + ')).join(' | ') }]
}
