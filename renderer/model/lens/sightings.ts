import { isObject } from '../../../shared/json/object.ts'
import { getIdKind, findOwnIdMember, type IdKind } from '../../../shared/bridge/id-kinds.ts'
import { toPointerStep } from '../../../shared/json/pointer.ts'

/** Ids in the objects around a value. Of several of one kind, the innermost one counts. */
export type NearbyIds = Readonly<Partial<Record<IdKind, string>>>

export interface NamedObject {
  readonly kind: IdKind | null
  readonly id: string
  readonly title: string
}

/** An occurrence of an id in a JSON value. */
export interface Sighting {
  /** The id in the spelling of the value. */
  readonly id: string
  readonly pointer: string
  /** Name of the member that contains the id; for an element of a list, the name of the list. */
  readonly memberName: string
  /** Kind that the member's name says; null if the name does not say. */
  readonly kind: IdKind | null
  /** The object that the id names; null if the id is only a reference. */
  readonly namedObject: NamedObject | null
  /** The object that refers to the id; null if there is none with an id. */
  readonly referrer: NamedObject | null
  readonly nearbyIds: NearbyIds
}

/** Deeper values and further occurrences are ignored, so that a huge response stays fast. */
const MAX_DEPTH = 40
const MAX_SIGHTINGS = 200

/**
 * Finds the places in a parsed JSON value where a text equals this id, ignoring case; at most 200.
 * @param kinds overrides what a member name means: the `noteid` of an excerpt is the excerpt, not a
 *   card
 */
export function findSightings(
  value: unknown,
  id: string,
  kinds: Readonly<Record<string, IdKind>> = {},
): readonly Sighting[] {
  const sightings: Sighting[] = []
  const foldedId = id.toLowerCase()
  const isSearchedId = (text: unknown): text is string => typeof text === 'string' && text.toLowerCase() === foldedId
  const resolveKind = (name: string, container: string): IdKind | null => kinds[name] ?? getIdKind(name, container)

  function visit(
    current: unknown,
    pointer: string,
    container: string,
    outerIds: NearbyIds,
    owner: NamedObject | null,
    depth: number,
  ) {
    if (depth > MAX_DEPTH || sightings.length >= MAX_SIGHTINGS) return
    if (Array.isArray(current)) {
      current.forEach((entry: unknown, index) => {
        const entryPointer = `${pointer}/${index}`
        if (isSearchedId(entry))
          addSighting(entry, entryPointer, container, resolveKind(container, ''), null, owner, outerIds)
        else visit(entry, entryPointer, container, outerIds, owner, depth + 1)
      })
      return
    }
    if (!isObject(current)) return
    const idMember = findOwnIdMember(current)
    const namedObject = idMember === null ? null : toNamedObject(current, idMember, resolveKind(idMember, container))
    const nearbyIds = { ...outerIds, ...idsIn(current, container, resolveKind) }
    for (const [name, entry] of Object.entries(current)) {
      const entryPointer = pointer + toPointerStep(name)
      if (!isSearchedId(entry)) visit(entry, entryPointer, name, nearbyIds, namedObject ?? owner, depth + 1)
      else if (name === idMember)
        addSighting(entry, entryPointer, name, resolveKind(name, container), namedObject, null, nearbyIds)
      else addSighting(entry, entryPointer, name, resolveKind(name, container), null, namedObject ?? owner, nearbyIds)
    }
  }

  function addSighting(
    text: string,
    pointer: string,
    memberName: string,
    kind: IdKind | null,
    namedObject: NamedObject | null,
    referrer: NamedObject | null,
    nearbyIds: NearbyIds,
  ) {
    if (sightings.length < MAX_SIGHTINGS)
      sightings.push({
        id: text,
        pointer,
        memberName,
        kind,
        namedObject,
        referrer,
        nearbyIds,
      })
  }

  visit(value, '', '', {}, null, 0)
  return sightings
}

function toNamedObject(object: Readonly<Record<string, unknown>>, idMember: string, kind: IdKind | null): NamedObject {
  const title = object['title'] ?? object['name']
  return { kind, id: String(object[idMember]), title: typeof title === 'string' ? title : '' }
}

function idsIn(
  object: Readonly<Record<string, unknown>>,
  container: string,
  resolveKind: (name: string, container: string) => IdKind | null,
): NearbyIds {
  const ids: Partial<Record<IdKind, string>> = {}
  const idMember = findOwnIdMember(object)
  // The object's own id comes last, because it takes precedence over other ids of the same kind.
  const names = Object.keys(object).filter((name) => name !== idMember)
  for (const name of idMember === null ? names : [...names, idMember]) {
    const kind = resolveKind(name, container)
    const value = object[name]
    if (kind !== null && typeof value === 'string' && value !== '') ids[kind] = value
  }
  return ids
}
