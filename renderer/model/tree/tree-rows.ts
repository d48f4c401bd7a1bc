import type { Forest } from './forest.ts'
import { growArray } from './array-growth.ts'

/** The rows that a tree shows, from top to bottom. */
export interface TreeRows {
  readonly length: number
  /** Node index of each row. */
  readonly nodes: Uint32Array
  readonly depths: Uint32Array
  /** Position among its siblings, from 1. */
  readonly positions: Uint32Array
}

export const emptyRows: TreeRows = {
  length: 0,
  nodes: new Uint32Array(0),
  depths: new Uint32Array(0),
  positions: new Uint32Array(0),
}

/** What a filter lets through: matches and the cards above them. */
export interface TreeFilter {
  /** 1 = above a match, 2 = a match. */
  readonly marks: Uint8Array
  /** 1 = there is a match below, whatever the card is itself. */
  readonly matchBelow: Uint8Array
  readonly matches: Uint32Array
}

/** Marks matches and their ancestors. */
export function createTreeFilter(forest: Forest, matches: Uint32Array): TreeFilter {
  const { parent } = forest.linkColumns
  const above = new Uint8Array(forest.count)
  for (const match of matches) {
    for (let at = parent[match] ?? -1; at >= 0 && above[at] === 0; at = parent[at] ?? -1) above[at] = 1
  }
  const marks = above.slice()
  for (const match of matches) marks[match] = 2
  return { marks, matchBelow: above, matches }
}

/** Rows there is room for at first; four times as many whenever they do not do. */
const INITIAL_ROWS = 4096

/** Rows in preorder: what is open or, with a filter, matches with everything above them open. */
export function computeVisibleRows(forest: Forest, filter: TreeFilter | null): TreeRows {
  const walk = new RowWalk(forest, filter ? filter.matchBelow : forest.expanded, filter?.marks ?? null, 0)
  // One more than there can be, to find that there are no more.
  walk.advance(forest.count + 1)
  return walk.rows
}

/** Finds the rows of a tree from top to bottom. A part at a time, if that is wanted: the forest must not change meanwhile. */
export class RowWalk {
  readonly #forest: Forest
  readonly #open: Uint8Array | null
  readonly #shown: Uint8Array | null
  #nodes: Uint32Array<ArrayBuffer>
  #depths: Uint32Array<ArrayBuffer>
  #positions: Uint32Array<ArrayBuffer>
  #length = 0
  /** Where to go on, and with which position, once a node's children are through. */
  readonly #resume: number[] = []
  readonly #resumePosition: number[] = []
  #at: number
  #position = 1

  /** `open`: 1 where a card shows its children; null = everywhere. `shown`: 0 where a card is hidden; null = nowhere. `room`: rows to expect. */
  constructor(forest: Forest, open: Uint8Array | null, shown: Uint8Array | null, room: number) {
    this.#forest = forest
    this.#open = open
    this.#shown = shown
    this.#nodes = new Uint32Array(room)
    this.#depths = new Uint32Array(room)
    this.#positions = new Uint32Array(room)
    this.#at = forest.firstRoot
  }

  /** What was found so far. */
  get rows(): TreeRows {
    return { length: this.#length, nodes: this.#nodes, depths: this.#depths, positions: this.#positions }
  }

  /** Goes on for so many rows. Returns true once there are no more. */
  advance(most: number): boolean {
    // This runs over every row of a tree of any size: the columns themselves, without a call for each card.
    const { first, next } = this.#forest.linkColumns
    const [open, shown, resume, resumePosition] = [this.#open, this.#shown, this.#resume, this.#resumePosition]
    let [nodes, depths, positions] = [this.#nodes, this.#depths, this.#positions]
    let length = this.#length
    let at = this.#at
    let position = this.#position
    const end = length + most
    let done = false
    while (length < end) {
      if (at < 0) {
        const back = resume.pop()
        done = back === undefined
        if (back === undefined) break
        at = back
        position = resumePosition.pop() ?? 1
      } else if (shown !== null && (shown[at] ?? 0) === 0) {
        at = next[at] ?? -1
      } else {
        if (length === nodes.length) {
          const room = Math.min(this.#forest.count, Math.max(INITIAL_ROWS, length * 4))
          nodes = growArray(nodes, room)
          depths = growArray(depths, room)
          positions = growArray(positions, room)
        }
        nodes[length] = at
        depths[length] = resume.length
        positions[length] = position
        length += 1
        const child = open === null || open[at] === 1 ? (first[at] ?? -1) : -1
        const sibling = next[at] ?? -1
        position += 1
        if (child < 0) at = sibling
        else {
          resume.push(sibling)
          resumePosition.push(position)
          at = child
          position = 1
        }
      }
    }
    this.#nodes = nodes
    this.#depths = depths
    this.#positions = positions
    this.#length = length
    this.#at = at
    this.#position = position
    return done
  }
}

/** Row of a node, or -1. A plain search, because it is called once per selection, not once per row. */
export const findRow = (rows: TreeRows, index: number): number => rows.nodes.subarray(0, rows.length).indexOf(index)

/** Row of a node, or of the lowest card above it that has one; -1 if there is none. */
export function findNearestRow(forest: Forest, rows: TreeRows, index: number): number {
  const path = new Set(forest.path(index))
  for (let row = rows.length - 1; row >= 0; row -= 1) if (path.has(rows.nodes[row] ?? -1)) return row
  return -1
}

/** The matches of a filter in the order of the rows, so that going from one to the next leads down the tree. */
export function sortMatchesByRow(rows: TreeRows, { marks, matches }: TreeFilter): Uint32Array {
  const ordered = new Uint32Array(matches.length)
  let at = 0
  for (let row = 0; row < rows.length; row += 1) {
    const node = rows.nodes[row] ?? 0
    if (marks[node] === 2) ordered[at++] = node
  }
  return ordered.subarray(0, at)
}
