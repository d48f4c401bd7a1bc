import { ChunkList } from './chunk-list.ts'
import { type NodeProblemKind, createProblemLists, type TreeChunk, PENDING_PARENT } from './tree-chunk.ts'
import { growArray, clampExpectedCount } from './array-growth.ts'

/** The card with the lowest index in the circle that a card's parents lead into. There must be one. */
function lowestInCircle(cards: { parent(index: number): number }, index: number): number {
  const steps = new Set<number>()
  let at = index
  while (!steps.has(at)) {
    steps.add(at)
    at = cards.parent(at)
  }
  let lowest = at
  for (let around = cards.parent(at); around !== at; around = cards.parent(around)) lowest = Math.min(lowest, around)
  return lowest
}

const NONE = -1

/**
 * The cards of a listing as a forest over typed arrays: about 30 bytes per card besides its title and id. Chunks are appended as they
 * arrive, each in time proportional to its size; siblings keep the host's order. Whatever the host says about parents, every node is in
 * the forest exactly once: a node without a reachable parent is at the top, and is listed as a problem.
 */
export class Forest {
  readonly #chunks = new ChunkList()
  #count = 0
  #roots = 0
  #firstRoot = NONE
  #lastRoot = NONE
  #parent = new Int32Array(0)
  #first = new Int32Array(0)
  #last = new Int32Array(0)
  #next = new Int32Array(0)
  #previous = new Int32Array(0)
  #children = new Uint32Array(0)
  #suspect = new Uint8Array(0)
  #lateLinks = 0
  #waiting = 0
  /** 1 if a node with children is open. */
  expanded = new Uint8Array(0)
  /** Nodes with problems, by kind, in the order in which they were found. */
  readonly problems = createProblemLists()

  get count(): number {
    return this.#count
  }

  get rootCount(): number {
    return this.#roots
  }

  /** Number of nodes whose parent has not arrived yet; until then they are at the top. */
  get pendingCount(): number {
    return this.#waiting
  }

  /** `nodeTotal` of the listing, so that room is made once. */
  reserve(total: number): void {
    this.#reserve(clampExpectedCount(total))
  }

  appendChunk(chunk: TreeChunk): void {
    const end = chunk.start + chunk.count
    this.#reserve(end)
    this.#chunks.add(chunk)
    this.#count = end
    // All at once, before the first link, because a parent may come later on the same page.
    this.#first.fill(NONE, chunk.start, end)
    this.#last.fill(NONE, chunk.start, end)
    // Children that waited came before everything on this page, so they go first below their parent.
    for (let at = 0; at + 1 < chunk.resolvedParents.length; at += 2) {
      this.#relink(chunk.resolvedParents[at] ?? 0, chunk.resolvedParents[at + 1] ?? 0)
      this.#waiting -= 1
      this.#lateLinks += 1
    }
    for (let n = 0; n < chunk.count; n += 1) {
      const index = chunk.start + n
      const parent = chunk.parents[n] ?? NONE
      if (parent === PENDING_PARENT) this.#waiting += 1
      this.#link(index, parent < 0 ? NONE : parent)
      // A parent later in the listing: only such links can close a circle.
      if (parent > index) this.#lateLinks += 1
    }
    for (const { kind, index } of chunk.problems) this.#report(kind, index)
  }

