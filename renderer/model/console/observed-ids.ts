import { isObject } from '../../../shared/json/object.ts'
import { getIdKind, findOwnIdMember, type IdKind } from '../../../shared/bridge/id-kinds.ts'

/** An id from a response, with its title if the response contains one. */
export interface ObservedId {
  readonly value: string
  readonly label: string
}

/** The form offers at most this many values for one field. */
const MAX_IDS_PER_KIND = 40
const MAX_OBJECTS_PER_RESPONSE = 5_000

/** Ids of all objects in parsed responses by kind, up to `MAX_IDS_PER_KIND` of each. */
export function collectObservedIds(responses: Iterable<unknown>): ReadonlyMap<IdKind, readonly ObservedId[]> {
  const idsByKind = new Map<IdKind, Map<string, ObservedId>>()
  const addId = (kind: IdKind, value: string, title: string): void => {
    const ids = idsByKind.get(kind) ?? new Map<string, ObservedId>()
    idsByKind.set(kind, ids)
    const existingId = ids.get(value)
    if (existingId ? title === '' || existingId.label !== value : ids.size >= MAX_IDS_PER_KIND) return
    ids.set(value, { value, label: title === '' ? value : `${title} · ${value}` })
  }
  for (const response of responses) {
    let objectsLeft = MAX_OBJECTS_PER_RESPONSE
    const queue: { value: unknown; container: string; depth: number }[] = [{ value: response, container: '', depth: 0 }]
    for (let item = queue.shift(); item && objectsLeft > 0; item = queue.shift()) {
      const { value, container, depth } = item
      objectsLeft -= 1
      if (depth > 8) continue
      if (Array.isArray(value)) {
        for (const entry of (value as unknown[]).slice(0, MAX_IDS_PER_KIND))
          queue.push({ value: entry, container, depth: depth + 1 })
      } else if (isObject(value)) {
        const idMember = findOwnIdMember(value)
        const kind = idMember === null ? null : getIdKind(idMember, container)
        const title = value['title'] ?? value['name']
        if (idMember !== null && kind !== null)
          addId(kind, String(value[idMember]), typeof title === 'string' ? title.slice(0, 80) : '')
        for (const [name, entry] of Object.entries(value))
          queue.push({ value: entry, container: name, depth: depth + 1 })
      }
    }
  }
  return new Map([...idsByKind].map(([kind, ids]) => [kind, [...ids.values()]]))
}

/** The kind follows from the name of the field, or from the last part of a nested name. */
export function getFieldIdKind(name: string): IdKind | null {
  return getIdKind(name.split('.').at(-1) ?? '', '')
}
