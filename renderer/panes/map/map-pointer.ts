import { shallowRef, watch } from 'vue'
import { useMapChoice } from '../../stores/map.ts'
import { useTree } from '../../stores/tree.ts'
import type { useMapCamera } from './map-camera.ts'
import type { useMapGestures } from './map-gestures.ts'
import { ZOOM_STEP } from './map-keys.ts'

/** `blockSize` is 0 unless a block stands for the card and its neighbors. */
export interface PointedCard {
  readonly node: number
  readonly blockSize: number
  readonly x: number
  readonly y: number
}

interface MapPointerTarget {
  select(node: number): void
  open(node: number): void
  toggle(node: number): void
  reveal(ghost: number): void
  focus(): void
}

/** Width of the badge of a collapsed card, in heights of its box. */
const BADGE_HEIGHTS = 1.7

/** Selects, expands and opens cards by the pointer. */
export function useMapPointer(
  camera: ReturnType<typeof useMapCamera>,
  { isDragging, toPoint }: ReturnType<typeof useMapGestures>,
  target: MapPointerTarget,
) {
  const tree = useTree()
  const choice = useMapChoice()
  const hovered = shallowRef<PointedCard | null>(null)
  // Another card is below a pointer that rests while the map moves.
  watch(camera.view, () => (hovered.value = null), { flush: 'sync' })

  function find(event: MouseEvent): PointedCard | null {
    const { x, y } = toPoint(event)
    const index = camera.findShape(x, y)
    const shapes = camera.frame.value?.shapes
    const node = shapes?.nodes[index] ?? -1
    return node === -1 ? null : { node, blockSize: shapes?.blockSizes[index] ?? 0, x, y }
  }

  function findCard(event: MouseEvent): PointedCard | null {
    const pointed = find(event)
    return pointed && pointed.node >= 0 ? pointed : null
  }

  function onMove(event: PointerEvent): void {
    hovered.value = isDragging.value || event.buttons > 0 ? null : find(event)
  }

  const isCollapsed = (node: number): boolean =>
    tree.filter === null && tree.forest.getChildCount(node) > 0 && tree.forest.expanded[node] !== 1

  /** The badge at the end of a collapsed card expands it. */
  function isOnBadge({ node, blockSize, x }: PointedCard): boolean {
    const box = blockSize > 0 || choice.projection === 'icicle' ? null : camera.findBox(node)
    return box !== null && isCollapsed(node) && x > box.x + box.width - box.height * BADGE_HEIGHTS
  }

  function onClick(event: MouseEvent): void {
    target.focus()
    const card = isDragging.value ? null : find(event)
    if (card && card.node < 0) target.reveal(card.node)
    else if (card && isOnBadge(card)) target.toggle(card.node)
    else if (card) target.select(card.node)
  }

  function onDoubleClick(event: MouseEvent): void {
    const card = findCard(event)
    if (!card || isOnBadge(card)) return
    const hasChildren = tree.forest.getChildCount(card.node) > 0
    // The box of an overview stands for the branch below it, as a block does for its cards.
    const isBranchBox = camera.frame.value?.shapes.isOverview && hasChildren && !isCollapsed(card.node)
    if (card.blockSize > 0 || isBranchBox) camera.zoom(ZOOM_STEP ** 4, card.x, card.y)
    else if (hasChildren) target.toggle(card.node)
    else target.open(card.node)
  }

  return { hovered, findCard, onMove, onClick, onDoubleClick }
}
