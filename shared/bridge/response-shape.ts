import { isObject } from '../json/object.ts'
import type { ListRule } from './endpoints/endpoint.ts'
import { parseHitKind } from './resources/search.ts'
import type { SchemaPlan } from './resources/schema-plan.ts'

/** Members in which hosts may wrap a whole response. */
export const wrapperMembers = ['data', 'result'] as const

/**
 * Finds the member that wraps the whole response. A member counts only if no other member belongs
 * to the response; null if there is none.
 */
export function findWrapper(plan: SchemaPlan, body: unknown): string | null {
  if (plan.kind !== 'object' || !isObject(body)) return null
  const names = new Set(plan.members.map(({ name }) => name).filter((name) => name !== 'bridgeApiVersion'))
  for (const alternatives of Object.values(plan.variants.names ?? {})) {
    for (const alternative of alternatives) names.add(alternative.split('.', 1)[0] ?? '')
  }
  if (names.size === 0 || Object.keys(body).some((name) => names.has(name) || Array.isArray(body[name]))) return null
  const matches = wrapperMembers.filter((name) => isObject(body[name]))
  return matches.length === 1 ? (matches[0] ?? null) : null
}

export interface GroupedList {
  /**
   * The response with all groups joined into one list. An entry without a kind gets the name of its
   * group.
   */
  readonly value: unknown
  /** Path and length of each group, in the order of the entries. */
  readonly parts: readonly { readonly path: readonly string[]; readonly count: number }[]
}

/**
 * Joins the groups of a list, which may be in the response itself, in its list or in `results`.
 * Null if there are no groups.
 */
export function parseGroupedList(
  { member, isGrouped }: ListRule,
  body: unknown,
  knownNames: ReadonlySet<string>,
): GroupedList | null {
  if (isGrouped !== true || !isObject(body) || Array.isArray(body[member])) return null
  for (const path of [[member], ['results'], []]) {
    const [inner] = path
    const holder = inner === undefined ? body : body[inner]
    if (!isObject(holder)) continue
    const groups = Object.entries(holder).flatMap(([name, list]) =>
      (inner === undefined && knownNames.has(name)) || !Array.isArray(list) || !list.every(isObject)
        ? []
        : [{ name, list }],
    )
    if (!groups.some(({ name }) => parseHitKind(name) !== undefined)) continue
    const hasKind = (entry: Record<string, unknown>): boolean => typeof (entry['kind'] ?? entry['type']) === 'string'
    const entries = groups.flatMap(({ name, list }) =>
      list.map((entry) => (hasKind(entry) ? entry : { ...entry, kind: name })),
    )
    return {
      value: { ...body, [member]: entries },
      parts: groups.map(({ name, list }) => ({ path: [...path, name], count: list.length })),
    }
  }
  return null
}
