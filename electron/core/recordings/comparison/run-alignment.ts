import { findIncreasingRun } from '../../../../shared/bridge/compare.ts'
import { IdPairs } from './id-pairs.ts'
import type { RunRequest } from './run-request.ts'

/** Two requests that stand for each other, or one that the other run does not have. */
export interface AlignedPair {
  /** Index in the first run; null for a request that only the second one has. */
  readonly before: number | null
  readonly after: number | null
  /** Both are of the same kind at the same time, but ask for something else. */
  readonly asksOtherwise: boolean
  /** It came at another time among the others, and did not overlap with them. */
  readonly isReordered: boolean
}

/** Both are set. */
type Match = readonly [before: number, after: number]

/** Number of candidates that are tried on each side of the same repetition of a request. */
const MAX_CANDIDATES = 4

/**
 * Finds out which requests of two runs stand for each other: those that ask for the same, in the
 * same order as far as possible. Takes n log n steps.
 * @param ids learns which ids stand for each other
 * @param pause called between steps of some hundredths of a second, so that others get their turn
 */
export async function alignRuns(
  before: readonly RunRequest[],
  after: readonly RunRequest[],
  ids: IdPairs,
  pause: () => Promise<void>,
): Promise<readonly AlignedPair[]> {
  ids.matchShared(listIds(before), listIds(after))
  const newIds = { before: listNewIds(before), after: listNewIds(after) }
  await pause()
  // Requests about different things look alike without ids. Most of them find the right partner by
  // their order, and the ids of most decide about the others.
  const trialMatches = await matchRequests(before, after, ids, newIds, pause)
  await pause()
  const trial = learnIds(before, after, trialMatches, ids, newIds)
  await pause()
  const matches = await matchRequests(before, after, trial, newIds, pause)
  await pause()
  for (const [first, second] of matches) matchIds(before[first], after[second], ids, newIds)
  await pause()
  return arrangePairs(before, after, matches, (first, second) => haveEqualIds(before[first], after[second], ids), pause)
}

const listIds = (requests: readonly RunRequest[]): Set<string> => new Set(requests.flatMap(({ ids }) => ids))

export function findFirstWrite(requests: readonly RunRequest[]): number {
  const index = requests.findIndex(({ isWrite }) => isWrite)
  return index < 0 ? requests.length : index
}

interface NewIds {
  readonly before: ReadonlySet<string>
  readonly after: ReadonlySet<string>
}

/** Ids that the run may have created: they first occur with a write or later. */
function listNewIds(requests: readonly RunRequest[]): Set<string> {
  const firstWrite = findFirstWrite(requests)
  const newIds = listIds(requests.slice(firstWrite))
  for (const id of listIds(requests.slice(0, firstWrite))) newIds.delete(id)
  for (const { requestId } of requests) if (requestId !== null) newIds.add(requestId)
  return newIds
}

const areNew = (before: string, after: string, newIds: NewIds): boolean =>
  newIds.before.has(before) && newIds.after.has(after)

/** Pairs each id with the one that stands at its places most often. */
function learnIds(
  before: readonly RunRequest[],
  after: readonly RunRequest[],
  matches: readonly Match[],
  pairs: IdPairs,
  newIds: NewIds,
): IdPairs {
  const votes = new Map<string, { readonly first: string; readonly second: string; count: number }>()
  for (const [beforeIndex, afterIndex] of matches) {
    const afterIds = after[afterIndex]?.ids ?? []
    for (const [place, first] of (before[beforeIndex]?.ids ?? []).entries()) {
      const second = afterIds[place]
      if (second === undefined) continue
      const key = `${first}\n${second}`
      const vote = votes.get(key)
      if (vote) vote.count += 1
      else votes.set(key, { first, second, count: 1 })
    }
  }
  const learned = new IdPairs()
  learned.matchShared(listIds(before), listIds(after))
  for (const { before: first, after: second } of pairs.list()) learned.match(first, second, true)
  // The sort is stable, so that of equally frequent pairs the earliest counts.
  for (const { first, second } of [...votes.values()].sort((vote, other) => other.count - vote.count))
    learned.match(first, second, areNew(first, second, newIds))
  return learned
}

function matchIds(before: RunRequest | undefined, after: RunRequest | undefined, ids: IdPairs, newIds: NewIds): void {
  if (!before || !after) return
  if (before.requestId !== null && after.requestId !== null) ids.match(before.requestId, after.requestId, true)
  for (const [place, id] of before.ids.entries()) {
    const other = after.ids[place]
    if (other !== undefined) ids.match(id, other, areNew(id, other, newIds))
  }
}

