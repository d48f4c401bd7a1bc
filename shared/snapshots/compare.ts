import { compareContents, type ChangeKind } from './card-content.ts'
import { getChildEnd, getChildStart, NO_PARENT, type Forest } from './forest.ts'

/** A card that differs. The indexes are those of the two forests; -1 where it is not listed. */
export interface CardChange {
  readonly before: number
  readonly after: number
  /** In the order of `changeKinds`, never empty. */
  readonly kinds: readonly ChangeKind[]
  /** Members of the card that differ. */
  readonly members: readonly string[]
}

export interface SnapshotSide {
  readonly forest: Forest
  /** False if the listing does not cover all cards: what it lacks may exist all the same. */
  readonly isWhole: boolean
  /** False if the listing has another order than that of the children of a card. */
  readonly isInTreeOrder: boolean
  /** Names of members that some card has; null if unknown. */
  readonly members: ReadonlySet<string> | null
}

export interface SnapshotDifference {
  /** In no particular order. */
  readonly changes: readonly CardChange[]
  /** Cards on one side only while the other is not whole: they may have been there all the time. */
  readonly uncoveredBefore: number
  readonly uncoveredAfter: number
  /** For each card of `before` that was looked at, its index in `after`; -1 for all others. */
  readonly pairs: Int32Array
}

const NOT_LISTED = -1

/**
 * Finds what happened to cards between two snapshots, by id.
 *
 * A card is *added* or *removed* if only one side has its id, *moved* if both have it below
 * different parents. Among the cards that stayed below one parent, as few as possible are moved:
 * those outside a longest sequence that has the same order on both sides. So a card that was
 * dragged past any number of others is one move, and cards that only made room are none. A card
 * that goes along with its parent is not moved. Everything else compares the content of one card
 * with itself.
 *
 * Subtrees with equal hashes are skipped, so the work follows the change and not the size. Nothing
 * recurses.
 *
 * @param likelyMoved ids, in upper case, of cards that somebody is known to have moved. They decide
 *   only where two choices are equally small: of two neighbours that changed places, either may be
 *   the moved one.
 */
export function compareSnapshots(
  before: SnapshotSide,
  after: SnapshotSide,
  likelyMoved: ReadonlySet<string> = new Set(),
): SnapshotDifference {
  return new Comparison(before, after, likelyMoved).run()
}

class Comparison {
  readonly #before: SnapshotSide
  readonly #after: SnapshotSide
  readonly #sharedMembers: ReadonlySet<string> | null
  readonly #shouldCompareOrder: boolean
  readonly #pairs: Int32Array
  readonly #changes: CardChange[] = []
  /** Pairs whose children are to be compared: index before, index after. */
  readonly #pending: number[] = []
  /** Tops of subtrees that have no counterpart below the same parent. */
  readonly #looseBefore: number[] = []
  readonly #looseAfter: number[] = []

  readonly #likelyMoved: ReadonlySet<string>

  constructor(before: SnapshotSide, after: SnapshotSide, likelyMoved: ReadonlySet<string>) {
    this.#likelyMoved = likelyMoved
    this.#before = before
    this.#after = after
    this.#shouldCompareOrder = before.isInTreeOrder && after.isInTreeOrder
    this.#pairs = new Int32Array(before.forest.count).fill(NOT_LISTED)
    const [oldMembers, newMembers] = [before.members, after.members]
    this.#sharedMembers =
      oldMembers && newMembers ? new Set([...oldMembers].filter((name) => newMembers.has(name))) : null
  }

  run(): SnapshotDifference {
    this.#matchChildren(NO_PARENT, NO_PARENT)
    this.#matchPending()
    const { uncoveredBefore, uncoveredAfter } = this.#matchLoose()
    return { changes: this.#changes, uncoveredBefore, uncoveredAfter, pairs: this.#pairs }
  }

  #matchPending(): void {
    for (;;) {
      const after = this.#pending.pop()
      const before = this.#pending.pop()
      if (before === undefined || after === undefined) return
      this.#matchChildren(before, after)
    }
  }

