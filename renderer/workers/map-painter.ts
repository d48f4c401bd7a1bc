import { GLYPH_LINE_UNITS, GLYPH_UNITS, glyphPaths, type CardGlyph, type SceneGlyph } from '../model/map/card-glyphs.ts'
import { FRAME_STYLE, type SceneFrame } from '../model/map/sub-map-frames.ts'
import {
  getEdgeCurve,
  resolveSceneColor,
  type MapLook,
  type MapScene,
  type SceneArrow,
  type SceneBox,
  type SceneText,
} from '../model/map/map-scene.ts'

type Context = OffscreenCanvasRenderingContext2D

const DASHES: readonly number[] = [3, 3]

export function getFont(fontPx: number, isBold: boolean, { fontFamily }: MapLook): string {
  return `${isBold ? 600 : 400} ${fontPx.toFixed(2)}px ${fontFamily}`
}

export function paintScene(context: Context, scene: MapScene, look: MapLook, width: number, height: number): void {
  context.fillStyle = look.colors.background
  context.fillRect(0, 0, width, height)
  paintShapes(context, scene, look)
}

/** Paints a scene over what is there. */
export function paintShapes(context: Context, scene: MapScene, look: MapLook): void {
  paintFrames(context, scene.frames ?? [], look)
  for (const { tone, width: lineWidth, ends, isDashed = false } of scene.edges) {
    if (ends.length === 0) continue
    context.setLineDash(isDashed ? DASHES : [])
    context.strokeStyle = look.colors[tone]
    context.lineWidth = lineWidth
    context.stroke(traceEdges(ends, scene.isDown))
  }
  for (const { fill, opacity, boxes } of scene.blocks) {
    context.globalAlpha = opacity
    context.fillStyle = resolveSceneColor(look, fill)
    for (let offset = 0; offset + 3 < boxes.length; offset += 4)
      context.fillRect(boxes[offset] ?? 0, boxes[offset + 1] ?? 0, boxes[offset + 2] ?? 0, boxes[offset + 3] ?? 0)
  }
  context.globalAlpha = 1
  for (const box of scene.boxes) paintBox(context, box, look)
  for (const arrow of scene.arrows ?? []) paintArrow(context, arrow, look)
  context.globalAlpha = 1
  context.textBaseline = 'middle'
  for (const text of scene.texts) paintText(context, text, look)
  context.globalAlpha = 1
  paintGlyphs(context, scene.glyphs ?? [], look)
}

function paintFrames(context: Context, frames: readonly SceneFrame[], look: MapLook): void {
  context.strokeStyle = look.colors[FRAME_STYLE.tone]
  context.lineWidth = FRAME_STYLE.lineWidth
  context.setLineDash([...FRAME_STYLE.dashes])
  for (const { path } of frames) context.stroke(new Path2D(path))
}

const pathByGlyph = new Map<CardGlyph, Path2D>()

function getGlyphPath(glyph: CardGlyph): Path2D {
  const path = pathByGlyph.get(glyph) ?? new Path2D(glyphPaths[glyph])
  pathByGlyph.set(glyph, path)
  return path
}

function paintGlyphs(context: Context, glyphs: readonly SceneGlyph[], look: MapLook): void {
  if (glyphs.length === 0) return
  context.save()
  const transform = context.getTransform()
  context.setLineDash([])
  context.lineCap = 'round'
  context.lineJoin = 'round'
  context.lineWidth = GLYPH_LINE_UNITS
  context.strokeStyle = look.colors.muted
  for (const { glyph, x, y, px } of glyphs) {
    context.setTransform(transform)
    context.translate(x, y)
    context.scale(px / GLYPH_UNITS, px / GLYPH_UNITS)
    context.stroke(getGlyphPath(glyph))
  }
  context.restore()
}

function traceEdges(ends: Float32Array, isDown: boolean): Path2D {
  const path = new Path2D()
  for (let offset = 0; offset + 3 < ends.length; offset += 4) {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = ends.subarray(offset, offset + 4)
    path.moveTo(x1, y1)
    const curve = getEdgeCurve(x1, y1, x2, y2, isDown)
    if (curve) path.bezierCurveTo(...curve)
    else path.lineTo(x2, y2)
  }
  return path
}

function paintBox(
  context: Context,
  { x, y, width, height, radius, fill, line, ...box }: SceneBox,
  look: MapLook,
): void {
  context.beginPath()
  if (radius > 0) context.roundRect(x, y, width, height, radius)
  else context.rect(x, y, width, height)
  if (fill !== null) {
    context.fillStyle = resolveSceneColor(look, fill)
    context.fill()
  }
  if (line === null) return
  context.setLineDash(box.isDashed === true ? DASHES : [])
  context.strokeStyle = resolveSceneColor(look, line)
  context.lineWidth = box.lineWidth
  context.stroke()
}

function paintArrow(
  context: Context,
  { points, tone, width, opacity, isDashed }: SceneArrow,
  { colors }: MapLook,
): void {
  const { start, bend, end, head } = points
  context.globalAlpha = opacity
  context.strokeStyle = colors[tone]
  context.fillStyle = colors[tone]
  context.lineWidth = width
  context.setLineDash(isDashed ? DASHES : [])
  context.beginPath()
  context.moveTo(...start)
  context.quadraticCurveTo(...bend, ...end)
  context.stroke()
  context.beginPath()
  context.moveTo(...end)
  for (const corner of head) context.lineTo(...corner)
  context.fill()
}

function paintText(
  context: Context,
  { x, y, text, fontPx, isBold, tone, opacity, ...style }: SceneText,
  look: MapLook,
): void {
  context.font = getFont(fontPx, isBold, look)
  context.globalAlpha = opacity
  context.textAlign = style.isCentered === true ? 'center' : 'left'
  context.fillStyle = look.colors[tone]
  context.fillText(text, x, y)
  if (style.isStruck === true) context.fillRect(x, y, context.measureText(text).width, Math.max(1, fontPx / 13))
}
