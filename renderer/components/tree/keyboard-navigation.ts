import { foldText } from '../../../shared/format/text-folding.ts'
import type { Forest } from '../../model/tree/forest.ts'
import type { TreeRows } from '../../model/tree/tree-rows.ts'

/** The effect of a key in a tree (WAI-ARIA tree pattern). */
type TreeMove =
  | { readonly kind: 'row'; readonly row: number }
  | { readonly kind: 'open' | 'close'; readonly node: number }
  | { readonly kind: 'open-siblings'; readonly node: number }
  | { readonly kind: 'select'; readonly node: number }

interface TreePosition {
  readonly forest: Forest
  readonly rows: TreeRows
  readonly row: number
  readonly page: number
  /** True if the node of the row shows its children. */
  readonly isOpen: (row: number) => boolean
}

export function getTreeMove(key: string, position: TreePosition): TreeMove | null {
  const { forest, rows, row, page } = position
  const node = rows.nodes[row]
  if (node === undefined) return null
  const last = rows.length - 1
  const moveTo = (targetRow: number): TreeMove => ({ kind: 'row', row: Math.min(last, Math.max(0, targetRow)) })
  switch (key) {
    case 'ArrowDown':
      return moveTo(row + 1)
    case 'ArrowUp':
      return moveTo(row - 1)
    case 'Home':
      return moveTo(0)
    case 'End':
      return moveTo(last)
    case 'PageDown':
      return moveTo(row + page)
    case 'PageUp':
      return moveTo(row - page)
    case 'ArrowRight':
      if (forest.getChildCount(node) === 0) return null
      return position.isOpen(row) ? moveTo(row + 1) : { kind: 'open', node }
    case 'ArrowLeft': {
      if (forest.getChildCount(node) > 0 && position.isOpen(row)) return { kind: 'close', node }
      const parent = findParentRow(rows, row)
      return parent < 0 ? null : moveTo(parent)
    }
    case '*':
      return { kind: 'open-siblings', node }
    case 'Enter':
    case ' ':
      return { kind: 'select', node }
    default:
      return null
  }
}

/** Finds the nearest row above that is one level higher. */
function findParentRow(rows: TreeRows, row: number): number {
  const depth = rows.depths[row] ?? 0
  if (depth === 0) return -1
  let parent = row - 1
  while (parent >= 0 && (rows.depths[parent] ?? 0) >= depth) parent -= 1
  return parent
}

/** Characters typed within this time form one text. */
const TYPE_AHEAD_RESET_MS = 700

/** Returns the row whose title begins with what was typed, or -1; `timestamp` is in ms. */
export function useTypeAhead(): (
  position: Pick<TreePosition, 'forest' | 'rows' | 'row'>,
  key: string,
  timestamp: number,
) => number {
  let typed = ''
  let lastTimestamp = 0
  return ({ forest, rows, row }, key, timestamp) => {
    typed = timestamp - lastTimestamp < TYPE_AHEAD_RESET_MS ? typed + key : key
    lastTimestamp = timestamp
    return findTypeAheadRow(forest, rows, row, typed)
  }
}

/** Continues at the first row after the last one, and searches at most 20,000 rows. */
export function findTypeAheadRow(forest: Forest, rows: TreeRows, from: number, text: string): number {
  const foldedText = foldText(text)
  const maxSteps = Math.min(rows.length, 20_000)
  for (let step = text.length > 1 ? 0 : 1; step <= maxSteps; step += 1) {
    const row = (from + step) % rows.length
    if (foldText(forest.getTitle(rows.nodes[row] ?? 0)).startsWith(foldedText)) return row
  }
  return -1
}
