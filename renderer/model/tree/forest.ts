// Holds a mind map of up to a million cards in typed arrays, links the cards of its pages and lists
// the visible rows. The store `renderer/stores/tree.ts` loads the pages, `renderer/components/tree`
// draws the tree. Read tree-chunk.ts first, then this file and tree-reader.ts.

import { ChunkList, type StoredChunk } from './chunk-list.ts'
import { type NodeProblemKind, createProblemLists, type TreeChunk, PENDING_PARENT } from './tree-chunk.ts'
import { growArray, clampExpectedCardCount } from './array-growth.ts'

/** The card's parents must lead into a circle. Returns its card with the lowest index. */
function findLowestInCircle(cards: { getParent(index: number): number }, index: number): number {
  const visited = new Set<number>()
  let current = index
  while (!visited.has(current)) {
    visited.add(current)
    current = cards.getParent(current)
  }
  let lowest = current
  for (let next = cards.getParent(current); next !== current; next = cards.getParent(next))
    lowest = Math.min(lowest, next)
  return lowest
}

const NONE = -1

/**
 * The cards of a listing as a forest in typed arrays: about 30 bytes per card besides title and id.
 * Appending a chunk takes time proportional to its size, and siblings keep the host's order. The
 * forest contains every node exactly once even if the host sends wrong parents: a node without a
 * reachable parent is at the top and is listed as a problem.
 */
export class Forest {
  readonly #chunks = new ChunkList()
  #count = 0
  #rootCount = 0
  #firstRoot = NONE
  #lastRoot = NONE
  #parent = new Int32Array(0)
  #firstChild = new Int32Array(0)
  #lastChild = new Int32Array(0)
  #next = new Int32Array(0)
  #previous = new Int32Array(0)
  #childCount = new Uint32Array(0)
  #hasProblem = new Uint8Array(0)
  #lateLinkCount = 0
  #pendingCount = 0
  /** 1 if the node is expanded. */
  expanded = new Uint8Array(0)
  /** Nodes with problems, by kind, in the order in which the problems were found. */
  readonly problems = createProblemLists()

  get count(): number {
    return this.#count
  }

  get rootCount(): number {
    return this.#rootCount
  }

  /** Number of nodes that are at the top only until their parent arrives. */
  get pendingCount(): number {
    return this.#pendingCount
  }

  /** Reserves memory for all announced nodes at once. */
  reserve(total: number): void {
    this.#reserve(clampExpectedCardCount(total))
  }

  appendChunk(chunk: TreeChunk): void {
    const end = chunk.start + chunk.count
    this.#reserve(end)
    const { parents, resolvedParents, problems, ...stored } = chunk
    this.#chunks.add(stored)
    this.#count = end
    // All nodes are initialized before links, because a parent may follow on the same page.
    this.#firstChild.fill(NONE, chunk.start, end)
    this.#lastChild.fill(NONE, chunk.start, end)
    // Pending children precede this page in the listing, so they become first children.
    for (let index = 0; index + 1 < resolvedParents.length; index += 2) {
      this.#relink(resolvedParents[index] ?? 0, resolvedParents[index + 1] ?? 0)
      this.#pendingCount -= 1
      this.#lateLinkCount += 1
    }
    for (let row = 0; row < chunk.count; row += 1) {
      const index = chunk.start + row
      const parent = parents[row] ?? NONE
      if (parent === PENDING_PARENT) this.#pendingCount += 1
      this.#link(index, parent)
      // A circle needs at least one link to a parent that comes later in the listing.
      if (parent > index) this.#lateLinkCount += 1
    }
    for (const { kind, index } of problems) this.#report(kind, index)
  }

