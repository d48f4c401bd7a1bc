import { z } from 'zod'
import type { Endpoint } from './endpoints/endpoint.ts'
import { isObject } from '../json/object.ts'
import { toPointer, toStep } from '../json/pointer.ts'

/** One way in which a body differs from the contract: a code for the page, and what its sentence needs. */
export interface BodyMisfit {
  /** JSON pointer; empty for the body itself. */
  readonly at: string
  readonly code: 'missing' | 'type' | 'choice' | 'unknown' | 'too-many' | 'together' | 'other'
  /** The types or values that the contract allows there, the maximum number of entries, or the mutually exclusive members. */
  readonly expected: string
}

/** Maximum number of misfits that are reported. */
const MOST = 20

interface Schema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

/**
 * Where a body differs from what the contract documents for its row. A warning, never a refusal: bodies change with the host (spec §1),
 * and a route that a host lists but the table lacks (`confirm: 'unknown'`) is documented nowhere.
 */
export function bodyMisfits(row: Endpoint, body: unknown): readonly BodyMisfit[] {
  if (row.body === null || row.confirm === 'unknown') return []
  const issues = (row.body.safeParse(body).error?.issues ?? []).map((issue) => misfitOf(issue, body))
  const schema = z.toJSONSchema(row.body, { io: 'input', unrepresentable: 'any' }) as Schema
  const all = [...issues, ...unknownIn(schema, body, '', true), ...tooMany(row, body), ...together(row, body)]
  return [...new Map(all.map((one) => [`${one.at} ${one.code}`, one])).values()].slice(0, MOST)
}

function misfitOf(issue: z.core.$ZodIssue, body: unknown): BodyMisfit {
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
  if (there === undefined) return { at, code: 'missing', expected }
  return { at, code: issue.code === 'invalid_value' ? 'choice' : expected === '' ? 'other' : 'type', expected }
}

/** Members that no document names. A schema without members accepts any. */
function unknownIn({ properties = {}, items }: Schema, value: unknown, at: string, closed: boolean): BodyMisfit[] {
  if (Array.isArray(value)) {
    return items ? value.flatMap((one: unknown, n) => unknownIn(items, one, `${at}/${n}`, false)) : []
  }
  if (!isObject(value) || (!closed && Object.keys(properties).length === 0)) return []
  return Object.entries(value).flatMap(([name, inner]): BodyMisfit[] => {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined
    const here = at + toStep(name)
    return own ? unknownIn(own, inner, here, false) : [{ at: here, code: 'unknown', expected: '' }]
  })
}

/** Lists that are longer than the contract allows; a host may have another limit. */
function tooMany({ limits }: Endpoint, body: unknown): BodyMisfit[] {
  if (!isObject(body)) return []
  return limits.flatMap(({ member, max }): BodyMisfit[] => {
    const [head = '', tail] = member.split('.')
    const list = body[head]
    if (!Array.isArray(list)) return []
    const lists = tail === undefined ? [list] : list.map((one: unknown) => (isObject(one) ? one[tail] : null))
    const count = lists.reduce<number>((sum, one) => sum + (Array.isArray(one) ? one.length : 0), 0)
    return count > max ? [{ at: `/${head}`, code: 'too-many', expected: String(max) }] : []
  })
}

/** More than one of several mutually exclusive members, or none. */
function together({ alternatives }: Endpoint, body: unknown): BodyMisfit[] {
  if (alternatives.length === 0 || !isObject(body)) return []
  const begun = alternatives.filter((group) => group.some((name) => body[name] !== undefined && body[name] !== false))
  const whole = begun.filter((group) => group.every((name) => body[name] !== undefined))
  if (begun.length === 1 && whole.length === 1) return []
  return [{ at: '', code: 'together', expected: alternatives.map((group) => group.join(' + ')).join(' | ') }]
}
