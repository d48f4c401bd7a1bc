import { growArray } from '../tree/array-growth.ts'

/** The rows of a mind map in preorder, with the sizes of their boxes. */
export interface BranchRows {
  /** Row of the parent; -1 for a root. */
  readonly parents: Int32Array
  /** The row after the last row below each row. */
  readonly ends: Int32Array
  /** Position in the direction of growth. Boxes of branches that share a position never overlap. */
  readonly along: Float32Array
  readonly alongSizes: Float32Array
  readonly acrossSizes: Float32Array
}

/** No outline continues at the first row, which is a root. */
const NONE = 0

/**
 * Places branches as tightly as their outlines allow: children in their order, parents centered on
 * their children, no two boxes closer than their sizes. Takes linear time and no recursion, however
 * deep or wide the branch is. The method is the one of A. van der Ploeg, "Drawing non-layered tidy
 * trees in linear time" (2014); names of the paper are in brackets.
 */
export class TidyBranchLayout {
  readonly #rows: BranchRows
  /** Position relative to the parent [prelim], without the shift of the whole branch [mod]. */
  readonly #offset: Float64Array
  readonly #branchShift: Float64Array
  /** Shifts to spread over the children between two that were moved apart [shift, change]. */
  readonly #spread: Float64Array
  readonly #spreadChange: Float64Array
  /** The next row of the outline below the last row of a branch [tl, tr]. */
  readonly #nextBefore: Int32Array
  readonly #nextAfter: Int32Array
  /** The last row of both outlines of a branch, and the sum of the shifts up to it [el, er]. */
  readonly #lastBefore: Int32Array
  readonly #lastAfter: Int32Array
  readonly #lastBeforeSum: Float64Array
  readonly #lastAfterSum: Float64Array
  readonly #lastChild: Int32Array
  #children = new Int32Array(64)
  #childCount = 0
  /** Siblings whose branches reach furthest, the lowest reach last [IYL]. */
  #reachIndexes = new Int32Array(64)
  #reaches = new Float64Array(64)
  #reachCount = 0

  constructor(rows: BranchRows) {
    const length = rows.parents.length
    this.#rows = rows
    this.#offset = new Float64Array(length)
    this.#branchShift = new Float64Array(length)
    this.#spread = new Float64Array(length)
    this.#spreadChange = new Float64Array(length)
    this.#nextBefore = new Int32Array(length)
    this.#nextAfter = new Int32Array(length)
    this.#lastBefore = new Int32Array(length)
    this.#lastAfter = new Int32Array(length)
    this.#lastBeforeSum = new Float64Array(length)
    this.#lastAfterSum = new Float64Array(length)
    this.#lastChild = new Int32Array(length)
  }

  /** Places rows `from` to `end`. `across` gets where boxes begin, from the root's middle. */
  place(root: number, from: number, end: number, across: Float64Array): void {
    // A root is placed once for each side; the arrays are zero for all other rows.
    this.#offset[root] = 0
    // A row comes before all rows below it, so this order finishes each branch before its parent.
    for (let row = end - 1; row >= from; row -= 1) this.#placeChildren(row, row + 1, this.#rows.ends[row] ?? 0)
    this.#placeChildren(root, from, end)
    this.#resolve(root, from, end, across)
  }

  #placeChildren(row: number, from: number, end: number): void {
    if (from === end) {
      this.#lastBefore[row] = row
      this.#lastAfter[row] = row
      return
    }
    this.#listChildren(from, end)
    const count = this.#childCount
    const first = this.#child(0)
    this.#reachCount = 0
    this.#addReach(this.#endAlong(this.#lastBefore[first] ?? 0), 0)
    for (let index = 1; index < count; index += 1) {
      const reach = this.#endAlong(this.#lastAfter[this.#child(index)] ?? 0)
      this.#moveApart(index)
      this.#addReach(reach, index)
    }
    const last = this.#child(count - 1)
    this.#lastChild[row] = last
    const begin = (this.#offset[first] ?? 0) + (this.#branchShift[first] ?? 0)
    const limit = (this.#offset[last] ?? 0) + (this.#branchShift[last] ?? 0) + (this.#rows.acrossSizes[last] ?? 0)
    this.#offset[row] = (begin + limit - (this.#rows.acrossSizes[row] ?? 0)) / 2
    this.#lastBefore[row] = this.#lastBefore[first] ?? 0
    this.#lastBeforeSum[row] = this.#lastBeforeSum[first] ?? 0
    this.#lastAfter[row] = this.#lastAfter[last] ?? 0
    this.#lastAfterSum[row] = this.#lastAfterSum[last] ?? 0
  }

  #listChildren(from: number, end: number): void {
    this.#childCount = 0
    for (let row = from; row < end; row = this.#rows.ends[row] ?? end) {
      this.#children = growArray(this.#children, this.#childCount + 1)
      this.#children[this.#childCount] = row
      this.#childCount += 1
    }
  }