  /**
   * Everything has arrived: a node that still waits has a parent that the host does not know, and a node that no root leads to is in or
   * below a circle. Each circle is cut at the card that the host sent first. `unknownAreProblems` is false for a partial listing.
   */
  finishLoading(unknownAreProblems: boolean): void {
    if (unknownAreProblems && this.#waiting > 0) {
      // A circle that was cut after an earlier stop is at the top too, but its parent is known.
      const cut = new Set(this.problems.cycle)
      for (const index of this.#chunks.indexesWithParent(PENDING_PARENT)) {
        if (this.#parent[index] === NONE && !cut.has(index)) this.#report('unknown-parent', index)
      }
    }
    if (this.#lateLinks > 0) this.#cutCircles()
  }

  parent(index: number): number {
    return this.#parent[index] ?? NONE
  }

  /** The columns of parents, first children and next siblings (negative = none), for whoever goes through all cards. Not to be kept. */
  get linkColumns(): Readonly<Record<'parent' | 'first' | 'next', Int32Array>> {
    return { parent: this.#parent, first: this.#first, next: this.#next }
  }

  firstChild(index: number): number {
    return this.#first[index] ?? NONE
  }

  nextSibling(index: number): number {
    return this.#next[index] ?? NONE
  }

  get firstRoot(): number {
    return this.#firstRoot
  }

  childCount(index: number): number {
    return this.#children[index] ?? 0
  }

  /** From the top down to the node itself. */
  path(index: number): number[] {
    // A circle that is not cut yet ends where it closes.
    const path = new Set<number>()
    for (let at = index; at >= 0 && !path.has(at); at = this.parent(at)) path.add(at)
    return [...path].reverse()
  }

  title(index: number): string {
    return this.#chunks.title(index)
  }

  /** A card has another title than its page said. */
  setTitle = (index: number, title: string): void => this.#chunks.setTitle(index, title)

  noteid(index: number): string {
    return this.#chunks.noteid(index)
  }

  docPage(index: number): number {
    return this.#chunks.docPage(index)
  }

  docBook(index: number): string {
    return this.#chunks.docBook(index)
  }

  isSubMap(index: number): boolean {
    return this.#chunks.isSubMap(index)
  }

  isDuplicate(index: number): boolean {
    return this.#chunks.isDuplicate(index)
  }

  /** Which page of the listing a node came with, from 0. */
  pageOf(index: number): number {
    return this.#chunks.pageOf(index)
  }

  /** Whether anything is wrong with a node. */
  hasProblem(index: number): boolean {
    return this.#suspect[index] === 1
  }

  /** Marks a node that has something wrong with it that the listing itself does not show. */
  markProblem(index: number): void {
    if (index < this.#count) this.#suspect[index] = 1
  }

  #report(kind: NodeProblemKind, index: number): void {
    this.problems[kind].push(index)
    this.markProblem(index)
  }

  #reserve(length: number): void {
    this.#parent = growArray(this.#parent, length)
    this.#first = growArray(this.#first, length)
    this.#last = growArray(this.#last, length)
    this.#next = growArray(this.#next, length)
    this.#previous = growArray(this.#previous, length)
    this.#children = growArray(this.#children, length)
    this.#suspect = growArray(this.#suspect, length)
    this.expanded = growArray(this.expanded, length)
  }

  /** Puts a node after the last child of its new parent; `NONE` is the top. */
  #link(index: number, parent: number): void {
    const before = parent < 0 ? this.#lastRoot : (this.#last[parent] ?? NONE)
    this.#parent[index] = parent
    this.#previous[index] = before
    this.#next[index] = NONE
    if (before >= 0) this.#next[before] = index
    else if (parent < 0) this.#firstRoot = index
    else this.#first[parent] = index
    if (parent < 0) {
      this.#lastRoot = index
      this.#roots += 1
    } else {
      this.#last[parent] = index
      this.#children[parent] = (this.#children[parent] ?? 0) + 1
    }
  }

  #relink(index: number, parent: number): void {
    const old = this.#parent[index] ?? NONE
    const before = this.#previous[index] ?? NONE
    const after = this.#next[index] ?? NONE
    if (before >= 0) this.#next[before] = after
    else if (old < 0) this.#firstRoot = after
    else this.#first[old] = after
    if (after >= 0) this.#previous[after] = before
    else if (old < 0) this.#lastRoot = before
    else this.#last[old] = before
    if (old < 0) this.#roots -= 1
    else this.#children[old] = (this.#children[old] ?? 1) - 1
    this.#link(index, parent)
  }

  #cutCircles(): void {
    const seen = new Uint8Array(this.#count)
    for (let root = this.#firstRoot; root >= 0; root = this.nextSibling(root)) this.#mark(root, seen)
    const before = this.#roots
    for (let index = 0; index < this.#count; index += 1) {
      if (seen[index] === 1) continue
      const cut = lowestInCircle(this, index)
      this.#relink(cut, NONE)
      this.#report('cycle', cut)
      this.#mark(cut, seen)
    }
    if (this.#roots > before) this.#orderRoots()
  }

  /** Restores the host's order at the top, because a circle is cut last, wherever it was. */
  #orderRoots(): void {
    this.#roots = 0
    this.#firstRoot = NONE
    this.#lastRoot = NONE
    for (let index = 0; index < this.#count; index += 1) if (this.#parent[index] === NONE) this.#link(index, NONE)
  }

  #mark(root: number, seen: Uint8Array): void {
    const stack = [root]
    for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
      if (seen[index] === 1) continue
      seen[index] = 1
      for (let child = this.firstChild(index); child >= 0; child = this.nextSibling(child)) stack.push(child)
    }
  }
}
