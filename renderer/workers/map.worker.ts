import { paintScene } from './map-painter.ts'
import type { MapFrameRequest, MapReply, MapRequest } from './map-protocol.ts'
import { MapSession } from './map-session.ts'
import { mapTones, type MapLook, type MapScene } from '../model/map/map-scene.ts'
import { writeSceneSvg } from '../model/map/scene-svg.ts'

/** Until the page has sent its own. */
const initialLook: MapLook = {
  colors: Object.fromEntries(mapTones.map((tone) => [tone, 'gray'])) as MapLook['colors'],
  fontFamily: 'sans-serif',
}

const canvas = new OffscreenCanvas(1, 1)
// The frame has no transparent parts, which makes drawing faster.
const context = canvas.getContext('2d', { alpha: false })
const session = new MapSession((font, text) => {
  if (!context) return text.length
  if (context.font !== font) context.font = font
  return context.measureText(text).width
}, initialLook)

const post = (reply: MapReply, transfer: Transferable[] = []): void => postMessage(reply, { transfer })

onmessage = ({ data }: MessageEvent<MapRequest>) => {
  try {
    handleRequest(data)
  } catch (error) {
    post({ seq: data.seq, kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
}

function handleRequest(request: MapRequest): void {
  const { seq } = request
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
    case 'marks':
      session.setMarks(request.marks)
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
    case 'export':
      return void exportFrame(seq, request.frame, request.format)
  }
  post({ seq, kind: 'done' })
}

function drawFrame(seq: number, frame: MapFrameRequest): void {
  const drawnMap = session.draw(frame)
  paint(frame, drawnMap.scene)
  const { shapes, titled } = drawnMap
  const bitmap = canvas.transferToImageBitmap()
  const { boxes, blockSizes } = shapes
  const nodes = Int32Array.from(shapes.rows, (row) => session.layout.nodes[row] ?? -1)
  const transfer = [bitmap, nodes.buffer, boxes.buffer, blockSizes.buffer, titled.buffer]
  post(
    { seq, kind: 'frame', frame: { bitmap, shapes: { nodes, boxes, blockSizes }, titled } },
    transfer as Transferable[],
  )
}

function paint({ size, margin, scale }: MapFrameRequest, scene: MapScene): void {
  if (!context) throw new Error('no canvas')
  const [width, height] = [size.width + 2 * margin, size.height + 2 * margin]
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  context.scale(canvas.width / width, canvas.height / height)
  paintScene(context, scene, session.look, width, height)
}

async function exportFrame(seq: number, frame: MapFrameRequest, format: 'png' | 'svg'): Promise<void> {
  try {
    const { scene } = session.draw(frame)
    if (format === 'svg') {
      const svg = writeSceneSvg(scene, session.look, frame.size.width, frame.size.height)
      return post({ seq, kind: 'file', file: new Blob([svg], { type: 'image/svg+xml' }) })
    }
    paint(frame, scene)
    post({ seq, kind: 'file', file: await canvas.convertToBlob({ type: 'image/png' }) })
  } catch (error) {
    post({ seq, kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
}
