import { connectInSight, createSightTest } from './map-arrows.ts'
import type { MapCards } from './map-cards.ts'
import { countGhosts, getGhostIndex, type GhostLayer } from './map-ghosts.ts'
import type { MapLabel } from './map-labels.ts'
import type { MapLayout } from './map-layout.ts'
import { FONT_PX } from './map-labels.ts'
import { buildMapScene, type MapScene, type SceneArrow, type SceneBox, type SceneText } from './map-scene.ts'
import type { MapShapes } from './map-shapes.ts'
import { getZoom, projectBox, type MapSize, type MapView } from './map-view.ts'

/** More arrows than these are a tangle that nobody can follow. */
export const MAX_GHOST_ARROWS = 200
const MIN_DETAIL_PX = 6
const GHOST_OPACITY = 0.75

const isGhost = ({ nodes }: MapLayout, row: number): boolean => getGhostIndex(nodes[row] ?? 0) >= 0

/** True for the shape of a ghost, and for a block of nothing but ghosts. */
function isGhostShape(layout: MapLayout, { ghostRows }: GhostLayer, shapes: MapShapes, index: number): boolean {
  const [row, size] = [shapes.rows[index] ?? 0, shapes.blockSizes[index] ?? 0]
  return size === 0 ? isGhost(layout, row) : countGhosts(ghostRows, row, row + size) === size
}

/**
 * Builds the scene of the cards, and draws the ghosts behind and between them.
 * @param size of a frame, which has the arrows that cross it; null for those of the ghosts in it
 */
export function composeScene(
  layout: MapLayout,
  shapes: MapShapes,
  labels: readonly MapLabel[],
  view: MapView,
  cards: MapCards,
  size: MapSize | null,
): MapScene {
  const { ghosts = null } = cards
  if (ghosts === null) return buildMapScene(layout, shapes, labels, view, cards)
  const isOfGhost = (index: number): boolean => isGhostShape(layout, ghosts, shapes, index)
  const isEdgeOfGhost = (index: number): boolean => isGhost(layout, shapes.edgeRows[index] ?? 0)
  const cardShapes = pickShapes(
    shapes,
    (index) => !isOfGhost(index),
    (index) => !isEdgeOfGhost(index),
  )
  const ghostShapes = pickShapes(shapes, isOfGhost, isEdgeOfGhost)
  const scene = buildMapScene(
    layout,
    cardShapes,
    labels.filter(({ row }) => !isGhost(layout, row)),
    view,
    cards,
  )
  const ghostLabels = labels.filter(({ row }) => isGhost(layout, row))
  return drawGhosts(scene, ghostShapes, ghostLabels, { layout, view, size, cards, ghosts })
}

/** A block counts its cards, and begins with one of them; one without cards counts its ghosts. */
export function describeShapes(layout: MapLayout, shapes: MapShapes, ghosts: GhostLayer | null | undefined): MapShapes {
  if (!ghosts) return shapes
  const [rows, blockSizes] = [shapes.rows.slice(), shapes.blockSizes.slice()]
  for (let index = 0; index < shapes.count; index += 1) {
    const [row, size] = [rows[index] ?? 0, blockSizes[index] ?? 0]
    const ghostCount = countGhosts(ghosts.ghostRows, row, row + size)
    if (ghostCount === 0 || ghostCount === size) continue
    blockSizes[index] = size - ghostCount
    for (let first = row; isGhost(layout, first); first += 1) rows[index] = first + 1
  }
  return { ...shapes, rows, blockSizes }
}

function pickShapes(
  shapes: MapShapes,
  isPicked: (index: number) => boolean,
  isEdgePicked: (index: number) => boolean,
): MapShapes {
  const indexes = [...shapes.rows.keys()].filter(isPicked)
  const edgeIndexes = [...shapes.edgeRows.keys()].filter(isEdgePicked)
  const pickFours = (values: Float32Array, picked: readonly number[]): Float32Array => {
    const fours = new Float32Array(picked.length * 4)
    for (const [place, index] of picked.entries()) fours.set(values.subarray(index * 4, index * 4 + 4), place * 4)
    return fours
  }
  return {
    count: indexes.length,
    rows: Int32Array.from(indexes, (index) => shapes.rows[index] ?? 0),
    boxes: pickFours(shapes.boxes, indexes),
    blockSizes: Uint32Array.from(indexes, (index) => shapes.blockSizes[index] ?? 0),
    edgeCount: edgeIndexes.length,
    edges: pickFours(shapes.edges, edgeIndexes),
    edgeRows: Int32Array.from(edgeIndexes, (index) => shapes.edgeRows[index] ?? 0),
  }
}

