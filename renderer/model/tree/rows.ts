import type { Forest } from './forest.ts'
import { grown } from './grow.ts'

/** The rows that a tree shows, from top to bottom. */
export interface Rows {
  readonly length: number
  /** Node index of each row. */
  readonly nodes: Uint32Array
  readonly depths: Uint32Array
  /** Position among its siblings, from 1. */
  readonly positions: Uint32Array
}

export const noRows: Rows = {
  length: 0,
  nodes: new Uint32Array(0),
  depths: new Uint32Array(0),
  positions: new Uint32Array(0),
}

/** What a filter lets through: matches and the cards above them. */
export interface Filter {
  /** 1 = above a match, 2 = a match. */
  readonly marks: Uint8Array
  readonly matches: Uint32Array
}

/** Marks matches and their ancestors. */
export function filterOf(forest: Forest, matches: Uint32Array): Filter {
  const marks = new Uint8Array(forest.count)
  for (const match of matches) {
    for (let at = forest.parent(match); at >= 0 && marks[at] === 0; at = forest.parent(at)) marks[at] = 1
  }
  for (const match of matches) marks[match] = 2
  return { marks, matches }
}

/** Rows in preorder: what is open or, with a filter, matches with everything above them open. */
export function visibleRows(forest: Forest, filter: Filter | null): Rows {
  let nodes: Uint32Array<ArrayBuffer> = new Uint32Array(1024)
  let depths: Uint32Array<ArrayBuffer> = new Uint32Array(1024)
  let positions: Uint32Array<ArrayBuffer> = new Uint32Array(1024)
  let length = 0
  const resume: number[] = []
  const resumePosition: number[] = []
  let at = forest.firstRoot
  let position = 1
  while (at >= 0 || resume.length > 0) {
    if (at < 0) {
      at = resume.pop() ?? -1
      position = resumePosition.pop() ?? 1
      continue
    }
    const mark = filter ? (filter.marks[at] ?? 0) : 2
    if (mark === 0) {
      at = forest.nextSibling(at)
      continue
    }
    if (length === nodes.length) {
      nodes = grown(nodes, length + 1)
      depths = grown(depths, length + 1)
      positions = grown(positions, length + 1)
    }
    nodes[length] = at
    depths[length] = resume.length
    positions[length] = position
    length += 1
    const child = forest.firstChild(at)
    const open = child >= 0 && (filter ? isAbove(forest, filter, at) : forest.expanded[at] === 1)
    if (open) {
      resume.push(forest.nextSibling(at))
      resumePosition.push(position + 1)
      at = child
      position = 1
    } else {
      at = forest.nextSibling(at)
      position += 1
    }
  }
  return { length, nodes, depths, positions }
}

/** A match is opened only if there is another match below it. */
function isAbove(forest: Forest, filter: Filter, index: number): boolean {
  if (filter.marks[index] === 1) return true
  for (let child = forest.firstChild(index); child >= 0; child = forest.nextSibling(child)) {
    if (filter.marks[child] !== 0) return true
  }
  return false
}

/** Row of a node, or -1. A plain search, because it is called once per selection, not once per row. */
export const rowOf = (rows: Rows, index: number): number => rows.nodes.subarray(0, rows.length).indexOf(index)

/** Row of a node, or of the lowest card above it that has one; -1 if there is none. */
export function nearestRow(forest: Forest, rows: Rows, index: number): number {
  const path = new Set(forest.path(index))
  for (let row = rows.length - 1; row >= 0; row -= 1) if (path.has(rows.nodes[row] ?? -1)) return row
  return -1
}

/** The matches of a filter in the order of the rows, so that going from one to the next leads down the tree. */
export function matchesInOrder(rows: Rows, { marks, matches }: Filter): Uint32Array {
  const ordered = new Uint32Array(matches.length)
  let at = 0
  for (let row = 0; row < rows.length; row += 1) {
    const node = rows.nodes[row] ?? 0
    if (marks[node] === 2) ordered[at++] = node
  }
  return ordered.subarray(0, at)
}
