// Former places of cards in a map: each gets a row of its own among the rows of the cards, so that
// the layout leaves room for it.

import type { MapRows } from './map-layout.ts'

/** The former places of cards, as columns by the index of the ghost. Cards are their nodes. */
export interface MapGhosts {
  /** The card below which it was; -1 at the top, `NOT_IN_TREE` if the tree does not have it. */
  readonly parents: Int32Array
  /** The sibling behind which it was; -1 for the first, `NOT_IN_TREE` if that is unknown. */
  readonly follows: Int32Array
  /** The card's node now, by ghost; -1 if it was removed or is not in the tree. */
  readonly cards: Int32Array
  /** Number of cards that went with a removed one. */
  readonly below: Uint32Array
  /** 1 if the card was removed. */
  readonly removed: Uint8Array
  readonly titles: readonly string[]
}

export const NOT_IN_TREE = -2

/** The former places below one card that shows none of its children. */
export interface GhostGroup {
  readonly node: number
  readonly count: number
}

export interface PlacedGhosts {
  readonly rows: MapRows
  /** The rows of ghosts in ascending order. */
  readonly ghostRows: Int32Array
  /** They have the indexes behind those of the single ghosts. */
  readonly groups: readonly GhostGroup[]
  /** Numbers of single ghosts with a row, of those in groups, and of those outside the tree. */
  readonly drawn: number
  readonly grouped: number
  readonly outside: number
}

export interface GhostLayer {
  /** The rows of ghosts in ascending order, and by ghost the row of its card; -1 for none. */
  readonly ghostRows: Int32Array
  readonly targetRows: Int32Array
  isRemoved(index: number): boolean
}

export interface VisibleCards {
  /** Row of each card; -1 if it is not visible. */
  readonly rowByNode: Int32Array
  /** Parent of each card; -1 for a root. */
  readonly parents: Int32Array
  /** The row after the last row below each row. */
  getEnds(): Int32Array
  /** True if the card of a row has children, none of which has a row. */
  isCollapsed(row: number): boolean
}

/** This bit distinguishes the ghosts in an unsigned column of nodes. */
const GHOST_BIT = 0x8000_0000

/** The index of a ghost as a signed or unsigned node; -1 for a card. */
export function getGhostIndex(node: number): number {
  return node < -1 || node >= GHOST_BIT ? node & ~GHOST_BIT : -1
}

export function toGhostNode(index: number): number {
  return GHOST_BIT + index
}

interface Insertion {
  /** The row of a card before which the ghost is inserted. */
  readonly before: number
  readonly depth: number
  readonly index: number
}

/** Gives each ghost a row below its former parent, behind the sibling that it followed. */
export function placeGhosts(rows: MapRows, ghosts: MapGhosts, cards: VisibleCards): PlacedGhosts {
  const ends = cards.getEnds()
  const insertions: Insertion[] = []
  const countByRow = new Map<number, number>()
  const findVisible = createVisibleFinder(cards)
  let [parent, position, outside] = [NOT_IN_TREE, 0, 0]
  for (let index = 0; index < ghosts.parents.length; index += 1) {
    const nextParent = ghosts.parents[index] ?? NOT_IN_TREE
    if (nextParent === NOT_IN_TREE) {
      outside += 1
      continue
    }
    const row = nextParent < 0 ? -1 : (cards.rowByNode[nextParent] ?? -1)
    if (nextParent >= 0 && (row < 0 || cards.isCollapsed(row))) {
      const visible = row < 0 ? findVisible(nextParent) : row
      if (visible < 0) outside += 1
      else countByRow.set(visible, (countByRow.get(visible) ?? 0) + 1)
      continue
    }
    if (nextParent !== parent) [parent, position] = [nextParent, row + 1]
    // Siblings that stayed are in the same order as before, so that one pass finds all places.
    const follows = ghosts.follows[index] ?? -1
    const end = row < 0 ? rows.length : (ends[row] ?? 0)
    while (position < end && (rows.nodes[position] ?? 0) <= follows) position = ends[position] ?? end
    insertions.push({ before: position, depth: row < 0 ? 0 : (rows.depths[row] ?? 0) + 1, index })
  }
  const rowCount = insertions.length
  const groups: GhostGroup[] = []
  let grouped = 0
  for (const [row, count] of countByRow) {
    const index = ghosts.parents.length + groups.length
    insertions.push({ before: ends[row] ?? 0, depth: (rows.depths[row] ?? 0) + 1, index })
    groups.push({ node: rows.nodes[row] ?? 0, count })
    grouped += count
  }
  // Of ghosts at one place, the deeper ones belong to the branch that ends there.
  insertions.sort(
    (first, second) => first.before - second.before || second.depth - first.depth || first.index - second.index,
  )
  return { ...mergeRows(rows, insertions), groups, drawn: rowCount, grouped, outside }
}

/** Finds the row of the nearest visible card above one that is not visible. */
export function createVisibleFinder({
  rowByNode,
  parents,
}: Pick<VisibleCards, 'rowByNode' | 'parents'>): (node: number) => number {
  /** Paths that were walked before end at once, because a branch may be very deep. */
  const rowByHidden = new Map<number, number>()
  return (hidden) => {
    const path: number[] = []
    let row = -1
    for (let node = hidden; node >= 0; node = parents[node] ?? -1) {
      const cachedRow = rowByHidden.get(node)
      row = cachedRow ?? rowByNode[node] ?? -1
      if (cachedRow !== undefined || row >= 0) break
      path.push(node)
    }
    for (const node of path) rowByHidden.set(node, row)
    return row
  }
}

function mergeRows(rows: MapRows, insertions: readonly Insertion[]): Pick<PlacedGhosts, 'rows' | 'ghostRows'> {
  const length = rows.length + insertions.length
  const nodes = new Uint32Array(length)
  const depths = new Uint32Array(length)
  const ghostRows = new Int32Array(insertions.length)
  let copied = 0
  for (const [place, { before, depth, index }] of insertions.entries()) {
    nodes.set(rows.nodes.subarray(copied, before), copied + place)
    depths.set(rows.depths.subarray(copied, before), copied + place)
    copied = before
    nodes[before + place] = toGhostNode(index)
    depths[before + place] = depth
    ghostRows[place] = before + place
  }
  nodes.set(rows.nodes.subarray(copied, rows.length), copied + insertions.length)
  depths.set(rows.depths.subarray(copied, rows.length), copied + insertions.length)
  return { rows: { length, nodes, depths }, ghostRows }
}

export function countGhosts(ghostRows: Int32Array, start: number, end: number): number {
  return findPosition(ghostRows, end) - findPosition(ghostRows, start)
}

/** The position of the first number that is not less than another one, in ascending numbers. */
export function findPosition(numbers: ArrayLike<number>, number: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] ?? 0) < number) low = middle + 1
    else high = middle
  }
  return low
}
