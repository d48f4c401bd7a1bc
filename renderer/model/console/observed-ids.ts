import { isObject } from '../../../shared/json/object.ts'
import { getIdKind, findOwnIdMember, type IdKind } from '../../../shared/bridge/id-kinds.ts'

/** An id that was seen in a response, with its title if that was seen too. */
export interface ObservedId {
  readonly value: string
  readonly label: string
}

/** Limit of the values offered for one field. */
const MAX_IDS_PER_KIND = 40
/** Objects inspected in one response. */
const MAX_OBJECTS_PER_RESPONSE = 5_000

/**
 * Collects the ids of all objects in parsed responses by kind; the first ones of each kind.
 */
export function collectObservedIds(responses: Iterable<unknown>): ReadonlyMap<IdKind, readonly ObservedId[]> {
  const idsByKind = new Map<IdKind, Map<string, ObservedId>>()
  const addId = (kind: IdKind, value: string, title: string): void => {
    const ids = idsByKind.get(kind) ?? new Map<string, ObservedId>()
    idsByKind.set(kind, ids)
    const earlier = ids.get(value)
    if (earlier ? title === '' || earlier.label !== value : ids.size >= MAX_IDS_PER_KIND) return
    ids.set(value, { value, label: title === '' ? value : `${title} · ${value}` })
  }
  for (const response of responses) {
    let objectsLeft = MAX_OBJECTS_PER_RESPONSE
    const queue: { at: unknown; container: string; depth: number }[] = [{ at: response, container: '', depth: 0 }]
    for (let item = queue.shift(); item && objectsLeft > 0; item = queue.shift()) {
      const { at, container, depth } = item
      objectsLeft -= 1
      if (depth > 8) continue
      if (Array.isArray(at)) {
        for (const entry of (at as unknown[]).slice(0, MAX_IDS_PER_KIND))
          queue.push({ at: entry, container, depth: depth + 1 })
      } else if (isObject(at)) {
        const own = findOwnIdMember(at)
        const kind = own === null ? null : getIdKind(own, container)
        const title = at['title'] ?? at['name']
        if (own !== null && kind !== null)
          addId(kind, String(at[own]), typeof title === 'string' ? title.slice(0, 80) : '')
        for (const [name, entry] of Object.entries(at)) queue.push({ at: entry, container: name, depth: depth + 1 })
      }
    }
  }
  return new Map([...idsByKind].map(([kind, own]) => [kind, [...own.values()]]))
}

/**
 * The kind of id that a form field takes, by its name or, for a nested member, the last part of the
 * name.
 */
export const getFieldIdKind = (name: string): IdKind | null => getIdKind(name.split('.').at(-1) ?? '', '')
