// Writes a map as a file: what a window shows of it, or every visible row. A file is drawn in
// pieces, between which the worker draws frames and can be stopped.

import { buildLegend, MIN_LEGEND_WIDTH_PX, type MapLegend, type MeasureLegendText } from '../model/map/map-legend.ts'
import type { MapCards } from '../model/map/map-cards.ts'
import type { MapLayout } from '../model/map/map-layout.ts'
import { buildMapPieces, countPieceRows } from '../model/map/map-pieces.ts'
import type { MapLook, MapScene } from '../model/map/map-scene.ts'
import type { MapSize } from '../model/map/map-view.ts'
import { beginSvg, SVG_END, writeSceneSvg } from '../model/map/scene-svg.ts'
import { createPicture, type MapTarget } from './map-picture.ts'
import { MapFailure, type MapFile } from './map-protocol.ts'

/** Content of a file below its legend. */
export type MapSubject =
  | { readonly kind: 'window'; readonly scene: MapScene; readonly size: MapSize }
  | { readonly kind: 'rows'; readonly layout: MapLayout; readonly cards: MapCards }

interface MapExport {
  readonly format: 'png' | 'svg'
  readonly subject: MapSubject
  readonly legend: MapLegend
  readonly look: MapLook
  /** Pixels of a picture per pixel of the map. */
  readonly scale: number
  readonly measureText: MeasureLegendText
  readonly isStopped: () => boolean
  readonly onProgress: (percent: number) => void
}

/** Space around the rows in a file. */
const MARGIN_PX = 32
/** The rest is for what a browser does with all pieces. */
const MAX_UNFINISHED_PERCENT = 99
/** A browser opens a larger drawing with difficulty, if at all. */
export const MAX_DRAWING_BYTES = 256 * 1024 * 1024
/** Texts of a drawing that are held before they become bytes. */
const MAX_PENDING_CHARS = 4 * 1024 * 1024

/** Returns null if stopped. @throws MapFailure MAP_PICTURE_TOO_LARGE, MAP_DRAWING_TOO_LARGE */
export async function writeMapFile(order: MapExport): Promise<MapFile | null> {
  const { subject, look, legend, isStopped, onProgress } = order
  const content = measureSubject(subject)
  const width = Math.max(MIN_LEGEND_WIDTH_PX, Math.ceil(content.width))
  const head = buildLegend(legend, width, order.measureText)
  const size = { width, height: head.height + Math.ceil(content.height) }
  const target =
    order.format === 'svg' ? beginDrawing(legend.title, look, size) : createPicture(look, size, order.scale)
  target.add(head.scene, { x: 0, y: 0 })
  if (subject.kind === 'window') target.add(subject.scene, { x: 0, y: head.height, clip: subject.size })
  else {
    const { layout, cards } = subject
    const [left, top] = [MARGIN_PX - layout.bounds.left, MARGIN_PX - layout.bounds.top + head.height]
    let [rowCount, percent] = [0, 0]
    for (const { x, y, scene, ...piece } of buildMapPieces(layout, cards)) {
      target.add(scene, { x: left + x, y: top + y })
      rowCount += piece.rowCount
      const nextPercent = Math.floor((rowCount / countPieceRows(layout)) * MAX_UNFINISHED_PERCENT)
      if (nextPercent > percent) onProgress(nextPercent)
      percent = nextPercent
      await new Promise((resolve) => setTimeout(resolve))
      if (isStopped()) return null
    }
  }
  return { blob: await target.finish(), scale: target.scale }
}

function measureSubject(subject: MapSubject): MapSize {
  if (subject.kind === 'window') return subject.size
  const { left, top, right, bottom } = subject.layout.bounds
  return { width: right - left + 2 * MARGIN_PX, height: bottom - top + 2 * MARGIN_PX }
}

function beginDrawing(title: string, look: MapLook, { width, height }: MapSize): MapTarget {
  const parts: Blob[] = []
  let pending = beginSvg(title, look, width, height)
  let byteCount = 0
  const flush = (): void => {
    const part = new Blob([pending])
    pending = ''
    byteCount += part.size
    parts.push(part)
    if (byteCount > MAX_DRAWING_BYTES)
      throw new MapFailure('MAP_DRAWING_TOO_LARGE', 'the drawing is too large', { megabytes: MAX_DRAWING_BYTES >> 20 })
  }
  return {
    scale: 1,
    add(scene, place) {
      pending += writeSceneSvg(scene, look, place)
      if (pending.length > MAX_PENDING_CHARS) flush()
    },
    async finish() {
      pending += SVG_END
      flush()
      return new Blob(parts, { type: 'image/svg+xml' })
    },
  }
}
