/** The cards that the calls of a run named, one after the other, as far as the tree has them. */
export interface MapPath {
  /** The card of each step, and the index of its call. */
  readonly nodes: Int32Array
  readonly calls: Uint32Array
  /** 1 if the call of a step is a write. */
  readonly writes: Uint8Array
}

export interface PathMark {
  readonly row: number
  readonly reads: number
  readonly writes: number
  /** False if only cards in its collapsed branch were named. */
  readonly isNamedItself: boolean
  /** True if the last call named it. */
  readonly isLast: boolean
}

export interface PathLayer {
  readonly marks: readonly PathMark[]
  /** The first row that each call named, without repetitions in a row, the last ones of many. */
  readonly rows: Int32Array
}

/** Nobody can follow a longer line. */
export const MAX_PATH_LINES = 300

/**
 * Returns how often the first calls of a path named each row of the map, and the line from row to
 * row.
 * @param callCount number of calls from the start of the path; later ones are left out
 * @param findRow returns the row of a card or of the nearest visible card above; -1 for none
 * @param isVisible whether a card has that row itself
 */
export function layOutPath(
  { nodes, calls, writes }: MapPath,
  callCount: number,
  findRow: (node: number) => number,
  isVisible: (node: number) => boolean,
): PathLayer {
  const marks = new Map<number, { reads: number; writes: number; isNamedItself: boolean; lastCall: number }>()
  const line: number[] = []
  let [lastCall, lineCall] = [-1, -1]
  for (let step = 0; step < nodes.length && (calls[step] ?? 0) < callCount; step += 1) {
    const [node, call] = [nodes[step] ?? -1, calls[step] ?? 0]
    lastCall = call
    const row = findRow(node)
    if (row < 0) continue
    if (lineCall !== call && line.at(-1) !== row) line.push(row)
    lineCall = call
    const mark = marks.get(row) ?? { reads: 0, writes: 0, isNamedItself: false, lastCall: -1 }
    marks.set(row, mark)
    mark.isNamedItself ||= isVisible(node)
    // A call that names several cards of a collapsed branch is still one call.
    if (mark.lastCall === call) continue
    mark.lastCall = call
    if (writes[step] === 1) mark.writes += 1
    else mark.reads += 1
  }
  return {
    rows: Int32Array.from(line.slice(-MAX_PATH_LINES - 1)),
    marks: [...marks].map(([row, mark]) => ({
      row,
      reads: mark.reads,
      writes: mark.writes,
      isNamedItself: mark.isNamedItself,
      isLast: mark.lastCall === lastCall,
    })),
  }
}
