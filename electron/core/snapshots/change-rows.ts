import type { CardChange, SnapshotDifference } from '../../../shared/snapshots/compare.ts'
import { getChildEnd, getChildStart, NO_PARENT, type Forest } from '../../../shared/snapshots/forest.ts'

/**
 * A line of the tree of changes. `change` and `ghost` refer to a change by its index: a ghost
 * stands where a card was before it was moved to another parent. `context` is a card above changes
 * that did not change itself. `gap` stands for cards in a row without changes, those below them
 * included.
 */
export type ChangeRow =
  | { readonly kind: 'change' | 'ghost'; readonly depth: number; readonly change: number }
  | { readonly kind: 'context'; readonly depth: number; readonly card: number }
  | { readonly kind: 'gap'; readonly depth: number; readonly count: number }

interface Insertion {
  /** Index before. */
  readonly card: number
  readonly change: number
  readonly isGhost: boolean
}

/** A list of siblings that is being written. */
interface Level {
  /** The next place in the list of children, and where it ends. */
  place: number
  readonly end: number
  readonly depth: number
  /** Cards without changes that were passed since the last row. */
  gap: number
  /** Cards that stand behind the parent once the list has ended. */
  readonly insertionsBehind: readonly Insertion[]
}

const AT_START = -1

/**
 * Lays out changes as a tree: the cards after the change in their order, removed cards and ghosts
 * behind the sibling that they followed, and what did not change folded into gaps. Iterative,
 * because a tree may be as deep as it is large.
 */
export function layOutChanges(before: Forest, after: Forest, { changes, pairs }: SnapshotDifference): ChangeRow[] {
  return new ChangeLayout(before, after, changes, pairs).layOut()
}

class ChangeLayout {
  readonly #before: Forest
  readonly #after: Forest
  readonly #changes: readonly CardChange[]
  readonly #pairs: Int32Array
  /** For each card after: 1 + the index of its change, or 0. */
  readonly #changeOfCard: Uint32Array
  /** Changes of removed cards and of cards with another parent, by index before. */
  readonly #removedChange = new Map<number, number>()
  readonly #ghosts = new Map<number, number>()
  /** 1 for cards that are shown because of themselves or of a card below them. */
  readonly #isShown: Uint8Array
  readonly #hasRowsBelow: Uint8Array
  /** Keyed by the card after which they stand, or by parent for those that stand first. */
  readonly #insertionsBehind = new Map<number, Insertion[]>()
  readonly #insertionsFirst = new Map<number, Insertion[]>()
  readonly #rows: ChangeRow[] = []

  constructor(before: Forest, after: Forest, changes: readonly CardChange[], pairs: Int32Array) {
    this.#before = before
    this.#after = after
    this.#changes = changes
    this.#pairs = pairs
    this.#changeOfCard = new Uint32Array(after.count)
    this.#isShown = new Uint8Array(after.count)
    this.#hasRowsBelow = new Uint8Array(after.count)
  }

  layOut(): ChangeRow[] {
    for (const [index, change] of this.#changes.entries()) {
      if (change.after < 0) {
        this.#removedChange.set(change.before, index)
        continue
      }
      this.#changeOfCard[change.after] = index + 1
      this.#show(change.after)
      const isReparented =
        change.before >= 0 && this.#before.parentIds[change.before] !== this.#after.parentIds[change.after]
      if (isReparented) this.#ghosts.set(change.before, index)
    }
    this.#placeInsertions()
    this.#writeRows()
    return this.#rows
  }

