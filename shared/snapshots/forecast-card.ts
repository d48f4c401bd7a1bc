import { z } from 'zod'
import { isObject } from '../json/object.ts'
import { changeKinds, DETAILS_MEMBER, parseContent } from './card-content.ts'
import { toKey } from './cause.ts'
import { getChildEnd, getChildStart, NO_PARENT, type Forest } from './forest.ts'

/** An empty id stands for the top level. */
const placeSchema = z.strictObject({ noteid: z.string(), title: z.string() })
export type ForecastPlace = z.infer<typeof placeSchema>

const memberSchema = z.strictObject({
  name: z.string(),
  /** `new`: the host decides the value, and it will be another one. */
  change: z.enum(['set', 'add', 'remove', 'new']),
  /** Absent if the snapshot does not have the member. */
  before: z.unknown().optional(),
  /** The value, what is added, or what is removed; absent if that is unknown. */
  after: z.unknown().optional(),
  /** Of a list of texts, which one is set. */
  index: z.number().optional(),
})
export type ForecastMember = z.infer<typeof memberSchema>

export const forecastCardSchema = z.strictObject({
  noteid: z.string(),
  title: z.string(),
  kinds: z.array(z.enum(changeKinds)).min(1),
  /** Of a removed card its children's places; of an added one its source's and its own. */
  place: z.strictObject({ before: placeSchema, after: placeSchema }).nullable(),
  /** Number of cards that go along with a moved or copied card, or directly below a removed one. */
  below: z.number().int().nonnegative(),
  members: z.array(memberSchema),
})
export type ForecastCard = z.infer<typeof forecastCardSchema>

/** The indexes of these cards, by id in upper case. */
export function findIndexes(forest: Forest, ids: Iterable<string>): Map<string, number> {
  const keys = new Set([...ids].map(toKey))
  const indexes = new Map<string, number>()
  for (let index = 0; index < forest.count && indexes.size < keys.size; index += 1) {
    const key = toKey(forest.ids[index] ?? '')
    if (keys.has(key)) indexes.set(key, index)
  }
  return indexes
}

const noDetails = { texts: [], hashtags: [], bands: [] }

/** The members of a card in a snapshot, with its details if they were read. */
export function readMembers(forest: Forest, index: number): Record<string, unknown> {
  const { [DETAILS_MEMBER]: details, ...listed } = parseContent(forest.contents[index] ?? '')
  // Details leave out what has no value.
  return isObject(details) ? { ...noDetails, ...details, ...listed } : listed
}

export function readTitle(forest: Forest, index: number): string {
  const { title } = readMembers(forest, index)
  return typeof title === 'string' ? title : ''
}

export function toPlace(forest: Forest, index: number): ForecastPlace {
  return index === NO_PARENT
    ? { noteid: '', title: '' }
    : { noteid: forest.ids[index] ?? '', title: readTitle(forest, index) }
}

export function toCard(forest: Forest, index: number): ForecastCard {
  return {
    noteid: forest.ids[index] ?? '',
    title: readTitle(forest, index),
    kinds: [],
    place: null,
    below: 0,
    members: [],
  }
}

export function listChildren(forest: Forest, index: number): number[] {
  return [...forest.children.subarray(getChildStart(forest, index), getChildEnd(forest, index))]
}

export function hasChildren(forest: Forest, index: number): boolean {
  return getChildEnd(forest, index) > getChildStart(forest, index)
}
