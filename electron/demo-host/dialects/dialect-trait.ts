import type { EndpointMap, EndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { isObject } from '../../../shared/json/object.ts'

/** A way in which hosts may differ where the spec leaves room. Changes responses, not the host. */
export interface DialectTrait {
  readonly name: string
  /** One sentence about what the trait changes. */
  readonly description: string
  /** The endpoints whose JSON is changed; null means all, errors included. */
  readonly endpointIds: readonly EndpointId[] | null
  readonly transform: (value: unknown, endpointId: string) => unknown
  /** Paths that replace those of the endpoint table, by endpoint id. */
  readonly paths?: EndpointMap<string>
  /** Members that bodies must have besides those that the schemas require, by endpoint id. */
  readonly requiredMembers?: EndpointMap<readonly string[]>
}

/** Changes one member of an object. A value without this member is returned unchanged. */
export function changeMember(value: unknown, name: string, change: (member: unknown) => unknown): unknown {
  if (!isObject(value) || !Object.hasOwn(value, name)) return value
  return { ...value, [name]: change(value[name]) }
}

/** Changes each element of a list. A value that is not a list stays unchanged. */
export function mapList(change: (element: unknown) => unknown) {
  return (list: unknown): unknown => (Array.isArray(list) ? list.map(change) : list)
}

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

export function changeMembersDeep(value: unknown, change: (name: string, member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => changeMembersDeep(element, change))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, changeMembersDeep(change(name, member), change)]),
  )
}
