import { HandedOver, type WorkerCall } from '../../shared/workers/worker-methods.ts'
import type { MapGhosts } from '../model/map/map-ghosts.ts'
import type { MapProjection } from '../model/map/map-layout.ts'
import type { MapPath } from '../model/map/map-path.ts'
import { mapTones, type MapLook, type MapScene } from '../model/map/map-scene.ts'
import { writeMapFile } from './map-export.ts'
import { getFont, paintScene } from './map-painter.ts'
import {
  MapFailure,
  type MapCardMarks,
  type MapFileRequest,
  type MapFrame,
  type MapFrameRequest,
  type TitleChunk,
} from './map-protocol.ts'
import { MapSession } from './map-session.ts'
import { notifyPage, servePage } from './serve-page.ts'

/** Until the page has sent its own. */
const initialLook: MapLook = {
  colors: Object.fromEntries(mapTones.map((tone) => [tone, 'gray'])) as MapLook['colors'],
  fontFamily: 'sans-serif',
}

const canvas = typeof OffscreenCanvas === 'undefined' ? null : new OffscreenCanvas(1, 1)
// The frame has no transparent parts, which makes drawing faster.
const context = canvas?.getContext('2d', { alpha: false }) ?? null
canvas?.addEventListener('contextrestored', () => notifyPage('restored', null))
const session = new MapSession(measureText, initialLook)

function measureText(font: string, text: string): number {
  if (!context) return text.length
  if (context.font !== font) context.font = font
  return context.measureText(text).width
}

interface MapCards {
  readonly parents: Int32Array
  readonly childCounts: Uint32Array
  readonly problems: Uint8Array
}

interface MapRows {
  readonly nodes: Uint32Array
  readonly depths: Uint32Array
  /** Has 2 for a match of the filter and 1 for its ancestors. */
  readonly matches: Uint8Array | null
  readonly projection: MapProjection
}

/** The color level of each card plus 1, or 0, and the colors of levels as CSS. */
interface MapLevels {
  readonly levels: Uint8Array<ArrayBuffer>
  readonly colors: ReadonlyMap<number, string>
}

const methods = {
  /** Forgets the cards, because a different tree is open. */
  reset: () => session.reset(),
  addTitles: (chunks: readonly TitleChunk[]) => session.addTitles(chunks),
  retitle: (titles: ReadonlyMap<number, string>) => session.retitle(titles),
  setCards: ({ parents, childCounts, problems }: MapCards) => session.setCards(parents, childCounts, problems),
  setLook: (look: MapLook) => session.setLook(look),
  setLevels: ({ levels, colors }: MapLevels) => session.setLevels(levels, colors),
  /** The cards at the roots of the sub-maps that the host lists. */
  setSubMaps: (nodes: Int32Array<ArrayBuffer>) => session.setSubMaps(nodes),
  setMarks: (marks: readonly MapCardMarks[]) => session.setMarks(marks),
  /** The cards that calls named; null for none. */
  setPath: (path: MapPath | null) => session.path.set(path),
  showCalls: (count: number) => session.path.showCalls(count),
  /** The former places of cards, which get rows of their own; null for none. */
  setGhosts: (ghosts: MapGhosts | null) => session.setGhosts(ghosts),
  place({ nodes, depths, matches, projection }: MapRows) {
    if (!context) throw new MapFailure('MAP_UNAVAILABLE', 'a worker cannot draw')
    return session.place({ length: nodes.length, nodes, depths }, matches, projection)
  },
  /** Returns null if the card is not visible. */
  locate: (node: number) => session.locate(node),
  findNearest: (point: { readonly x: number; readonly y: number }) => session.findNearest(point),
  drawFrame(frame: MapFrameRequest) {
    const { shapes, titled, scene } = session.draw(frame)
    const bitmap = paint(frame, scene)
    const { boxes, blockSizes, isOverview = false } = shapes
    const nodes = Int32Array.from(shapes.rows, (row) => session.layout.nodes[row] ?? -1)
    const result: MapFrame = { bitmap, shapes: { nodes, boxes, blockSizes, isOverview }, titled }
    return new HandedOver(result, [bitmap, nodes.buffer, boxes.buffer, blockSizes.buffer, titled.buffer])
  },
  /** Marks of all cards that were read, for the next file. */
  addExportMarks: (marks: readonly MapCardMarks[]) => session.addExportMarks(marks),
  /** Reports the percentage that is written. Returns null if the call was cancelled. */
  writeFile: ({ format, frame, legend, ...request }: MapFileRequest, { report, signal }: WorkerCall<number>) =>
    writeMapFile({
      format,
      legend,
      subject: session.describeFile({ ...request, frame }),
      look: session.look,
      scale: frame.scale,
      measureText: (text, fontPx, isBold) => measureText(getFont(fontPx, isBold, session.look), text),
      isStopped: () => signal.aborted,
      onProgress: (percent) => report(percent),
    }),
}

export type MapMethods = typeof methods

function paint({ size, margin, scale }: MapFrameRequest, scene: MapScene): ImageBitmap {
  if (!canvas || !context || context.isContextLost()) throw new MapFailure('MAP_LOST', 'the graphics failed')
  const [width, height] = [size.width + 2 * margin, size.height + 2 * margin]
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  context.scale(canvas.width / width, canvas.height / height)
  paintScene(context, scene, session.look, width, height)
  return canvas.transferToImageBitmap()
}

servePage(methods)
