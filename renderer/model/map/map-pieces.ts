import { composeScene } from './ghost-scene.ts'
import { MAX_LABELS, selectMapLabels } from './map-labels.ts'
import type { MapCards } from './map-cards.ts'
import type { MapLayout } from './map-layout.ts'
import type { MapScene } from './map-scene.ts'
import type { MapShapes } from './map-shapes.ts'
import { projectBox, type MapView } from './map-view.ts'

/** A part of the map at a zoom of 1, and where it is in the plane. */
export interface MapPiece {
  readonly x: number
  readonly y: number
  readonly scene: MapScene
  readonly rowCount: number
}

/** Each row of a piece has its title. */
const ROWS_PER_PIECE = MAX_LABELS
const WHOLE_PLANE = { width: Infinity, height: Infinity }

/**
 * Draws all rows, piece by piece: first all edges, then the cards over them. No card is part of a
 * block, however many there are. Coordinates are relative to the piece, because single precision
 * does not reach across the plane of a large map.
 */
export function* buildMapPieces(layout: MapLayout, cards: MapCards): Generator<MapPiece> {
  for (const part of ['edges', 'cards'] as const) {
    for (let from = 0; from < layout.length; from += ROWS_PER_PIECE) {
      const to = Math.min(layout.length, from + ROWS_PER_PIECE)
      const view = getPieceView(layout, from)
      const shapes = part === 'edges' ? selectEdges(layout, view, from, to) : selectBoxes(layout, view, from, to)
      const labels = selectMapLabels(layout, shapes, view, WHOLE_PLANE, cards.getHiddenCount)
      const frames = part === 'edges' ? cards.subMapFrames?.select(view, WHOLE_PLANE, from, to) : []
      yield {
        x: view.x,
        y: view.y,
        scene: { ...composeScene(layout, shapes, labels, view, cards, null), frames: frames ?? [] },
        rowCount: to - from,
      }
    }
  }
}

export function countPieceRows({ length }: MapLayout): number {
  return 2 * length
}

/** Rows of a piece are near its first row across the branches. */
function getPieceView(layout: MapLayout, row: number): MapView {
  const { bounds, projection } = layout
  const plane = { x: 0, y: 0, zoomX: 1, zoomY: 1 }
  const first = projectBox(layout, plane, row)
  return projection === 'down' ? { ...plane, x: first.x, y: bounds.top } : { ...plane, x: bounds.left, y: first.y }
}

const NO_SHAPES: MapShapes = {
  count: 0,
  rows: new Int32Array(0),
  boxes: new Float32Array(0),
  blockSizes: new Uint32Array(0),
  edgeCount: 0,
  edges: new Float32Array(0),
  edgeRows: new Int32Array(0),
}

function selectBoxes(layout: MapLayout, view: MapView, from: number, to: number): MapShapes {
  const count = to - from
  const boxes = new Float32Array(count * 4)
  for (let index = 0; index < count; index += 1) {
    const { x, y, width, height } = projectBox(layout, view, from + index)
    boxes.set([x, y, width, height], index * 4)
  }
  const rows = Int32Array.from({ length: count }, (_row, index) => from + index)
  return { ...NO_SHAPES, count, rows, boxes, blockSizes: new Uint32Array(count) }
}

function selectEdges(layout: MapLayout, view: MapView, from: number, to: number): MapShapes {
  if (layout.projection === 'icicle') return NO_SHAPES
  const edges: number[] = []
  const edgeRows: number[] = []
  for (let row = from; row < to; row += 1) {
    const parentRow = layout.parents[row] ?? -1
    if (parentRow < 0) continue
    const [parent, child] = [projectBox(layout, view, parentRow), projectBox(layout, view, row)]
    edgeRows.push(row)
    if (layout.projection === 'down')
      edges.push(parent.x + parent.width / 2, parent.y + parent.height, child.x + child.width / 2, child.y)
    else {
      const isForward = child.x > parent.x
      edges.push(parent.x + (isForward ? parent.width : 0), parent.y + parent.height / 2)
      edges.push(child.x + (isForward ? 0 : child.width), child.y + child.height / 2)
    }
  }
  const edgeCount = edgeRows.length
  return { ...NO_SHAPES, edgeCount, edges: Float32Array.from(edges), edgeRows: Int32Array.from(edgeRows) }
}
