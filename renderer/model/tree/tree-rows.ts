import type { Forest } from './forest.ts'
import { growArray } from './array-growth.ts'

/** The rows of a tree from top to bottom. */
export interface TreeRows {
  readonly length: number
  readonly nodes: Uint32Array
  readonly depths: Uint32Array
  /** Position of the node among its siblings, from 1. */
  readonly positions: Uint32Array
}

export const emptyTreeRows: TreeRows = {
  length: 0,
  nodes: new Uint32Array(0),
  depths: new Uint32Array(0),
  positions: new Uint32Array(0),
}

/** A filter shows matches and their ancestors. */
export interface TreeFilter {
  readonly marks: Uint8Array
  /** 1 if there is a match below the card, even if the card is a match itself. */
  readonly matchBelow: Uint8Array
  readonly matches: Uint32Array
}

export function createTreeFilter(forest: Forest, matches: Uint32Array): TreeFilter {
  const { parent } = forest.linkColumns
  const hasMatchBelow = new Uint8Array(forest.count)
  for (const match of matches) {
    for (
      let ancestor = parent[match] ?? -1;
      ancestor >= 0 && hasMatchBelow[ancestor] === 0;
      ancestor = parent[ancestor] ?? -1
    )
      hasMatchBelow[ancestor] = 1
  }
  const marks = hasMatchBelow.slice()
  for (const match of matches) marks[match] = 2
  return { marks, matchBelow: hasMatchBelow, matches }
}

/** Four times as many rows are reserved whenever the arrays are full. */
const INITIAL_ROWS = 4096

/** Preorder without children of collapsed nodes; a filter expands its matches' ancestors. */
export function computeVisibleRows(forest: Forest, filter: TreeFilter | null): TreeRows {
  const walk = new TreeRowWalker(forest, filter ? filter.matchBelow : forest.expanded, filter?.marks ?? null, 0)
  // One step more than there are rows lets the walk find its end.
  walk.advance(forest.count + 1)
  return walk.rows
}

/** Finds rows from top to bottom, in steps. The forest must not change between the steps. */
export class TreeRowWalker {
  readonly #forest: Forest
  readonly #isExpanded: Uint8Array | null
  readonly #isShown: Uint8Array | null
  #nodes: Uint32Array<ArrayBuffer>
  #depths: Uint32Array<ArrayBuffer>
  #positions: Uint32Array<ArrayBuffer>
  #length = 0
  /** Nodes and sibling positions with which the walk continues after the children of a node. */
  readonly #resume: number[] = []
  readonly #resumePosition: number[] = []
  #current: number
  #position = 1

  /**
   * @param isExpanded 1 where a card shows its children; null if all cards do
   * @param isShown 0 where a card is hidden; null if no card is
   * @param capacity expected number of rows
   */
  constructor(forest: Forest, isExpanded: Uint8Array | null, isShown: Uint8Array | null, capacity: number) {
    this.#forest = forest
    this.#isExpanded = isExpanded
    this.#isShown = isShown
    this.#nodes = new Uint32Array(capacity)
    this.#depths = new Uint32Array(capacity)
    this.#positions = new Uint32Array(capacity)
    this.#current = forest.firstRoot
  }

  get rows(): TreeRows {
    return { length: this.#length, nodes: this.#nodes, depths: this.#depths, positions: this.#positions }
  }

  /** Returns true when there are no more rows. */
  advance(maxRows: number): boolean {
    // Visits every row of any tree, so it reads the arrays instead of calling a method.
    const { first: firstChild, next: nextSibling } = this.#forest.linkColumns
    const [isExpanded, isShown, resume, resumePosition] = [
      this.#isExpanded,
      this.#isShown,
      this.#resume,
      this.#resumePosition,
    ]
    let [nodes, depths, positions] = [this.#nodes, this.#depths, this.#positions]
    let length = this.#length
    let current = this.#current
    let position = this.#position
    const end = length + maxRows
    let isDone = false
    while (length < end) {
      if (current < 0) {
        const resumeNode = resume.pop()
        isDone = resumeNode === undefined
        if (resumeNode === undefined) break
        current = resumeNode
        position = resumePosition.pop() ?? 1
      } else if (isShown !== null && (isShown[current] ?? 0) === 0) {
        current = nextSibling[current] ?? -1
      } else {
        if (length === nodes.length) {
          const capacity = Math.min(this.#forest.count, Math.max(INITIAL_ROWS, length * 4))
          nodes = growArray(nodes, capacity)
          depths = growArray(depths, capacity)
          positions = growArray(positions, capacity)
        }
        nodes[length] = current
        depths[length] = resume.length
        positions[length] = position
        length += 1
        const child = isExpanded === null || isExpanded[current] === 1 ? (firstChild[current] ?? -1) : -1
        const sibling = nextSibling[current] ?? -1
        position += 1
        if (child < 0) current = sibling
        else {
          resume.push(sibling)
          resumePosition.push(position)
          current = child
          position = 1
        }
      }
    }
    this.#nodes = nodes
    this.#depths = depths
    this.#positions = positions
    this.#length = length
    this.#current = current
    this.#position = position
    return isDone
  }
}

/** -1 if the node has no row. A linear search is enough, because it runs once per selection. */
export function findRowOfNode(rows: TreeRows, index: number): number {
  return rows.nodes.subarray(0, rows.length).indexOf(index)
}

/** Row of a node or of its closest ancestor that has a row; -1 if there is none. */
export function findNearestRow(forest: Forest, rows: TreeRows, index: number): number {
  const path = new Set(forest.getPath(index))
  for (let row = rows.length - 1; row >= 0; row -= 1) if (path.has(rows.nodes[row] ?? -1)) return row
  return -1
}

/** Sorts the matches of a filter by row, so that "next match" always moves down the tree. */
export function sortMatchesByRow(rows: TreeRows, { marks, matches }: TreeFilter): Uint32Array {
  const ordered = new Uint32Array(matches.length)
  let count = 0
  for (let row = 0; row < rows.length; row += 1) {
    const node = rows.nodes[row] ?? 0
    if (marks[node] === 2) ordered[count++] = node
  }
  return ordered.subarray(0, count)
}
