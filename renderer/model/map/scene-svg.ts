import { GLYPH_LINE_UNITS, GLYPH_UNITS, glyphPaths } from './card-glyphs.ts'
import { FRAME_STYLE } from './sub-map-frames.ts'
import {
  getEdgeCurve,
  resolveSceneColor,
  type MapLook,
  type MapScene,
  type SceneArrow,
  type SceneBox,
  type SceneText,
} from './map-scene.ts'
import type { MapSize } from './map-view.ts'
import { escapeXml } from '../../../shared/format/markup.ts'

const round = (value: number): string => String(Math.round(value * 100) / 100)

const DASHES = ' stroke-dasharray="3 3"'

/** Begins an SVG document, which ends with `SVG_END`. */
export function beginSvg(title: string, look: MapLook, width: number, height: number): string {
  const background = escapeXml(look.colors.background)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${round(width)}" height="${round(height)}" viewBox="0 0 ${round(width)} ${round(height)}" font-family="${escapeXml(look.fontFamily)}" dominant-baseline="central">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="100%" height="100%" fill="${background}"/>\n`,
  ].join('\n')
}

export const SVG_END = '</svg>\n'

/** Place of a scene in a file, and the size to which it is cut if it is part of a larger one. */
export interface ScenePlace {
  readonly x: number
  readonly y: number
  readonly clip?: MapSize
}

export function writeSceneSvg(scene: MapScene, look: MapLook, place: ScenePlace): string {
  const toColor = (tone: string): string => escapeXml(resolveSceneColor(look, tone))
  const writeBox = (box: SceneBox): string =>
    `<rect x="${round(box.x)}" y="${round(box.y)}" width="${round(box.width)}" height="${round(box.height)}" rx="${round(box.radius)}" fill="${box.fill === null ? 'none' : toColor(box.fill)}"${box.line === null ? '' : ` stroke="${toColor(box.line)}" stroke-width="${round(box.lineWidth)}"`}${box.isDashed === true ? DASHES : ''}/>`
  const writeText = (text: SceneText): string =>
    `<text x="${round(text.x)}" y="${round(text.y)}" font-size="${round(text.fontPx)}" fill="${toColor(text.tone)}"${text.opacity < 1 ? ` opacity="${round(text.opacity)}"` : ''}${text.isBold ? ' font-weight="600"' : ''}${text.isCentered === true ? ' text-anchor="middle"' : ''}${text.isStruck === true ? ' text-decoration="line-through"' : ''}>${escapeXml(text.text)}</text>`
  const writeArrow = ({ points: { start, bend, end, head }, tone, width: lineWidth, ...arrow }: SceneArrow): string => {
    const place = (points: readonly (readonly [number, number])[]): string => points.flat().map(round).join(' ')
    const attributes = `stroke="${toColor(tone)}" stroke-width="${round(lineWidth)}"${arrow.isDashed ? DASHES : ''}`
    return `<g opacity="${round(arrow.opacity)}"><path d="M${place([start])}Q${place([bend, end])}" fill="none" ${attributes}/><path d="M${place([end])}L${place(head)}z" fill="${toColor(tone)}"/></g>`
  }
  const edges = scene.edges.flatMap(({ tone, width, ends, isDashed = false }) =>
    ends.length === 0
      ? []
      : `<path d="${writeEdges(ends, scene.isDown)}" fill="none" stroke="${toColor(tone)}" stroke-width="${round(width)}"${isDashed ? DASHES : ''}/>`,
  )
  const blocks = scene.blocks.flatMap(({ fill, opacity, boxes }) =>
    boxes.length === 0
      ? []
      : `<path d="${writeBlocks(boxes)}" fill="${toColor(fill)}" fill-opacity="${round(opacity)}"/>`,
  )
  const frames = (scene.frames ?? []).map(
    ({ path }) =>
      `<path d="${path}" fill="none" stroke="${toColor(FRAME_STYLE.tone)}" stroke-width="${FRAME_STYLE.lineWidth}" stroke-dasharray="${FRAME_STYLE.dashes.join(' ')}"/>`,
  )
  const glyphs = (scene.glyphs ?? []).map(
    ({ glyph, x: left, y: top, px }) =>
      `<path d="${glyphPaths[glyph]}" transform="translate(${round(left)} ${round(top)}) scale(${round(px / GLYPH_UNITS)})" fill="none" stroke="${toColor('muted')}" stroke-width="${GLYPH_LINE_UNITS}" stroke-linecap="round" stroke-linejoin="round"/>`,
  )
  const [x, y] = [round(place.x), round(place.y)]
  const group = place.clip
    ? [`<svg x="${x}" y="${y}" width="${round(place.clip.width)}" height="${round(place.clip.height)}">`, '</svg>']
    : [`<g transform="translate(${x} ${y})">`, '</g>']
  const [start = '', end = ''] = group
  const arrows = (scene.arrows ?? []).map(writeArrow)
  const cards = [...scene.boxes.map(writeBox), ...arrows, ...scene.texts.map(writeText), ...glyphs]
  return [start, ...frames, ...edges, ...blocks, ...cards, end, ''].join('\n')
}

function writeEdges(ends: Float32Array, isDown: boolean): string {
  let path = ''
  for (let offset = 0; offset + 3 < ends.length; offset += 4) {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = ends.subarray(offset, offset + 4)
    const curve = getEdgeCurve(x1, y1, x2, y2, isDown)
    path += `M${round(x1)} ${round(y1)}${curve ? `C${curve.map(round).join(' ')}` : `L${round(x2)} ${round(y2)}`}`
  }
  return path
}

function writeBlocks(boxes: Float32Array): string {
  let path = ''
  for (let offset = 0; offset + 3 < boxes.length; offset += 4) {
    const [x = 0, y = 0, width = 0, height = 0] = boxes.subarray(offset, offset + 4)
    path += `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`
  }
  return path
}
