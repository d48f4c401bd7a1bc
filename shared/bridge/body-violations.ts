import type { Endpoint } from './endpoints/endpoint.ts'
import { isObject } from '../json/object.ts'
import { toPointer } from '../json/pointer.ts'
import { getJsonType, getSchemaPlan, type MemberPlan } from './resources/schema-plan.ts'
import { ShapeWalk, type PlanOf, type ShapeDifference } from './shape-walk.ts'

/** A difference between a body and the contract: a code that the page translates, and its facts. */
export interface BodyViolation {
  /** JSON pointer; empty for the body itself. */
  readonly pointer: string
  readonly code: 'missing' | 'type' | 'choice' | 'unknown' | 'too-many' | 'together' | 'other'
  /** Types or values that may be there, a number of entries, or exclusive members. */
  readonly expected: string
}

const MAX_VIOLATIONS = 20

/**
 * Finds where a body differs from what the contract documents for the endpoint. The result is a
 * warning, never a refusal, because bodies change with the host (spec §1). Nothing is reported for
 * an endpoint that only the host lists (`confirm: 'unknown'`).
 */
export function findBodyViolations(row: Endpoint, body: unknown): readonly BodyViolation[] {
  if (row.body === null || row.confirm === 'unknown') return []
  const check = new BodyCheck()
  check.visit(getSchemaPlan(row.body), body, { basis: 'spec', isExact: true })
  const longLists = findTooLongLists(row, body).map(({ member, max }): BodyViolation => ({
    pointer: toPointer(member.split('.').slice(0, 1)),
    code: 'too-many',
    expected: String(max),
  }))
  return [...check.violations, ...longLists, ...findAlternativeViolations(row, body)].slice(0, MAX_VIOLATIONS)
}

/** A number that is sent as text is read in a response, but is a violation in a body. */
class BodyCheck extends ShapeWalk {
  readonly violations: BodyViolation[] = []

  constructor() {
    super('everywhere')
  }

  protected reject({ kind, expected, value }: ShapeDifference): unknown {
    const isOfType = expected.split(' | ').includes(getJsonType(value))
    if (kind === 'missing') this.#add('missing', expected)
    else if (expected.startsWith('"')) this.#add('choice', expected)
    else this.#add(isOfType ? 'other' : 'type', isOfType ? '' : expected)
    return value
  }

  protected override isExpected({ isOptional }: MemberPlan): boolean {
    return !isOptional
  }

  /** An object without members in the schema accepts any member, unless it is the body itself. */
  protected override onObject({ members }: PlanOf<'object'>, value: Readonly<Record<string, unknown>>): void {
    if (members.length === 0 && this.trail.length > 0) return
    const knownNames = new Set(members.map(({ name }) => name))
    for (const name of Object.keys(value)) if (!knownNames.has(name)) this.#add('unknown', '', name)
  }

  #add(code: BodyViolation['code'], expected: string, ...steps: readonly string[]): void {
    if (this.violations.length >= MAX_VIOLATIONS) return
    this.violations.push({ pointer: toPointer([...this.trail, ...steps]), code, expected })
  }
}

/** Finds lists over the contract's limit, batches counted together; a host may have another one. */
export function findTooLongLists(
  { limits }: Endpoint,
  body: unknown,
): { readonly member: string; readonly count: number; readonly max: number }[] {
  if (!isObject(body)) return []
  return limits.flatMap(({ member, max }) => {
    const [head = '', tail] = member.split('.')
    const list = body[head]
    if (!Array.isArray(list)) return []
    const lists = tail === undefined ? [list] : list.map((entry: unknown) => (isObject(entry) ? entry[tail] : null))
    const count = lists.reduce<number>((sum, entry) => sum + (Array.isArray(entry) ? entry.length : 0), 0)
    return count > max ? [{ member, count, max }] : []
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
