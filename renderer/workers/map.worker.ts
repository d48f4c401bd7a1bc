import { writeMapFile } from './map-export.ts'
import { getFont, paintScene } from './map-painter.ts'
import {
  MapFailure,
  type MapFileRequest,
  type MapFrameRequest,
  type MapReply,
  type MapRequest,
} from './map-protocol.ts'
import { MapSession } from './map-session.ts'
import { mapTones, type MapLook, type MapScene } from '../model/map/map-scene.ts'

/** Until the page has sent its own. */
const initialLook: MapLook = {
  colors: Object.fromEntries(mapTones.map((tone) => [tone, 'gray'])) as MapLook['colors'],
  fontFamily: 'sans-serif',
}

const canvas = typeof OffscreenCanvas === 'undefined' ? null : new OffscreenCanvas(1, 1)
// The frame has no transparent parts, which makes drawing faster.
const context = canvas?.getContext('2d', { alpha: false }) ?? null
canvas?.addEventListener('contextrestored', () => post({ seq: 0, kind: 'restored' }))
const session = new MapSession(measureText, initialLook)
/** Number of the request whose file is being written; 0 if there is none. */
let exportSeq = 0

function measureText(font: string, text: string): number {
  if (!context) return text.length
  if (context.font !== font) context.font = font
  return context.measureText(text).width
}

const post = (reply: MapReply, transfer: Transferable[] = []): void => postMessage(reply, { transfer })

onmessage = ({ data }: MessageEvent<MapRequest>) => {
  try {
    handleRequest(data)
  } catch (error) {
    postFailure(data.seq, error)
  }
}

function handleRequest(request: MapRequest): void {
  const { seq } = request
  if (!context) throw new MapFailure('MAP_UNAVAILABLE', 'a worker cannot draw')
  switch (request.task) {
    case 'reset':
      session.reset()
      break
    case 'titles':
      session.addTitles(request.chunks)
      break
    case 'retitle':
      session.retitle(request.titles)
      break
    case 'cards':
      session.setCards(request.parents, request.childCounts, request.problems)
      break
    case 'look':
      session.setLook(request.look)
      break
    case 'levels':
      session.setLevels(request.levels, request.colors)
      break
    case 'subMaps':
      session.setSubMaps(request.nodes)
      break
    case 'marks':
      session.setMarks(request.marks)
      break
    case 'path':
      session.path.set(request.path)
      break
    case 'calls':
      session.path.showCalls(request.count)
      break
    case 'ghosts':
      session.setGhosts(request.ghosts)
      break
    case 'layout': {
      const { nodes, depths, matches, projection } = request
      const plan = session.place({ length: nodes.length, nodes, depths }, matches, projection)
      return post({ seq, kind: 'plan', plan })
    }
    case 'locate':
      return post({ seq, kind: 'box', box: session.locate(request.node) })
    case 'frame':
      return drawFrame(seq, request.frame)
    case 'exportMarks':
      session.addExportMarks(request.marks)
      break
    case 'export':
      return void exportMap(seq, request)
    case 'stopExport':
      exportSeq = 0
      break
  }
  post({ seq, kind: 'done' })
}

function drawFrame(seq: number, frame: MapFrameRequest): void {
  const { shapes, titled, scene } = session.draw(frame)
  const bitmap = paint(frame, scene)
  const { boxes, blockSizes } = shapes
  const nodes = Int32Array.from(shapes.rows, (row) => session.layout.nodes[row] ?? -1)
  const transfer = [bitmap, nodes.buffer, boxes.buffer, blockSizes.buffer, titled.buffer]
  post(
    { seq, kind: 'frame', frame: { bitmap, shapes: { nodes, boxes, blockSizes }, titled } },
    transfer as Transferable[],
  )
}

function paint({ size, margin, scale }: MapFrameRequest, scene: MapScene): ImageBitmap {
  if (!canvas || !context || context.isContextLost()) throw new MapFailure('MAP_LOST', 'the graphics failed')
  const [width, height] = [size.width + 2 * margin, size.height + 2 * margin]
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  context.scale(canvas.width / width, canvas.height / height)
  paintScene(context, scene, session.look, width, height)
  return canvas.transferToImageBitmap()
}

async function exportMap(seq: number, { format, frame, legend, ...request }: MapFileRequest): Promise<void> {
  exportSeq = seq
  try {
    const file = await writeMapFile({
      format,
      legend,
      subject: session.describeFile({ ...request, frame }),
      look: session.look,
      scale: frame.scale,
      measureText: (text, fontPx, isBold) => measureText(getFont(fontPx, isBold, session.look), text),
      isStopped: () => exportSeq !== seq,
      onProgress: (percent) => post({ seq, kind: 'progress', percent }),
    })
    post({ seq, kind: 'file', file })
  } catch (error) {
    postFailure(seq, error)
  }
}

function postFailure(seq: number, error: unknown): void {
  const { code, params } = error instanceof MapFailure ? error : { code: 'MAP_STOPPED', params: {} }
  post({ seq, kind: 'failed', message: error instanceof Error ? error.message : String(error), code, params })
}
