import { z } from 'zod'
import type { SnapshotSide } from './compare.ts'
import { toKey } from './cause.ts'
import { alwaysListedMembers, DETAILS_MEMBER, isListedTitle, parseContent } from './card-content.ts'
import { findText, isEqual, toTagKey, toTextList, type Forecast } from './forecast.ts'
import { findIndexes, listChildren, readMembers, type ForecastCard, type ForecastMember } from './forecast-card.ts'
import type { Forest } from './forest.ts'
import { isObject } from '../json/object.ts'

/** Still there, gone, elsewhere, another value of a member, or no copy. */
export const forecastDifferenceSchema = z.strictObject({
  kind: z.enum(['present', 'gone', 'place', 'member', 'noCopy']),
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

/** Compares a forecast with a snapshot that was taken after the write. */
export function checkForecast({ cards }: Forecast, before: Forest, after: SnapshotSide): ForecastCheck {
  return new Check(before, after).run(cards)
}

class Check {
  readonly #before: Forest
  readonly #after: SnapshotSide
  #indexBefore = new Map<string, number>()
  #indexAfter = new Map<string, number>()
  /** Of all cards, if there are copies to be found. */
  #idsBefore: ReadonlySet<string> = new Set()
  readonly #copies = new Set<number>()
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
    if (cards.some(({ kinds }) => kinds.includes('added'))) this.#idsBefore = new Set(this.#before.ids.map(toKey))
    const followers = new Map(cards.map((card) => [card.noteid, this.#listFollowers(card)]))
    const targets = cards.flatMap(({ kinds, place }) => (kinds.includes('added') && place ? [place.after.noteid] : []))
    const ids = [...followers.keys(), ...[...followers.values()].flat(), ...targets]
    this.#indexAfter = findIndexes(this.#after.forest, ids)
    const removed = new Set(cards.filter(({ kinds }) => kinds.includes('removed')).map(({ noteid }) => toKey(noteid)))
    for (const card of cards) {
      if (card.kinds.includes('added')) {
        this.#checkCopy(card)
        continue
      }
      if (removed.has(toKey(card.noteid))) this.#checkRemoved(card)
      else this.#checkKept(card)
      for (const noteid of followers.get(card.noteid) ?? []) {
        if (!removed.has(toKey(noteid))) this.#checkFollower(card, noteid)
      }
    }
    return { differences: this.#differences, confirmed: this.#confirmed, unchecked: this.#unchecked }
  }

  /** The cards directly below a removed or moved card, if it was forecast where they go. */
  #listFollowers({ noteid, kinds, place }: ForecastCard): string[] {
    const index = this.#indexBefore.get(toKey(noteid))
    const isFollowed = place !== null && kinds.some((kind) => kind === 'removed' || kind === 'moved')
    if (index === undefined || !isFollowed) return []
    return listChildren(this.#before, index).map((child) => this.#before.ids[child] ?? '')
  }

  /** A copy is a card that was not there before, with the same title and as many cards below it. */
  #checkCopy({ noteid, title, place, below }: ForecastCard): void {
    const { forest, isWhole } = this.#after
    const target = this.#indexAfter.get(toKey(place?.after.noteid ?? ''))
    const copy =
      target === undefined
        ? undefined
        : listChildren(forest, target).find((child) => {
            const isUnused = !this.#copies.has(child) && !this.#idsBefore.has(toKey(forest.ids[child] ?? ''))
            const isKnown = place?.before.title !== ''
            const isAlike = readMembers(forest, child)['title'] === title && forest.sizes[child] === below + 1
            return isUnused && (!isKnown || isAlike)
          })
    if (copy !== undefined) {
      this.#copies.add(copy)
      this.#confirmed += 1
    } else if (isWhole) this.#add({ kind: 'noCopy', noteid, title, member: '' })
    else this.#unchecked += 1
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
    const isListed = alwaysListedMembers.has(name) || (this.#after.members?.has(name) ?? false)
    const isKnown = name in members || hasDetails || isListed
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
function isFulfilled({ name, change, before, after, index }: ForecastMember, actual: unknown): boolean | null {
  switch (name) {
    case 'hashtags':
      return hasTags(change, toTextList(after), toTextList(actual))
    case 'texts':
      return isTextFulfilled({ change, before, after, index }, actual)
    case 'title':
      if (change === 'set') return typeof after === 'string' && isListedTitle(actual ?? '', after)
      break
    case 'subMapId':
      return (actual !== undefined) === (change === 'new')
    case 'parts':
      // The masks may be those that the image had already.
      return before === undefined || isEqual(before, actual) ? null : true
  }
  if (change === 'new') return before === undefined ? null : !isEqual(before, actual)
  if (change !== 'set') return Array.isArray(before) && Array.isArray(actual) ? actual.length > before.length : null
  // A listing leaves out what has no value.
  return isEqual(after, actual) || (actual === undefined && (after === false || after === ''))
}

function isTextFulfilled(
  { change, before, after, index = 0 }: Pick<ForecastMember, 'change' | 'before' | 'after' | 'index'>,
  actual: unknown,
): boolean | null {
  if (change === 'set') return isEqual(findText(actual, index), after)
  const texts = toTextList(after)
  if (change === 'add') return texts.every((text) => listTexts(actual).some((entry) => isEqual(entry, text)))
  // The same text may stand in several places.
  if (!Array.isArray(before) || texts.length === 0) return null
  const count = (list: unknown, text: string): number => listTexts(list).filter((entry) => isEqual(entry, text)).length
  return texts.every((text) => count(actual, text) < count(before, text))
}

const listTexts = (texts: unknown): unknown[] =>
  Array.isArray(texts) ? texts.map((entry: unknown) => (isObject(entry) ? entry['text'] : null)) : []

function hasTags(change: ForecastMember['change'], tags: readonly string[], actual: readonly string[]): boolean {
  const keys = new Set(actual.map(toTagKey))
  if (change === 'remove') return tags.every((tag) => !keys.has(toTagKey(tag)))
  const hasAll = tags.every((tag) => keys.has(toTagKey(tag)))
  return hasAll && (change === 'add' || keys.size === new Set(tags.map(toTagKey)).size)
}