interface GhostSource {
  readonly layout: MapLayout
  readonly view: MapView
  readonly size: MapSize | null
  readonly cards: MapCards
  readonly ghosts: GhostLayer
}

/** Draws former places as dashed outlines, and arrows from them to where their cards are now. */
function drawGhosts(scene: MapScene, shapes: MapShapes, labels: readonly MapLabel[], source: GhostSource): MapScene {
  const { layout, view, cards, ghosts } = source
  const scale = getZoom(view)
  const boxes: SceneBox[] = []
  const texts: SceneText[] = []
  const small: number[] = []
  const { count, rows, boxes: places } = shapes
  for (let index = 0; index < count; index += 1) {
    const [x = 0, y = 0, width = 0, height = 0] = places.subarray(index * 4, index * 4 + 4)
    if (Math.min(width, height) < MIN_DETAIL_PX) {
      small.push(x, y, Math.max(1, width), Math.max(1, height))
      continue
    }
    const row = rows[index] ?? 0
    const below = cards.getHiddenCount(row)
    boxes.push({
      x,
      y,
      width,
      height,
      radius: Math.min(height / 2, 6 * scale),
      fill: null,
      line: 'muted',
      lineWidth: 1,
      isDashed: true,
    })
    if (below > 0)
      texts.push({
        x: x + width - 22 * scale,
        y: y + height / 2,
        text: `+${cards.formatCount(below)}`,
        fontPx: 10 * scale,
        isBold: false,
        tone: 'muted',
        opacity: GHOST_OPACITY,
        isCentered: true,
      })
  }
  for (const { row, x, y, fontPx, maxWidth, opacity } of labels) {
    const text = cards.fitTitle(row, (maxWidth / fontPx) * FONT_PX, false)
    texts.push({
      x,
      y,
      text,
      fontPx,
      isBold: false,
      tone: 'muted',
      opacity: opacity * GHOST_OPACITY,
      isStruck: ghosts.isRemoved(getGhostIndex(layout.nodes[row] ?? 0)),
    })
  }
  return {
    ...scene,
    edges: [{ tone: 'edge', width: 1, ends: shapes.edges, isDashed: true }, ...scene.edges],
    blocks: [...scene.blocks, { fill: 'muted', opacity: 0.35, boxes: Float32Array.from(small) }],
    boxes: [...boxes, ...scene.boxes],
    arrows: [...(scene.arrows ?? []), ...drawArrows(source, shapes)],
    texts: [...scene.texts, ...texts],
  }
}

/** The arrow of the selected card comes first, so that it is never left out. */
function drawArrows({ layout, view, size, cards, ghosts }: GhostSource, { rows }: MapShapes): SceneArrow[] {
  const { ghostRows, targetRows } = ghosts
  const arrows: SceneArrow[] = []
  const others: SceneArrow[] = []
  const canBeInSight = size && createSightTest(layout, view, size)
  for (const row of size === null ? rows : ghostRows) {
    const target = targetRows[getGhostIndex(layout.nodes[row] ?? 0)] ?? -1
    const isSelected = target >= 0 && target === cards.selectedRow
    if (target < 0 || (others.length >= MAX_GHOST_ARROWS && !isSelected)) continue
    if (canBeInSight && !canBeInSight(row, target)) continue
    const points = connectInSight(projectBox(layout, view, row), projectBox(layout, view, target), size)
    if (points === null) continue
    const arrow: SceneArrow = {
      points,
      tone: isSelected ? 'accent' : 'muted',
      width: isSelected ? 1.5 : 1,
      opacity: isSelected ? 1 : GHOST_OPACITY,
      isDashed: true,
    }
    if (isSelected) arrows.push(arrow)
    else others.push(arrow)
  }
  return [...arrows, ...others]
}