  /**
   * Finds the problems that show only after the last page: a pending node has a parent that the
   * host did not send, and a node without a path to a root is in or below a circle. Each circle is
   * cut at the card that the host sent first.
   * @param isComplete false if only a part of the listing was loaded, so that unknown parents may
   *   follow. No chunk may be appended to a complete listing.
   */
  finishLoading(isComplete: boolean): void {
    // If every card at the top names a parent that is not listed, that is how this host marks the
    // top: the spec (part 2) does not show the parent of a card without one.
    // Cards at which a previous call cut a circle are at the top, too.
    const isTopUnlisted = this.#pendingCount === this.#rootCount - this.problems.cycle.length
    if (isComplete && this.#pendingCount > 0 && !isTopUnlisted) {
      for (let index = 0; index < this.#count; index += 1)
        if (this.#parent[index] === PENDING_PARENT) this.#report('unknown-parent', index)
    }
    if (this.#lateLinkCount > 0) this.#cutCircles()
    if (!isComplete) return
    this.#lastChild = new Int32Array(0)
    this.#previous = new Int32Array(0)
  }

  /** Returns -1 for a card at the top. */
  getParent(index: number): number {
    return Math.max(NONE, this.#parent[index] ?? NONE)
  }

  /** Negative for none. The arrays are replaced when the forest grows: never keep them. */
  get linkColumns(): Readonly<Record<'parent' | 'first' | 'next', Int32Array>> {
    return { parent: this.#parent, first: this.#firstChild, next: this.#next }
  }

  /** Numbers of children and problems of all cards. Callers must not keep the arrays either. */
  get countColumns(): { readonly children: Uint32Array; readonly problem: Uint8Array } {
    return { children: this.#childCount, problem: this.#hasProblem }
  }

  getFirstChild(index: number): number {
    return this.#firstChild[index] ?? NONE
  }

  getNextSibling(index: number): number {
    return this.#next[index] ?? NONE
  }

  get firstRoot(): number {
    return this.#firstRoot
  }

  getChildCount(index: number): number {
    return this.#childCount[index] ?? 0
  }

  /** Number of children of the node's parent, or of roots: the node itself counts. */
  getSiblingCount(index: number): number {
    const parent = this.getParent(index)
    return parent < 0 ? this.rootCount : this.getChildCount(parent)
  }

  /** Returns the nodes from the root down to the node itself. */
  getPath(index: number): number[] {
    // The loop must end even if the node is in a circle that has not been cut yet.
    const path = new Set<number>()
    for (let current = index; current >= 0 && !path.has(current); current = this.getParent(current)) path.add(current)
    return [...path].reverse()
  }

  getTitle(index: number): string {
    return this.#chunks.getTitle(index)
  }

  hasTitle(index: number): boolean {
    return this.#chunks.hasTitle(index)
  }

  /** Returns the title, `untitled` if the host sent it as empty, or the id if it sent none. */
  formatTitle(index: number, untitled: string): string {
    return this.getTitle(index) || (this.hasTitle(index) ? untitled : this.getNoteid(index) || '—')
  }

  /** The pages of the listing in the order of their arrival. */
  get chunks(): readonly StoredChunk[] {
    return this.#chunks.chunks
  }

  /** Titles of cards that were renamed after loading. */
  get changedTitles(): ReadonlyMap<number, string> {
    return this.#chunks.changedTitles
  }

  setTitle = (index: number, title: string): void => this.#chunks.setTitle(index, title)

  getNoteid(index: number): string {
    return this.#chunks.getNoteid(index)
  }

  getDocPage(index: number): number {
    return this.#chunks.getDocPage(index)
  }

  getDocBook(index: number): string {
    return this.#chunks.getDocBook(index)
  }

  isSubMap(index: number): boolean {
    return this.#chunks.isSubMap(index)
  }

  isDuplicate(index: number): boolean {
    return this.#chunks.isDuplicate(index)
  }

  getListingPage(index: number): number {
    return this.#chunks.getListingPage(index)
  }

  hasProblem(index: number): boolean {
    return this.#hasProblem[index] === 1
  }

  /** Marks a node with a problem that is not visible in the listing. */
  markProblem(index: number): void {
    if (index < this.#count) this.#hasProblem[index] = 1
  }

  #report(kind: NodeProblemKind, index: number): void {
    this.problems[kind].push(index)
    this.markProblem(index)
  }

  #reserve(length: number): void {
    this.#parent = growArray(this.#parent, length)
    this.#firstChild = growArray(this.#firstChild, length)
    this.#lastChild = growArray(this.#lastChild, length)
    this.#next = growArray(this.#next, length)
    this.#previous = growArray(this.#previous, length)
    this.#childCount = growArray(this.#childCount, length)
    this.#hasProblem = growArray(this.#hasProblem, length)
    this.expanded = growArray(this.expanded, length)
  }

  /** Adds a node after the last child of its new parent, or at the top without one. */
  #link(index: number, parent: number): void {
    const previous = parent < 0 ? this.#lastRoot : (this.#lastChild[parent] ?? NONE)
    this.#parent[index] = parent
    this.#previous[index] = previous
    this.#next[index] = NONE
    if (previous >= 0) this.#next[previous] = index
    else if (parent < 0) this.#firstRoot = index
    else this.#firstChild[parent] = index
    if (parent < 0) {
      this.#lastRoot = index
      this.#rootCount += 1
    } else {
      this.#lastChild[parent] = index
      this.#childCount[parent] = (this.#childCount[parent] ?? 0) + 1
    }
  }

  #relink(index: number, parent: number): void {
    const oldParent = this.#parent[index] ?? NONE
    const previous = this.#previous[index] ?? NONE
    const next = this.#next[index] ?? NONE
    if (previous >= 0) this.#next[previous] = next
    else if (oldParent < 0) this.#firstRoot = next
    else this.#firstChild[oldParent] = next
    if (next >= 0) this.#previous[next] = previous
    else if (oldParent < 0) this.#lastRoot = previous
    else this.#lastChild[oldParent] = previous
    if (oldParent < 0) this.#rootCount -= 1
    else this.#childCount[oldParent] = (this.#childCount[oldParent] ?? 1) - 1
    this.#link(index, parent)
  }

  #cutCircles(): void {
    const visited = new Uint8Array(this.#count)
    for (let root = this.#firstRoot; root >= 0; root = this.getNextSibling(root)) this.#visitSubtree(root, visited)
    const rootCountBefore = this.#rootCount
    for (let index = 0; index < this.#count; index += 1) {
      if (visited[index] === 1) continue
      const lowest = findLowestInCircle(this, index)
      this.#relink(lowest, NONE)
      this.#report('cycle', lowest)
      this.#visitSubtree(lowest, visited)
    }
    if (this.#rootCount > rootCountBefore) this.#orderRoots()
  }

  /** Restores the host's order of the roots, which the cutting of circles changes. */
  #orderRoots(): void {
    this.#rootCount = 0
    this.#firstRoot = NONE
    this.#lastRoot = NONE
    for (let index = 0; index < this.#count; index += 1) {
      const parent = this.#parent[index] ?? NONE
      if (parent < 0) this.#link(index, parent)
    }
  }

  #visitSubtree(root: number, visited: Uint8Array): void {
    const stack = [root]
    for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
      if (visited[index] === 1) continue
      visited[index] = 1
      for (let child = this.getFirstChild(index); child >= 0; child = this.getNextSibling(child)) stack.push(child)
    }
  }
}
