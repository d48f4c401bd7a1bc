import type { Ref } from 'vue'
import { getShortcutKey } from '../../../shared/format/shortcut-key.ts'
import { isMenuKey } from '../../components/menu-item.ts'
import { getTreeMove } from '../../components/tree/keyboard-navigation.ts'
import { findRowOfNode } from '../../model/tree/tree-rows.ts'
import { useTree } from '../../stores/tree.ts'
import type { useMapCamera } from './map-camera.ts'

interface MapKeyTarget {
  readonly camera: ReturnType<typeof useMapCamera>
  readonly activeRow: Ref<number>
  select(node: number, isPassing: boolean): void
  open(node: number): void
  rename(node: number): void
  toggle(node: number, willExpand: boolean): void
  expandSiblings(node: number): void
  leave(): void
  /** The position is in pixels from the upper left corner of the map. */
  openMenu(node: number, x: number, y: number): void
}

const ROWS_PER_PAGE = 10
export const ZOOM_STEP = 1.4

/** The keys of a tree (WAI-ARIA), and those that zoom. */
export function useMapKeys(target: MapKeyTarget) {
  const tree = useTree()
  const { camera, activeRow } = target

  const isExpanded = (row: number): boolean =>
    row + 1 < tree.rows.length && (tree.rows.depths[row + 1] ?? 0) > (tree.rows.depths[row] ?? 0)

  function toggle(node: number): void {
    const row = findRowOfNode(tree.rows, node)
    if (row < 0 || tree.forest.getChildCount(node) === 0) return
    camera.keepInPlace(node)
    target.toggle(node, !isExpanded(row))
  }

  function activate(row: number): void {
    activeRow.value = row
    const node = tree.rows.nodes[row]
    if (node === undefined) return
    target.select(node, true)
    void camera.show(node)
  }

  /** Returns false if the key does not change what is in sight. */
  function handleViewKey(key: string): boolean {
    switch (key.toLowerCase()) {
      case '+':
      case '=':
        camera.zoom(ZOOM_STEP)
        return true
      case '-':
        camera.zoom(1 / ZOOM_STEP)
        return true
      case '0':
        void camera.resetZoom()
        return true
      case 'f':
        camera.fit()
        return true
      case 'n':
        void camera.showNearest()
        return true
      case 't':
        target.leave()
        return true
      default:
        return false
    }
  }

  /** Returns false if the map has no use for the key. */
  function handleTreeKey(key: string): boolean {
    const { forest, rows } = tree
    const move = getTreeMove(key, { forest, rows, row: activeRow.value, page: ROWS_PER_PAGE, isOpen: isExpanded })
    if (move?.kind === 'row') activate(move.row)
    else if (move?.kind === 'open-siblings') target.expandSiblings(move.node)
    else if (move?.kind === 'select' && key === 'Enter') target.open(move.node)
    else if (move?.kind === 'select') target.select(move.node, false)
    else if (move) toggle(move.node)
    return move !== null
  }

  function onKey(event: KeyboardEvent): void {
    if (isMenuKey(event)) {
      event.preventDefault()
      const node = tree.rows.nodes[activeRow.value] ?? -1
      const box = camera.findBox(node)
      return target.openMenu(node, box?.x ?? 0, (box?.y ?? 0) + (box?.height ?? 0))
    }
    if (event.key === 'F2' && activeRow.value < tree.rows.length) {
      event.preventDefault()
      return target.rename(tree.rows.nodes[activeRow.value] ?? -1)
    }
    if (event.ctrlKey || event.metaKey || event.altKey || tree.rows.length === 0) return
    if (!handleViewKey(getShortcutKey(event)) && !handleTreeKey(event.key)) return
    event.preventDefault()
    event.stopPropagation()
  }

  return { isExpanded, toggle, onKey }
}
