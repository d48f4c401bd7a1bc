import type { EndpointMap, EndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { isObject } from '../../../shared/json/object.ts'

/**
 * A trait is one way in which hosts may differ where the spec leaves room. It changes the host's
 * replies on their way out, not the host.
 */
export interface DialectTrait {
  readonly name: string
  /** One sentence says what the trait changes. */
  readonly description: string
  /** Only the JSON of these endpoints is changed; null means all, errors included. */
  readonly endpointIds: readonly EndpointId[] | null
  readonly transform: (value: unknown, endpointId: string) => unknown
  /** These paths replace those of the endpoint table, by endpoint id. */
  readonly paths?: EndpointMap<string>
  /**
   * Bodies must have these members in addition to those that the schemas require, by endpoint id.
   */
  readonly requiredMembers?: EndpointMap<readonly string[]>
}

/** Returns the value with one member changed, if it has that member. */
export function changeMember(value: unknown, name: string, change: (member: unknown) => unknown): unknown {
  if (!isObject(value) || !Object.hasOwn(value, name)) return value
  return { ...value, [name]: change(value[name]) }
}

/** Creates a function that changes each element of a list; other values stay. */
export const mapList =
  (change: (element: unknown) => unknown) =>
  (list: unknown): unknown =>
    Array.isArray(list) ? list.map(change) : list

export function omitMembers(value: unknown, ...names: readonly string[]): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

/** Renames members without changing their order. */
export function renameMembers(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [Object.hasOwn(names, name) ? (names[name] ?? name) : name, member]),
  )
}

/** Changes every member with one of these names, at any depth. */
export function changeMembersDeep(value: unknown, change: (name: string, member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => changeMembersDeep(element, change))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, changeMembersDeep(change(name, member), change)]),
  )
}