  /** Compares the children of one card on both sides. */
  #matchChildren(beforeParent: number, afterParent: number): void {
    const [before, after] = [this.#before.forest, this.#after.forest]
    let beforeStart = getChildStart(before, beforeParent)
    let beforeEnd = getChildEnd(before, beforeParent)
    let afterStart = getChildStart(after, afterParent)
    let afterEnd = getChildEnd(after, afterParent)
    // Most lists of children begin and end with the same cards.
    while (beforeStart < beforeEnd && afterStart < afterEnd) {
      if (!this.#isSameChild(before.children[beforeStart], after.children[afterStart])) break
      this.#addPair(before.children[beforeStart] ?? 0, after.children[afterStart] ?? 0, false)
      beforeStart += 1
      afterStart += 1
    }
    while (beforeStart < beforeEnd && afterStart < afterEnd) {
      if (!this.#isSameChild(before.children[beforeEnd - 1], after.children[afterEnd - 1])) break
      beforeEnd -= 1
      afterEnd -= 1
      this.#addPair(before.children[beforeEnd] ?? 0, after.children[afterEnd] ?? 0, false)
    }
    this.#matchShuffled(before.children.subarray(beforeStart, beforeEnd), after.children.subarray(afterStart, afterEnd))
  }

  #isSameChild(before: number | undefined, after: number | undefined): boolean {
    if (before === undefined || after === undefined) return false
    const [oldForest, newForest] = [this.#before.forest, this.#after.forest]
    // Cards without a listed parent stand together, whatever their parents are.
    return oldForest.ids[before] === newForest.ids[after] && oldForest.parentIds[before] === newForest.parentIds[after]
  }

  #matchShuffled(beforeChildren: Uint32Array, afterChildren: Uint32Array): void {
    if (beforeChildren.length === 0 && afterChildren.length === 0) return
    const placeById = new Map<string, number>()
    for (const [place, child] of beforeChildren.entries()) placeById.set(this.#before.forest.ids[child] ?? '', place)
    /** Places before, in the order after. */
    const places: number[] = []
    const matched: number[] = []
    for (const child of afterChildren) {
      const place = placeById.get(this.#after.forest.ids[child] ?? '')
      if (place === undefined || !this.#isSameChild(beforeChildren[place], child)) {
        this.#looseAfter.push(child)
        continue
      }
      placeById.delete(this.#after.forest.ids[child] ?? '')
      places.push(place)
      matched.push(child)
    }
    const isInOrder = this.#shouldCompareOrder ? this.#markUnmoved(places, matched) : null
    for (const [index, child] of matched.entries()) {
      this.#addPair(beforeChildren[places[index] ?? 0] ?? 0, child, isInOrder !== null && isInOrder[index] !== 1)
    }
    for (const place of placeById.values()) this.#looseBefore.push(beforeChildren[place] ?? 0)
  }

  /** Only cards of one parent have an order. `places` are earlier ones, in the later order. */
  #markUnmoved(places: readonly number[], cards: readonly number[]): Uint8Array {
    const { ids, parentIds } = this.#after.forest
    const marks = new Uint8Array(places.length)
    const groups = new Map<string, number[]>()
    for (const [index, card] of cards.entries()) {
      const group = groups.get(parentIds[card] ?? '')
      if (group) group.push(index)
      else groups.set(parentIds[card] ?? '', [index])
    }
    for (const group of groups.values()) {
      const unmoved = markLongestIncreasing(
        group.map((index) => places[index] ?? 0),
        (member) => this.#likelyMoved.has((ids[cards[group[member] ?? 0] ?? 0] ?? '').toUpperCase()),
      )
      for (const [member, index] of group.entries()) marks[index] = unmoved[member] ?? 0
    }
    return marks
  }

  #addPair(before: number, after: number, isMoved: boolean): void {
    this.#pairs[before] = after
    const isEqual = hasSameHash(this.#before.forest.subtreeHashes, before, this.#after.forest.subtreeHashes, after)
    if (!isEqual) this.#pending.push(before, after)
    if (isMoved || !isEqual) this.#addChange(before, after, isMoved)
  }

  /** Adds what differs between a card and itself, if anything does. */
  #addChange(before: number, after: number, isMoved: boolean): void {
    const [oldForest, newForest] = [this.#before.forest, this.#after.forest]
    const kinds: ChangeKind[] = isMoved ? ['moved'] : []
    let members: readonly string[] = []
    if (!hasSameHash(oldForest.contentHashes, before, newForest.contentHashes, after)) {
      const oldContent = oldForest.contents[before] ?? ''
      const change = compareContents(oldContent, newForest.contents[after] ?? '', this.#sharedMembers)
      kinds.push(...change.kinds)
      members = change.members
    }
    if (kinds.length > 0) this.#changes.push({ before, after, kinds, members })
  }

  /** Matches cards that lack a counterpart below their parent: moved, moved along, one-sided. */
  #matchLoose(): Pick<SnapshotDifference, 'uncoveredBefore' | 'uncoveredAfter'> {
    const [before, after] = [this.#before, this.#after]
    const looseById = new Map<string, number>()
    for (const index of this.#looseBefore) looseById.set(before.forest.ids[index] ?? '', index)
    const differentTops: number[] = []
    for (const index of this.#looseAfter) {
      const id = after.forest.ids[index] ?? ''
      const old = looseById.get(id)
      const isEqual =
        old !== undefined && hasSameHash(before.forest.subtreeHashes, old, after.forest.subtreeHashes, index)
      // An equal subtree is one moved card, and need not be entered.
      if (isEqual && looseById.delete(id)) this.#addPair(old, index, this.#hasOtherParent(old, index))
      else differentTops.push(index)
    }
    for (const index of listSubtrees(before.forest, [...looseById.values()])) {
      looseById.set(before.forest.ids[index] ?? '', index)
    }
    const enteredAfter = listSubtrees(after.forest, differentTops)
    let uncoveredBefore = 0
    let uncoveredAfter = 0
    const oldByIndex = new Map<number, number>()
    for (const index of enteredAfter) {
      const id = after.forest.ids[index] ?? ''
      const old = looseById.get(id)
      looseById.delete(id)
      if (old !== undefined) oldByIndex.set(index, old)
      else if (before.isWhole) this.#changes.push({ before: NOT_LISTED, after: index, kinds: ['added'], members: [] })
      else uncoveredBefore += 1
    }
    this.#addLoosePairs(oldByIndex)
    for (const index of looseById.values()) {
      if (after.isWhole) this.#changes.push({ before: index, after: NOT_LISTED, kinds: ['removed'], members: [] })
      else uncoveredAfter += 1
    }
    return { uncoveredBefore, uncoveredAfter }
  }

  /** @param oldByIndex the index before of each card, by its index after */
  #addLoosePairs(oldByIndex: ReadonlyMap<number, number>): void {
    const { forest } = this.#after
    const draggedSiblings = new Set<number>()
    for (const parent of this.#shouldCompareOrder ? oldByIndex.keys() : []) {
      const stayed: number[] = []
      for (const child of forest.children.subarray(getChildStart(forest, parent), getChildEnd(forest, parent))) {
        const old = oldByIndex.get(child)
        if (old !== undefined && !this.#hasOtherParent(old, child)) stayed.push(child)
      }
      const olds = stayed.map((child) => oldByIndex.get(child) ?? 0)
      const isInOrder = this.#markUnmoved(olds, stayed)
      for (const [place, child] of stayed.entries()) if (isInOrder[place] !== 1) draggedSiblings.add(child)
    }
    for (const [index, old] of oldByIndex) {
      this.#pairs[old] = index
      this.#addChange(old, index, draggedSiblings.has(index) || this.#hasOtherParent(old, index))
    }
  }

  #hasOtherParent(before: number, after: number): boolean {
    return this.#before.forest.parentIds[before] !== this.#after.forest.parentIds[after]
  }
}

const hasSameHash = (first: Uint32Array, index: number, second: Uint32Array, otherIndex: number): boolean =>
  first[index * 2] === second[otherIndex * 2] && first[index * 2 + 1] === second[otherIndex * 2 + 1]

/** Lists the cards of these subtrees, each parent before its children. */
function listSubtrees(forest: Forest, tops: readonly number[]): number[] {
  const indexes = [...tops]
  // The list grows while it is walked.
  for (const index of indexes) {
    const end = getChildEnd(forest, index)
    for (let place = getChildStart(forest, index); place < end; place += 1) indexes.push(forest.children[place] ?? 0)
  }
  return indexes
}

/** Every member counts more than all preferences together; sums of a million stay exact. */
const MEMBER_WEIGHT = 1_048_576

/** Marks, with 1, one longest increasing subsequence: that with the fewest likely moved places. */
export function markLongestIncreasing(
  values: readonly number[],
  isLikelyMoved: (place: number) => boolean = () => false,
): Uint8Array {
  const marks = new Uint8Array(values.length)
  const order = [...values.keys()].sort((first, second) => (values[first] ?? 0) - (values[second] ?? 0))
  const rankOfPlace = new Uint32Array(values.length)
  for (const [rank, place] of order.entries()) rankOfPlace[place] = rank + 1
  /** A Fenwick tree over the ranks: the place that ends the heaviest sequence up to each rank. */
  const bestPlaces = new Int32Array(values.length + 1).fill(-1)
  const weights = new Float64Array(values.length)
  const previous = new Int32Array(values.length).fill(-1)
  const weightOf = (place: number): number => (place < 0 ? 0 : (weights[place] ?? 0))
  let heaviest = -1
  for (let place = 0; place < values.length; place += 1) {
    const rank = rankOfPlace[place] ?? 0
    let best = -1
    for (let node = rank - 1; node > 0; node -= node & -node) {
      const candidate = bestPlaces[node] ?? -1
      if (weightOf(candidate) > weightOf(best)) best = candidate
    }
    previous[place] = best
    weights[place] = weightOf(best) + MEMBER_WEIGHT + (isLikelyMoved(place) ? 0 : 1)
    for (let node = rank; node <= values.length; node += node & -node) {
      if (weightOf(bestPlaces[node] ?? -1) < weightOf(place)) bestPlaces[node] = place
    }
    if (weightOf(place) > weightOf(heaviest)) heaviest = place
  }
  for (let place = heaviest; place >= 0; place = previous[place] ?? -1) marks[place] = 1
  return marks
}