const haveEqualIds = (before: RunRequest | undefined, after: RunRequest | undefined, ids: IdPairs): boolean =>
  before?.ids.every((id, place) => (ids.getAfter(id) ?? id) === after?.ids[place]) ?? false

/** Matches requests with equal keys; each is used once. */
async function matchRequests(
  before: readonly RunRequest[],
  after: readonly RunRequest[],
  ids: IdPairs,
  newIds: NewIds,
  pause: () => Promise<void>,
): Promise<Match[]> {
  const toKey = ({ text, ids: ownIds }: RunRequest, translate: (id: string) => string): string =>
    [text, ...ownIds.map(translate)].join('\n')
  // An id without a partner may stand for any other one without a partner, if both can be new.
  const fold = (id: string, side: keyof NewIds): string =>
    ids.areForeign === true || newIds[side].has(id) ? '' : `${side} ${id}`
  const beforeKeys = before.map((request) => toKey(request, (id) => ids.getAfter(id) ?? fold(id, 'before')))
  const afterKeys = after.map((request) => toKey(request, (id) => (ids.hasAfter(id) ? id : fold(id, 'after'))))
  await pause()
  return matchKeys(beforeKeys, afterKeys)
}

function matchKeys(before: readonly string[], after: readonly string[]): Match[] {
  const [beforePlaces, afterPlaces] = [groupPlaces(before), groupPlaces(after)]
  const candidates: Match[] = []
  const ranks = new Map<string, number>()
  for (const [index, key] of before.entries()) {
    const rank = ranks.get(key) ?? 0
    ranks.set(key, rank + 1)
    const places = afterPlaces.get(key) ?? []
    const nearby = places.slice(Math.max(0, rank - MAX_CANDIDATES), rank + MAX_CANDIDATES + 1)
    // Candidates are listed in falling order, so that a longest increasing run takes at most one.
    for (const place of nearby.reverse()) candidates.push([index, place])
  }
  const chosen = findIncreasingRun(candidates.map(([, place]) => place)).map((index) => candidates[index])
  const usedBefore = new Set(chosen.map((match) => match?.[0]))
  const usedAfter = new Set(chosen.map((match) => match?.[1]))
  const matches: Match[] = []
  for (const [key, places] of beforePlaces) {
    const partners = afterPlaces.get(key) ?? []
    const count = Math.min(places.length, partners.length)
    const firsts = preferUsed(places, usedBefore, count)
    const seconds = preferUsed(partners, usedAfter, count)
    for (const [index, first] of firsts.entries()) matches.push([first, seconds[index] ?? 0])
  }
  return matches.sort(([first], [other]) => first - other)
}

const groupPlaces = (keys: readonly string[]): Map<string, number[]> =>
  Map.groupBy(keys.keys(), (index) => keys[index] ?? '')

/** The first `count` places, those in `used` before all others, in order. */
function preferUsed(places: readonly number[], used: ReadonlySet<number | undefined>, count: number): number[] {
  const chosen = [...places.filter((place) => used.has(place)), ...places.filter((place) => !used.has(place))]
  return chosen.slice(0, count).sort((first, other) => first - other)
}

async function arrangePairs(
  before: readonly RunRequest[],
  after: readonly RunRequest[],
  matches: readonly Match[],
  haveSameIds: (before: number, after: number) => boolean,
  pause: () => Promise<void>,
): Promise<AlignedPair[]> {
  const inOrder = new Set(findIncreasingRun(matches.map(([, second]) => second)))
  const reordered = findReordered(before, after, matches, inOrder)
  await pause()
  const anchors = matches.filter((_, index) => inOrder.has(index))
  const others = pairOthers(before, after, matches, anchors)
  await pause()
  const pairs = [
    ...matches.map(([first, second], index) => ({
      before: first,
      after: second,
      asksOtherwise: !haveSameIds(first, second),
      isReordered: reordered.has(index),
    })),
    ...others.map(([first, second]) => ({ before: first, after: second, asksOtherwise: true, isReordered: false })),
  ]
  return sortPairs([...pairs, ...listSingles(before.length, after.length, pairs)], anchors)
}

/**
 * A match that is out of order is reordered if one of the two runs had finished it before another
 * match began, while the other run did it the other way round. Requests that overlap have no order.
 */
