import { isObject } from '../../../shared/json/object.ts'
import { getIdKind, findOwnIdMember, type IdKind } from '../../../shared/bridge/id-kinds.ts'
import { toPointerStep } from '../../../shared/json/pointer.ts'

/** The ids around a value, by what they name: those of the object it is in, then those of the objects around that. */
export type NearbyIds = Readonly<Partial<Record<IdKind, string>>>

/** What an object is, as far as it says so. */
export interface NamedObject {
  readonly kind: IdKind | null
  readonly id: string
  readonly title: string
}

/** One place in a JSON value where an id stands. */
export interface Sighting {
  /** The id as it is written there. */
  readonly id: string
  /** JSON pointer. */
  readonly pointer: string
  /** The member, or for an element of a list the list's. */
  readonly memberName: string
  /** What the member says that the id names; null if it says nothing. */
  readonly kind: IdKind | null
  /** The object that the id names; null if the place only refers to it. */
  readonly namedObject: NamedObject | null
  /** The object that refers to it; null where it is the named one itself, or has no id of its own. */
  readonly referrer: NamedObject | null
  readonly nearbyIds: NearbyIds
}

/** Bounds of one search: beyond them a value is not looked into. */
const MAX_DEPTH = 40
const MAX_SIGHTINGS = 200

/**
 * Every place in a parsed JSON value where a text is this id, regardless of case. `kinds` overrides what a member names (the `noteid` of
 * an excerpt is its record, not a card). At most 200 places.
 */
export function findSightings(
  value: unknown,
  id: string,
  kinds: Readonly<Record<string, IdKind>> = {},
): readonly Sighting[] {
  const found: Sighting[] = []
  const needle = id.toLowerCase()
  const isIt = (text: unknown): text is string => typeof text === 'string' && text.toLowerCase() === needle
  const kindIn = (name: string, container: string): IdKind | null => kinds[name] ?? getIdKind(name, container)

  function visit(
    at: unknown,
    pointer: string,
    container: string,
    around: NearbyIds,
    owner: NamedObject | null,
    depth: number,
  ) {
    if (depth > MAX_DEPTH || found.length >= MAX_SIGHTINGS) return
    if (Array.isArray(at)) {
      at.forEach((entry: unknown, index) => {
        const here = `${pointer}/${index}`
        if (isIt(entry)) note(entry, here, container, kindIn(container, ''), null, owner, around)
        else visit(entry, here, container, around, owner, depth + 1)
      })
      return
    }
    if (!isObject(at)) return
    const own = findOwnIdMember(at)
    const me = own === null ? null : named(at, own, kindIn(own, container))
    const near = { ...around, ...idsIn(at, container, kindIn) }
    for (const [name, entry] of Object.entries(at)) {
      const here = pointer + toPointerStep(name)
      if (!isIt(entry)) visit(entry, here, name, near, me ?? owner, depth + 1)
      else if (name === own) note(entry, here, name, kindIn(name, container), me, null, near)
      else note(entry, here, name, kindIn(name, container), null, me ?? owner, near)
    }
  }

  function note(
    text: string,
    pointer: string,
    name: string,
    kind: IdKind | null,
    names: NamedObject | null,
    by: NamedObject | null,
    near: NearbyIds,
  ) {
    if (found.length < MAX_SIGHTINGS)
      found.push({ id: text, pointer, memberName: name, kind, namedObject: names, referrer: by, nearbyIds: near })
  }

  visit(value, '', '', {}, null, 0)
  return found
}

function named(object: Readonly<Record<string, unknown>>, own: string, kind: IdKind | null): NamedObject {
  const title = object['title'] ?? object['name']
  return { kind, id: String(object[own]), title: typeof title === 'string' ? title : '' }
}

function idsIn(
  object: Readonly<Record<string, unknown>>,
  container: string,
  kindIn: (name: string, container: string) => IdKind | null,
): NearbyIds {
  const ids: Partial<Record<IdKind, string>> = {}
  const own = findOwnIdMember(object)
  // The object's own id last: of two members of one kind it is the one that counts.
  const names = Object.keys(object).filter((name) => name !== own)
  for (const name of own === null ? names : [...names, own]) {
    const kind = kindIn(name, container)
    const value = object[name]
    if (kind !== null && typeof value === 'string' && value !== '') ids[kind] = value
  }
  return ids
}
