import type { EndpointMap, EndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { isObject } from '../../../shared/json/object.ts'

/**
 * One way in which hosts may differ where the documents leave room. Pure: a host's answer passes through `out` on its way out, and the
 * host behind it does not change.
 */
export interface DialectTrait {
  readonly name: string
  /** What it changes, in one sentence. */
  readonly description: string
  /** Ids of the rows whose JSON it changes; null means all, including errors. */
  readonly endpointIds: readonly EndpointId[] | null
  readonly transform: (value: unknown, endpointId: string) => unknown
  /** Paths at which rows are served instead of the table's, by id. */
  readonly paths?: EndpointMap<string>
  /** Members of bodies that are required beyond the schemas, by id of the row. */
  readonly requiredMembers?: EndpointMap<readonly string[]>
}

/** The value with one member changed, if it has that member. */
export function changeMember(value: unknown, name: string, change: (member: unknown) => unknown): unknown {
  if (!isObject(value) || !Object.hasOwn(value, name)) return value
  return { ...value, [name]: change(value[name]) }
}

/** The list with each element changed; anything but a list stays as it is. */
export const mapList =
  (change: (one: unknown) => unknown) =>
  (list: unknown): unknown =>
    Array.isArray(list) ? list.map(change) : list

/** The value without these members. */
export function omitMembers(value: unknown, ...names: readonly string[]): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

/** Renames members, which keep their places. */
export function renameMembers(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [Object.hasOwn(names, name) ? (names[name] ?? name) : name, member]),
  )
}

/** Changes every member with one of these names, at any depth. */
export function changeMembersDeep(value: unknown, change: (name: string, member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => changeMembersDeep(one, change))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, changeMembersDeep(change(name, member), change)]),
  )
}