  #show(card: number): void {
    let index = card
    while (index !== NO_PARENT && this.#isShown[index] === 0) {
      this.#isShown[index] = 1
      index = this.#after.parents[index] ?? NO_PARENT
      if (index !== NO_PARENT) this.#hasRowsBelow[index] = 1
    }
  }

  /** Attaches removed cards and ghosts to the place where their parent is now. */
  #placeInsertions(): void {
    const parents = new Set<number>()
    for (const card of [...this.#removedChange.keys(), ...this.#ghosts.keys()]) {
      const parent = this.#before.parents[card] ?? NO_PARENT
      // Cards below a removed card are shown below it.
      if (parent === NO_PARENT || !this.#removedChange.has(parent)) parents.add(parent)
    }
    for (const parent of parents) {
      const place = parent === NO_PARENT ? NO_PARENT : (this.#pairs[parent] ?? -1)
      if (parent !== NO_PARENT && place < 0) continue
      if (place !== NO_PARENT) {
        this.#show(place)
        this.#hasRowsBelow[place] = 1
      }
      let sibling = AT_START
      for (const child of this.#listChildrenBefore(parent)) {
        const insertion = this.#toInsertion(child)
        const pair = this.#pairs[child] ?? -1
        if (insertion) {
          const [map, key] = sibling === AT_START ? [this.#insertionsFirst, place] : [this.#insertionsBehind, sibling]
          const list = map.get(key)
          if (list) list.push(insertion)
          else map.set(key, [insertion])
        } else if (pair >= 0 && this.#after.parents[pair] === place) sibling = pair
      }
    }
  }

  #toInsertion(card: number): Insertion | null {
    const removed = this.#removedChange.get(card)
    if (removed !== undefined) return { card, change: removed, isGhost: false }
    const ghost = this.#ghosts.get(card)
    return ghost === undefined ? null : { card, change: ghost, isGhost: true }
  }

  #listChildrenBefore(parent: number): Uint32Array {
    return this.#before.children.subarray(getChildStart(this.#before, parent), getChildEnd(this.#before, parent))
  }

  #writeRows(): void {
    const levels = [this.#enterLevel(NO_PARENT, 0, [])]
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      if (level.place >= level.end) {
        this.#writeGap(level)
        levels.pop()
        this.#writeInsertions(level.insertionsBehind, level.depth - 1)
        continue
      }
      const card = this.#after.children[level.place] ?? 0
      level.place += 1
      const insertions = this.#insertionsBehind.get(card) ?? []
      if (this.#isShown[card] === 1) {
        this.#writeGap(level)
        this.#writeCard(card, level.depth)
        if (this.#hasRowsBelow[card] === 1) {
          levels.push(this.#enterLevel(card, level.depth + 1, insertions))
          continue
        }
      } else level.gap += this.#after.sizes[card] ?? 0
      if (insertions.length > 0) {
        this.#writeGap(level)
        this.#writeInsertions(insertions, level.depth)
      }
    }
  }

  #enterLevel(parent: number, depth: number, insertionsBehind: readonly Insertion[]): Level {
    this.#writeInsertions(this.#insertionsFirst.get(parent) ?? [], depth)
    const place = getChildStart(this.#after, parent)
    return { place, end: getChildEnd(this.#after, parent), depth, gap: 0, insertionsBehind }
  }

  #writeCard(card: number, depth: number): void {
    const change = this.#changeOfCard[card] ?? 0
    if (change > 0) this.#rows.push({ kind: 'change', depth, change: change - 1 })
    else this.#rows.push({ kind: 'context', depth, card })
  }

  #writeGap(level: Level): void {
    if (level.gap > 0) this.#rows.push({ kind: 'gap', depth: level.depth, count: level.gap })
    level.gap = 0
  }

  /** Writes removed cards with what was below them and was removed, or moved away, as well. */
  #writeInsertions(insertions: readonly Insertion[], depth: number): void {
    const stack = insertions.map((insertion) => ({ insertion, depth })).reverse()
    for (let entry = stack.pop(); entry; entry = stack.pop()) {
      const { insertion } = entry
      this.#rows.push({ kind: insertion.isGhost ? 'ghost' : 'change', depth: entry.depth, change: insertion.change })
      if (insertion.isGhost) continue
      for (const child of this.#listChildrenBefore(insertion.card).toReversed()) {
        const below = this.#toInsertion(child)
        if (below) stack.push({ insertion: below, depth: entry.depth + 1 })
      }
    }
  }
}