  #child(index: number): number {
    return this.#children[index] ?? 0
  }

  #endAlong(row: number): number {
    return (this.#rows.along[row] ?? 0) + (this.#rows.alongSizes[row] ?? 0)
  }

  /** Moves the branch of a child away from all earlier branches that it would touch [separate]. */
  #moveApart(index: number): void {
    const { acrossSizes, ends } = this.#rows
    let reach = this.#reachCount - 1
    let before = this.#child(index - 1)
    let beforeSum = this.#branchShift[before] ?? 0
    let after = this.#child(index)
    let afterSum = this.#branchShift[after] ?? 0
    /** A branch first comes next to its sibling, even if its own children put it further away. */
    let isFirst = true
    while (before !== NONE && after !== NONE) {
      const beforeEnd = this.#endAlong(before)
      const afterEnd = this.#endAlong(after)
      if (beforeEnd > (this.#reaches[reach] ?? 0) && reach > 0) reach -= 1
      const overlap =
        beforeSum + (this.#offset[before] ?? 0) + (acrossSizes[before] ?? 0) - (afterSum + (this.#offset[after] ?? 0))
      if (overlap > 0 || isFirst) {
        afterSum += overlap
        this.#moveChild(index, this.#reachIndexes[reach] ?? 0, overlap)
      }
      isFirst = false
      if (beforeEnd <= afterEnd) {
        const isLeaf = (this.#lastChild[before] ?? NONE) === NONE
        before = (isLeaf ? this.#nextAfter[before] : this.#lastChild[before]) ?? NONE
        if (before !== NONE) beforeSum += this.#branchShift[before] ?? 0
      }
      if (beforeEnd >= afterEnd) {
        const isLeaf = (ends[after] ?? 0) === after + 1
        after = isLeaf ? (this.#nextBefore[after] ?? NONE) : after + 1
        if (after !== NONE) afterSum += this.#branchShift[after] ?? 0
      }
    }
    if (before === NONE && after !== NONE) this.#continueBefore(index, after, afterSum)
    else if (before !== NONE && after === NONE) this.#continueAfter(index, before, beforeSum)
  }

  /** Moves a child, and spreads the siblings between it and the one that it touched. */
  #moveChild(index: number, touched: number, distance: number): void {
    const child = this.#child(index)
    this.#add(this.#branchShift, child, distance)
    this.#add(this.#lastBeforeSum, child, distance)
    this.#add(this.#lastAfterSum, child, distance)
    const gaps = index - touched
    if (gaps <= 1) return
    this.#add(this.#spread, this.#child(touched + 1), distance / gaps)
    this.#add(this.#spread, child, -distance / gaps)
    this.#add(this.#spreadChange, child, -(distance - distance / gaps))
  }

  #continueBefore(index: number, next: number, sum: number): void {
    const [first, child] = [this.#child(0), this.#child(index)]
    const last = this.#lastBefore[first] ?? 0
    this.#nextBefore[last] = next
    const difference = sum - (this.#branchShift[next] ?? 0) - (this.#lastBeforeSum[first] ?? 0)
    this.#add(this.#branchShift, last, difference)
    this.#add(this.#offset, last, -difference)
    this.#lastBefore[first] = this.#lastBefore[child] ?? 0
    this.#lastBeforeSum[first] = this.#lastBeforeSum[child] ?? 0
  }

  #continueAfter(index: number, next: number, sum: number): void {
    const [previous, child] = [this.#child(index - 1), this.#child(index)]
    const last = this.#lastAfter[child] ?? 0
    this.#nextAfter[last] = next
    const difference = sum - (this.#branchShift[next] ?? 0) - (this.#lastAfterSum[child] ?? 0)
    this.#add(this.#branchShift, last, difference)
    this.#add(this.#offset, last, -difference)
    this.#lastAfter[child] = this.#lastAfter[previous] ?? 0
    this.#lastAfterSum[child] = this.#lastAfterSum[previous] ?? 0
  }

  #addReach(reach: number, index: number): void {
    while (this.#reachCount > 0 && reach >= (this.#reaches[this.#reachCount - 1] ?? 0)) this.#reachCount -= 1
    this.#reaches = growArray(this.#reaches, this.#reachCount + 1)
    this.#reachIndexes = growArray(this.#reachIndexes, this.#reachCount + 1)
    this.#reaches[this.#reachCount] = reach
    this.#reachIndexes[this.#reachCount] = index
    this.#reachCount += 1
  }

  #add(values: Float64Array, row: number, value: number): void {
    values[row] = (values[row] ?? 0) + value
  }

  /** Adds up the shifts from the root down [secondWalk]. */
  #resolve(root: number, from: number, end: number, across: Float64Array): void {
    // The sums of the last rows are no longer needed, and hold the sums from the root now.
    const sums = this.#lastBeforeSum
    const middle = (this.#offset[root] ?? 0) + (this.#rows.acrossSizes[root] ?? 0) / 2
    sums[root] = 0
    across[root] = (this.#offset[root] ?? 0) - middle
    this.#spreadChildren(from, end)
    for (let row = from; row < end; row += 1) {
      const sum = (sums[this.#rows.parents[row] ?? root] ?? 0) + (this.#branchShift[row] ?? 0)
      sums[row] = sum
      across[row] = (this.#offset[row] ?? 0) + sum - middle
      this.#spreadChildren(row + 1, this.#rows.ends[row] ?? 0)
    }
  }

  #spreadChildren(from: number, end: number): void {
    let distance = 0
    let sum = 0
    for (let child = from; child < end; child = this.#rows.ends[child] ?? end) {
      distance += this.#spread[child] ?? 0
      sum += distance + (this.#spreadChange[child] ?? 0)
      this.#add(this.#branchShift, child, sum)
    }
  }
}
