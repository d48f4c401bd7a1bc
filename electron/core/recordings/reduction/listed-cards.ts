import { findEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { isObject } from '../../../../shared/json/object.ts'
import type { RecordedExchange } from '../../../../shared/recordings/recording.ts'

/** A response that lists cards by the contract. */
export interface CardListing {
  /** Listings with the same name are pages of one, or the same read again. */
  readonly name: string
  readonly value: unknown
}

interface ListedCard {
  readonly parent: string | null
  /** Names of the listings in which it is. */
  readonly listings: ReadonlySet<string>
}

/** Keyed by the id of the card. */
export type ListedCards = ReadonlyMap<string, ListedCard>

type Entry = Readonly<Record<string, unknown>>
type Entries = readonly Entry[]

/** Members that count the cards of a whole listing, of which the response may be one page. */
const totalMembers: ReadonlySet<string> = new Set(['nodeTotal', 'total', 'count'])

/** True if the contract says so, and the recording has the response as a whole. */
export function isCardListing({ row, response, responseBody }: RecordedExchange): boolean {
  const endpoint = findEndpointById(row.endpoint ?? '')
  if (!endpoint || endpoint.response.kind !== 'json' || responseBody === null || response.missing !== null) return false
  const kinds = endpoint.dataKinds ?? []
  return row.status === 200 && endpoint.access === 'read' && (kinds.includes('map') || kinds.includes('cards'))
}

/** The cards of all listings, each with its place in the tree. */
export function collectListedCards(listings: readonly CardListing[]): ListedCards {
  const cards = new Map<string, { parent: string | null; readonly listings: Set<string> }>()
  for (const { name, value } of listings) {
    for (const entry of listEntryLists(value).flatMap(([, entries]) => entries)) {
      const noteid = String(entry['noteid'])
      const { parent } = entry
      const card = cards.get(noteid) ?? { parent: null, listings: new Set() }
      // A response that says nothing about the parent does not make the card a root.
      card.parent ??= typeof parent === 'string' && parent !== '' ? parent : null
      card.listings.add(name)
      cards.set(noteid, card)
    }
  }
  return cards
}

/** Groups the cards by their depth, the roots first. */
export function groupByDepth(cards: ListedCards): string[][] {
  const levels: string[][] = []
  const depths = new Map<string, number>()
  for (const noteid of cards.keys()) {
    const path: string[] = []
    const visited = new Set<string>()
    let ancestor: string | null = noteid
    // The parent may be another card that no response lists, or the tree may contain itself.
    while (ancestor !== null && cards.has(ancestor) && !depths.has(ancestor) && !visited.has(ancestor)) {
      path.push(ancestor)
      visited.add(ancestor)
      ancestor = cards.get(ancestor)?.parent ?? null
    }
    let depth = ancestor === null ? -1 : (depths.get(ancestor) ?? -1)
    for (const id of path.reverse()) {
      depth += 1
      depths.set(id, depth)
      ;(levels[depth] ??= []).push(id)
    }
  }
  return levels
}

/** The cards with everything below them. */
export function addDescendants(noteids: Iterable<string>, cards: ListedCards): Set<string> {
  const childrenByParent = Map.groupBy(cards.keys(), (noteid) => cards.get(noteid)?.parent ?? '')
  const branches = new Set(noteids)
  for (const noteid of branches) for (const child of childrenByParent.get(noteid) ?? []) branches.add(child)
  return branches
}

/** Lowers the numbers that count the cards too. Returns the value itself if nothing changes. */
export function removeListedCards(
  { name, value }: CardListing,
  removed: ReadonlySet<string>,
  cards: ListedCards,
): unknown {
  const lists = listEntryLists(value)
  const removedCount = [...removed].filter((noteid) => cards.get(noteid)?.listings.has(name)).length
  if (removedCount === 0) return value
  const removedChildren = countChildren(removed, cards)
  const reduced = lists.map(([member, entries]) => [member, reduceEntries(entries, removed, removedChildren)] as const)
  if (!isObject(value)) return reduced[0]?.[1] ?? value
  const totals = Object.entries(value).flatMap(([member, total]) =>
    totalMembers.has(member) && typeof total === 'number' ? [[member, Math.max(0, total - removedCount)] as const] : [],
  )
  return { ...value, ...Object.fromEntries(totals), ...Object.fromEntries(reduced) }
}

function reduceEntries(
  entries: Entries,
  removed: ReadonlySet<string>,
  removedChildren: ReadonlyMap<string, number>,
): Entries {
  return entries
    .filter(({ noteid }) => !removed.has(String(noteid)))
    .map((entry) => {
      const count = removedChildren.get(String(entry['noteid'])) ?? 0
      const { childCount } = entry
      return count > 0 && typeof childCount === 'number'
        ? { ...entry, childCount: Math.max(0, childCount - count) }
        : entry
    })
}

function countChildren(removed: ReadonlySet<string>, cards: ListedCards): Map<string, number> {
  const counts = new Map<string, number>()
  for (const noteid of removed) {
    const parent = cards.get(noteid)?.parent
    if (parent) counts.set(parent, (counts.get(parent) ?? 0) + 1)
  }
  return counts
}

/** The lists of cards in a response; the name is empty if the response is the list itself. */
function listEntryLists(value: unknown): (readonly [member: string, entries: Entries])[] {
  const members = Array.isArray(value)
    ? [['', value as unknown] as const]
    : isObject(value)
      ? Object.entries(value)
      : []
  return members.flatMap(([member, list]) => (isCardList(list) ? [[member, list] as const] : []))
}

const isCardList = (list: unknown): list is Entries =>
  Array.isArray(list) &&
  list.length > 0 &&
  list.every((entry) => isObject(entry) && typeof entry['noteid'] === 'string')
