import { isObject } from '../../../shared/json/object.ts'
import { getIdKind, findOwnIdMember, type IdKind } from '../../../shared/bridge/id-kinds.ts'

/** An id that was seen, with the title of what it names where that was seen too. */
export interface ObservedId {
  readonly value: string
  readonly label: string
}

/** Values offered for one field. */
const MAX_IDS_PER_KIND = 40
/** Objects looked at in one answer. */
const MAX_OBJECTS_PER_RESPONSE = 5_000

/** Every object in parsed answers that has an id, by what the id names; the first ones of each kind. */
export function collectObservedIds(answers: Iterable<unknown>): ReadonlyMap<IdKind, readonly ObservedId[]> {
  const found = new Map<IdKind, Map<string, ObservedId>>()
  const keep = (kind: IdKind, value: string, title: string): void => {
    const own = found.get(kind) ?? new Map<string, ObservedId>()
    found.set(kind, own)
    const before = own.get(value)
    if (before ? title === '' || before.label !== value : own.size >= MAX_IDS_PER_KIND) return
    own.set(value, { value, label: title === '' ? value : `${title} · ${value}` })
  }
  for (const answer of answers) {
    let left = MAX_OBJECTS_PER_RESPONSE
    const todo: { at: unknown; container: string; depth: number }[] = [{ at: answer, container: '', depth: 0 }]
    for (let one = todo.shift(); one && left > 0; one = todo.shift()) {
      const { at, container, depth } = one
      left -= 1
      if (depth > 8) continue
      if (Array.isArray(at)) {
        for (const entry of (at as unknown[]).slice(0, MAX_IDS_PER_KIND))
          todo.push({ at: entry, container, depth: depth + 1 })
      } else if (isObject(at)) {
        const own = findOwnIdMember(at)
        const kind = own === null ? null : getIdKind(own, container)
        const title = at['title'] ?? at['name']
        if (own !== null && kind !== null)
          keep(kind, String(at[own]), typeof title === 'string' ? title.slice(0, 80) : '')
        for (const [name, entry] of Object.entries(at)) todo.push({ at: entry, container: name, depth: depth + 1 })
      }
    }
  }
  return new Map([...found].map(([kind, own]) => [kind, [...own.values()]]))
}

/** What the field of a form takes: by its name, the last step of it for a member inside a member. */
export const getFieldIdKind = (name: string): IdKind | null => getIdKind(name.split('.').at(-1) ?? '', '')
