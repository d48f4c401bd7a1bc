import type { SnapshotDifference } from '../../../shared/snapshots/compare.ts'
import { getChildEnd, getChildStart, NO_PARENT, type Forest } from '../../../shared/snapshots/forest.ts'

/** The place of a card that was removed, or that is somewhere else now. */
export interface FormerPlace {
  readonly change: number
  /** The card below which it was, as an index after; `NO_PARENT` at the top. */
  readonly parent: number
  /** The sibling that it followed and that stayed, as an index after; -1 if it was the first. */
  readonly follows: number
  /** Number of cards that were below a removed card, and were removed or moved away as well. */
  readonly below: number
}

export interface FormerPlaces {
  /** Those below one parent are in a row, in their old order. */
  readonly places: readonly FormerPlace[]
  /** Number of cards that were moved from below a card that the newer side does not cover. */
  readonly uncovered: number
}

const FIRST = -1

/**
 * Finds the places that cards left. What was below a removed card has no place of its own, because
 * its parent is gone: it is counted at the place of the topmost removed card. Nothing recurses.
 */
export function findFormerPlaces(before: Forest, after: Forest, { changes, pairs }: SnapshotDifference): FormerPlaces {
  const changeByCard = new Map<number, number>()
  const removed = new Set<number>()
  for (const [index, { before: card, after: now, kinds }] of changes.entries()) {
    if (card < 0 || (now >= 0 && !kinds.includes('moved'))) continue
    changeByCard.set(card, index)
    if (now < 0) removed.add(card)
  }
  const topByRemoved = new Map<number, number>()
  function findTop(card: number): number {
    const path: number[] = []
    let top = card
    for (let parent = card; parent !== NO_PARENT && removed.has(parent); parent = before.parents[parent] ?? NO_PARENT) {
      const cachedTop = topByRemoved.get(parent)
      top = cachedTop ?? parent
      if (cachedTop !== undefined) break
      path.push(parent)
    }
    for (const member of path) topByRemoved.set(member, top)
    return top
  }

  const parents = new Set<number>()
  const belowByTop = new Map<number, number>()
  let uncovered = 0
  for (const card of changeByCard.keys()) {
    const parent = before.parents[card] ?? NO_PARENT
    if (removed.has(parent)) {
      const top = findTop(parent)
      belowByTop.set(top, (belowByTop.get(top) ?? 0) + 1)
    } else if (parent !== NO_PARENT && (pairs[parent] ?? -1) < 0) uncovered += 1
    else parents.add(parent)
  }

  const places: FormerPlace[] = []
  for (const oldParent of parents) {
    const parent = oldParent === NO_PARENT ? NO_PARENT : (pairs[oldParent] ?? -1)
    let follows = FIRST
    for (const child of before.children.subarray(getChildStart(before, oldParent), getChildEnd(before, oldParent))) {
      const change = changeByCard.get(child)
      const now = pairs[child] ?? -1
      if (change !== undefined) places.push({ change, parent, follows, below: belowByTop.get(child) ?? 0 })
      else if (now >= 0 && after.parents[now] === parent) follows = now
    }
  }
  return { places, uncovered }
}