function findReordered(
  before: readonly RunRequest[],
  after: readonly RunRequest[],
  matches: readonly Match[],
  inOrder: ReadonlySet<number>,
): Set<number> {
  const sides = matches.map(([first, second]) => ({ first: before[first], second: after[second] }))
  const begins = (request: RunRequest | undefined): number => request?.startedAt ?? 0
  // Starts are whole milliseconds, so that the end is rounded as well.
  const ends = (request: RunRequest | undefined): number =>
    Math.max(Math.floor(request?.endedAt ?? Infinity), begins(request) + 1)
  const byBegin = sides.toSorted((side, other) => begins(side.first) - begins(other.first))
  const byEnd = sides.toSorted((side, other) => ends(side.first) - ends(other.first))
  /** By request of the first run: the earliest end, in the second, of it and later ones. */
  const earliestEnds: number[] = []
  for (let index = byBegin.length - 1, earliest = Infinity; index >= 0; index -= 1)
    earliestEnds[index] = earliest = Math.min(earliest, ends(byBegin[index]?.second))
  /** By index in `byEnd`: the latest begin in the second run up to there. */
  let latest = -Infinity
  const latestBegins = byEnd.map(({ second }) => (latest = Math.max(latest, begins(second))))
  const reordered = new Set<number>()
  for (const [index, { first, second }] of sides.entries()) {
    if (inOrder.has(index)) continue
    const later = findFirstIndex(byBegin, (side) => begins(side.first) >= ends(first))
    const earlier = findFirstIndex(byEnd, (side) => ends(side.first) > begins(first)) - 1
    if ((earliestEnds[later] ?? Infinity) <= begins(second) || (latestBegins[earlier] ?? -Infinity) >= ends(second))
      reordered.add(index)
  }
  return reordered
}

/** The elements that fulfil the condition follow all others. */
function findFirstIndex<T>(list: readonly T[], isReached: (element: T) => boolean): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const element = list[middle]
    if (element !== undefined && isReached(element)) high = middle
    else low = middle + 1
  }
  return low
}

/** Pairs remaining requests of the same kind between the same neighbours, in order. */
function pairOthers(
  before: readonly RunRequest[],
  after: readonly RunRequest[],
  matches: readonly Match[],
  anchors: readonly Match[],
): Match[] {
  const usedBefore = new Set(matches.map(([first]) => first))
  const usedAfter = new Set(matches.map(([, second]) => second))
  const toGap = (side: 0 | 1, index: number): number => findFirstIndex(anchors, (anchor) => anchor[side] > index)
  const others = [...after.keys()].filter((index) => !usedAfter.has(index))
  const waiting = Map.groupBy(others, (index) => `${toGap(1, index)} ${after[index]?.shape ?? ''}`)
  for (const list of waiting.values()) list.reverse()
  return before.flatMap(({ shape }, index): Match[] => {
    if (usedBefore.has(index)) return []
    const partner = waiting.get(`${toGap(0, index)} ${shape}`)?.pop()
    return partner === undefined ? [] : [[index, partner]]
  })
}

function listSingles(beforeCount: number, afterCount: number, pairs: readonly AlignedPair[]): AlignedPair[] {
  const usedBefore = new Set(pairs.map((pair) => pair.before))
  const usedAfter = new Set(pairs.map((pair) => pair.after))
  const others = { asksOtherwise: false, isReordered: false }
  const singles: AlignedPair[] = []
  for (let index = 0; index < beforeCount; index += 1)
    if (!usedBefore.has(index)) singles.push({ before: index, after: null, ...others })
  for (let index = 0; index < afterCount; index += 1)
    if (!usedAfter.has(index)) singles.push({ before: null, after: index, ...others })
  return singles
}

/** Sorts pairs by the first run; a request of only the second follows what precedes it there. */
function sortPairs(pairs: readonly AlignedPair[], anchors: readonly Match[]): AlignedPair[] {
  const toPlace = ({ before, after }: AlignedPair): number => {
    if (before !== null) return before
    const following = findFirstIndex(anchors, (anchor) => anchor[1] > (after ?? 0))
    // The place lies between the preceding anchor's successors and the following anchor.
    return (anchors[following]?.[0] ?? Infinity) - 0.5
  }
  return pairs
    .map((pair) => ({ pair, place: toPlace(pair) }))
    .sort(({ pair, place }, other) =>
      place === other.place ? (pair.after ?? 0) - (other.pair.after ?? 0) : place - other.place,
    )
    .map(({ pair }) => pair)
}
