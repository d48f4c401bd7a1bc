import { z } from 'zod'
import type { SnapshotSide } from './compare.ts'
import { toKey } from './cause.ts'
import { DETAILS_MEMBER, parseContent } from './card-content.ts'
import {
  findIndexes,
  findText,
  isEqual,
  listChildren,
  readMembers,
  toTagKey,
  toTextList,
  type Forecast,
  type ForecastCard,
  type ForecastMember,
} from './forecast.ts'
import type { Forest } from './forest.ts'
import { isObject } from '../json/object.ts'

/**
 * How a card differs from its forecast: it is still there, it is gone, it is elsewhere, or a member
 * has another value.
 */
export const forecastDifferenceSchema = z.strictObject({
  kind: z.enum(['present', 'gone', 'place', 'member']),
  noteid: z.string(),
  title: z.string(),
  /** Name of the member with another value; empty for the other kinds. */
  member: z.string(),
  /** The value of the member, or the id of the parent, if the later snapshot has it. */
  actual: z.unknown().optional(),
})
export type ForecastDifference = z.infer<typeof forecastDifferenceSchema>

export interface ForecastCheck {
  readonly differences: readonly ForecastDifference[]
  /** Number of forecast facts that are as forecast. */
  readonly confirmed: number
  /** Number of forecast facts about which the later snapshot says nothing. */
  readonly unchecked: number
}

/** The titles of listings are cut (observed-0.49 §5). */
const LISTED_TITLE_CHARS = 64

/** Compares a forecast with a snapshot that was taken after the write. */
export function checkForecast({ cards }: Forecast, before: Forest, after: SnapshotSide): ForecastCheck {
  return new Check(before, after).run(cards)
}

class Check {
  readonly #before: Forest
  readonly #after: SnapshotSide
  #indexBefore = new Map<string, number>()
  #indexAfter = new Map<string, number>()
  readonly #differences: ForecastDifference[] = []
  #confirmed = 0
  #unchecked = 0

  constructor(before: Forest, after: SnapshotSide) {
    this.#before = before
    this.#after = after
  }

