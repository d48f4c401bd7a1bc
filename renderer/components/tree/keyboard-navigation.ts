import { foldText } from '../../../shared/format/text-folding.ts'
import type { Forest } from '../../model/tree/forest.ts'
import type { TreeRows } from '../../model/tree/tree-rows.ts'

/** What a key does in a tree (WAI-ARIA tree pattern); null = not handled. */
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
  /** Whether the row's node shows its children. */
  readonly isOpen: (row: number) => boolean
}

export function getTreeMove(key: string, where: TreePosition): TreeMove | null {
  const { forest, rows, row, page } = where
  const node = rows.nodes[row]
  if (node === undefined) return null
  const last = rows.length - 1
  const to = (target: number): TreeMove => ({ kind: 'row', row: Math.min(last, Math.max(0, target)) })
  switch (key) {
    case 'ArrowDown':
      return to(row + 1)
    case 'ArrowUp':
      return to(row - 1)
    case 'Home':
      return to(0)
    case 'End':
      return to(last)
    case 'PageDown':
      return to(row + page)
    case 'PageUp':
      return to(row - page)
    case 'ArrowRight':
      if (forest.childCount(node) === 0) return null
      return where.isOpen(row) ? to(row + 1) : { kind: 'open', node }
    case 'ArrowLeft': {
      if (forest.childCount(node) > 0 && where.isOpen(row)) return { kind: 'close', node }
      const parent = parentRow(rows, row)
      return parent < 0 ? null : to(parent)
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

/** The nearest row above that is one level higher. */
function parentRow(rows: TreeRows, row: number): number {
  const depth = rows.depths[row] ?? 0
  if (depth === 0) return -1
  let at = row - 1
  while (at >= 0 && (rows.depths[at] ?? 0) >= depth) at -= 1
  return at
}

/** Characters typed within this time belong together. */
const TYPE_AHEAD_RESET_MS = 700

/** Type-ahead that remembers what was typed: returns the row for a further character, -1 if no title begins with the text. */
export function useTypeAhead(): (
  where: Pick<TreePosition, 'forest' | 'rows' | 'row'>,
  key: string,
  at: number,
) => number {
  let typed = ''
  let typedAt = 0
  return ({ forest, rows, row }, key, at) => {
    typed = at - typedAt < TYPE_AHEAD_RESET_MS ? typed + key : key
    typedAt = at
    return findTypeAheadRow(forest, rows, row, typed)
  }
}

/** Type-ahead: the next row (wrapping around) whose title starts with the text. Looks at 20,000 rows at most. */
export function findTypeAheadRow(forest: Forest, rows: TreeRows, from: number, text: string): number {
  const needle = foldText(text)
  const reach = Math.min(rows.length, 20_000)
  for (let step = text.length > 1 ? 0 : 1; step <= reach; step += 1) {
    const row = (from + step) % rows.length
    if (foldText(forest.title(rows.nodes[row] ?? 0)).startsWith(needle)) return row
  }
  return -1
}
