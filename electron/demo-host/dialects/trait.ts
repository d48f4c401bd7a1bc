import type { ByEndpoint, EndpointId } from '../../../shared/bridge/endpoints/index.ts'

/**
 * One way in which hosts may differ where the documents leave room. Pure: what a host answers goes through `out` on its way out, and nothing of
 * the host behind it changes.
 */
export interface Trait {
  readonly name: string
  /** What it changes, in a sentence. */
  readonly what: string
  /** Ids of the rows whose JSON it changes; null = of all, errors among them. */
  readonly on: readonly EndpointId[] | null
  readonly out: (value: unknown, endpointId: string) => unknown
  /** Paths under which rows are served in place of the table's, by id. */
  readonly paths?: ByEndpoint<string>
  /** Members of bodies that are required beyond the schemas, by id of the row. */
  readonly requires?: ByEndpoint<readonly string[]>
}

type Members = Readonly<Record<string, unknown>>

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value with one member changed, where it is there. */
export function withMember(value: unknown, name: string, change: (member: unknown) => unknown): unknown {
  if (!isMembers(value) || !Object.hasOwn(value, name)) return value
  return { ...value, [name]: change(value[name]) }
}

/** The list with each element changed; what is no list stays. */
export const each =
  (change: (one: unknown) => unknown) =>
  (list: unknown): unknown =>
    Array.isArray(list) ? list.map(change) : list

/** Without these members. */
export function without(value: unknown, ...names: readonly string[]): unknown {
  if (!isMembers(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

/** Members under other names, in their places. */
export function renamed(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (!isMembers(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [Object.hasOwn(names, name) ? (names[name] ?? name) : name, member]),
  )
}

/** Every member of these names, at whatever depth. */
export function everywhere(value: unknown, change: (name: string, member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => everywhere(one, change))
  if (!isMembers(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, everywhere(change(name, member), change)]),
  )
}