  run(cards: readonly ForecastCard[]): ForecastCheck {
    this.#indexBefore = findIndexes(
      this.#before,
      cards.map(({ noteid }) => noteid),
    )
    const followers = new Map(cards.map((card) => [card.noteid, this.#listFollowers(card)]))
    this.#indexAfter = findIndexes(this.#after.forest, [...followers.keys(), ...[...followers.values()].flat()])
    const removed = new Set(cards.filter(({ kinds }) => kinds.includes('removed')).map(({ noteid }) => toKey(noteid)))
    for (const card of cards) {
      if (removed.has(toKey(card.noteid))) this.#checkRemoved(card)
      else this.#checkKept(card)
      for (const noteid of followers.get(card.noteid) ?? []) {
        if (!removed.has(toKey(noteid))) this.#checkFollower(card, noteid)
      }
    }
    return { differences: this.#differences, confirmed: this.#confirmed, unchecked: this.#unchecked }
  }

  /** The cards directly below a removed or moved card. */
  #listFollowers({ noteid, kinds }: ForecastCard): string[] {
    const index = this.#indexBefore.get(toKey(noteid))
    if (index === undefined || !kinds.some((kind) => kind === 'removed' || kind === 'moved')) return []
    return listChildren(this.#before, index).map((child) => this.#before.ids[child] ?? '')
  }

  #checkRemoved(card: ForecastCard): void {
    const isPresent = this.#indexAfter.has(toKey(card.noteid))
    if (isPresent) this.#add({ kind: 'present', ...toName(card), member: '' })
    else if (this.#after.isWhole) this.#confirmed += 1
    else this.#unchecked += 1
  }

  #checkKept(card: ForecastCard): void {
    const index = this.#findListed(card)
    if (index === null) return
    if (card.place) this.#checkPlace(card, index, [card.place.after.noteid])
    for (const member of card.members) this.#checkMember(card, member, index)
  }

  /** Children of a removed card go to the card above or to the top level; of a moved one, along. */
  #checkFollower(card: ForecastCard, noteid: string): void {
    const child = { noteid, title: '' }
    const index = this.#findListed(child)
    if (index === null) return
    const title = readMembers(this.#after.forest, index)['title']
    const listedChild = { noteid, title: typeof title === 'string' ? title : '' }
    const parents = card.kinds.includes('removed') ? [card.place?.after.noteid ?? '', ''] : [card.noteid]
    this.#checkPlace(listedChild, index, parents)
  }

  /** @returns null if the card is not listed, which is a difference if the snapshot is whole */
  #findListed(card: Pick<ForecastCard, 'noteid' | 'title'>): number | null {
    const index = this.#indexAfter.get(toKey(card.noteid))
    if (index !== undefined) return index
    if (this.#after.isWhole) this.#add({ kind: 'gone', ...toName(card), member: '' })
    else this.#unchecked += 1
    return null
  }

  #checkPlace(card: Pick<ForecastCard, 'noteid' | 'title'>, index: number, parentIds: readonly string[]): void {
    const actual = this.#after.forest.parentIds[index] ?? ''
    if (parentIds.some((id) => toKey(id) === toKey(actual))) this.#confirmed += 1
    else this.#add({ kind: 'place', ...toName(card), member: '', actual })
  }

  #checkMember(card: ForecastCard, member: ForecastMember, index: number): void {
    const { name } = member
    const members = readMembers(this.#after.forest, index)
    const hasDetails = isObject(parseContent(this.#after.forest.contents[index] ?? '')[DETAILS_MEMBER])
    const isKnown = name in members || hasDetails || (this.#after.members?.has(name) ?? false)
    const isAsForecast = isKnown ? isFulfilled(member, members[name]) : null
    if (isAsForecast === null) this.#unchecked += 1
    else if (isAsForecast) this.#confirmed += 1
    else this.#add({ kind: 'member', ...toName(card), member: name, actual: members[name] })
  }

  #add(difference: ForecastDifference): void {
    this.#differences.push(difference)
  }
}

const toName = ({ noteid, title }: Pick<ForecastCard, 'noteid' | 'title'>): { noteid: string; title: string } => ({
  noteid,
  title,
})

/** @returns null if the two cannot be compared */
function isFulfilled({ name, change, before, after }: ForecastMember, actual: unknown): boolean | null {
  switch (name) {
    case 'hashtags':
      return hasTags(change, toTextList(after), toTextList(actual))
    case 'texts':
      return change === 'set'
        ? findText(actual, 0) === after
        : toTextList(after).every((text) => listTexts(actual).includes(text))
    case 'title':
      return typeof after === 'string' && isListedTitle(actual ?? '', after)
  }
  if (change === 'new') return before === undefined ? null : !isEqual(before, actual)
  if (change !== 'set') return Array.isArray(before) && Array.isArray(actual) ? actual.length > before.length : null
  // A listing leaves out what has no value.
  return isEqual(after, actual) || (actual === undefined && (after === false || after === ''))
}

const isListedTitle = (listed: unknown, title: string): boolean =>
  listed === title || (typeof listed === 'string' && listed.length >= LISTED_TITLE_CHARS && title.startsWith(listed))

const listTexts = (texts: unknown): unknown[] =>
  Array.isArray(texts) ? texts.map((entry: unknown) => (isObject(entry) ? entry['text'] : null)) : []

function hasTags(change: ForecastMember['change'], tags: readonly string[], actual: readonly string[]): boolean {
  const keys = new Set(actual.map(toTagKey))
  if (change === 'remove') return tags.every((tag) => !keys.has(toTagKey(tag)))
  const hasAll = tags.every((tag) => keys.has(toTagKey(tag)))
  return hasAll && (change === 'add' || keys.size === new Set(tags.map(toTagKey)).size)
}
