import { getStripWidth, placeGlyphs, placeGlyphsInBox, type GlyphStrip, type SceneGlyph } from './card-glyphs.ts'
import { getBadgeWidth, type MapLayout } from './map-layout.ts'
import type { MapCards } from './map-cards.ts'
import { FONT_PX, type MapLabel } from './map-labels.ts'
import type { ArrowPoints } from './map-arrows.ts'
import { formatHiddenCount } from './map-overview.ts'
import type { MapShapes } from './map-shapes.ts'
import { getZoom, projectBox, type MapView } from './map-view.ts'
import type { SceneFrame } from './sub-map-frames.ts'
import { CHANGE_TONES, SmallCards, type SceneBlocks } from './small-cards.ts'

/** The colors of the page, as CSS. */
export const mapTones = [
  'background',
  'box',
  'boxLine',
  'root',
  'edge',
  'path',
  'block',
  'text',
  'muted',
  'accent',
  'selection',
  'match',
  'matchLine',
  'warning',
  'ok',
] as const
export type MapTone = (typeof mapTones)[number]

export interface MapLook {
  readonly colors: Readonly<Record<MapTone, string>>
  readonly fontFamily: string
  /** The text of a card that has no title. */
  readonly untitled?: string
  /** The text of a card whose title was not read. */
  readonly unread?: string
}

const toneNames: ReadonlySet<string> = new Set(mapTones)

/** Returns the color of a tone. Other texts are colors already. */
export function resolveSceneColor({ colors }: MapLook, fill: string): string {
  return toneNames.has(fill) ? colors[fill as MapTone] : fill
}

/** Edges that are shorter than this look the same as straight lines. */
const MIN_CURVE_PX = 4

/** Control points and end of the curve of an edge; null for a straight line. */
export function getEdgeCurve(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  isDown: boolean,
): readonly [number, number, number, number, number, number] | null {
  if (Math.abs(x2 - x1) < MIN_CURVE_PX || Math.abs(y2 - y1) < MIN_CURVE_PX) return null
  const [middleX, middleY] = [(x1 + x2) / 2, (y1 + y2) / 2]
  return isDown ? [x1, middleY, x2, middleY, x2, y2] : [middleX, y1, middleX, y2, x2, y2]
}

export interface SceneBox {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly radius: number
  /** A tone, or a color of the host's palette as CSS. */
  readonly fill: string | null
  readonly line: string | null
  readonly lineWidth: number
  readonly isDashed?: boolean
}

export interface SceneText {
  readonly x: number
  readonly y: number
  readonly text: string
  readonly fontPx: number
  readonly isBold: boolean
  readonly tone: MapTone
  readonly opacity: number
  readonly isCentered?: boolean
  /** True for the title of a card that is gone. */
  readonly isStruck?: boolean
}

interface SceneEdges {
  readonly tone: MapTone
  readonly width: number
  readonly ends: Float32Array
  readonly isDashed?: boolean
}

/** A line that bends to one side, with a head at its end. */
export interface SceneArrow {
  readonly points: ArrowPoints
  readonly tone: MapTone
  readonly width: number
  readonly opacity: number
  readonly isDashed: boolean
}

/** The layers are from back to front. Edges are curves if they are long enough. */
export interface MapScene {
  readonly edges: readonly SceneEdges[]
  readonly isDown: boolean
  readonly blocks: readonly SceneBlocks[]
  readonly boxes: readonly SceneBox[]
  readonly arrows?: readonly SceneArrow[]
  readonly texts: readonly SceneText[]
  readonly glyphs?: readonly SceneGlyph[]
  /** They are behind all others. */
  readonly frames?: readonly SceneFrame[]
}

/** Titles of roots are larger by this than those of other cards. */
export const ROOT_FONT_SCALE = 1.08
/** Boxes that are lower than this, and have no title in them, have no corners or lines. */
const MIN_DETAIL_PX = 11
const MIN_RING_PX = 10
const BADGE_FONT_PX = 10
const MIN_BADGE_FONT_PX = 6
export function buildMapScene(
  layout: MapLayout,
  shapes: MapShapes,
  labels: readonly MapLabel[],
  view: MapView,
  cards: MapCards,
): MapScene {
  const boxes: SceneBox[] = []
  const texts: SceneText[] = []
  const glyphs: SceneGlyph[] = []
  /** They interrupt the rings around cards as well. */
  const strips: SceneBox[] = []
  const smallCards = new SmallCards(layout, cards)
  const { isOverview = false } = shapes
  const scale = isOverview ? 1 : getZoom(view)
  const isIcicle = layout.projection === 'icicle'
  const lastOfPath = cards.selectedRow
  const isOnPath = (row: number): boolean => lastOfPath >= row && lastOfPath < (layout.ends[row] ?? 0)
  const titledRows = new Set(labels.map(({ row }) => row))

  const getBadge = (row: number): number =>
    isIcicle || isOverview ? 0 : getBadgeWidth(cards.getHiddenCount(row)) * scale

  for (let index = 0; index < shapes.count; index += 1) {
    const row = shapes.rows[index] ?? 0
    const [x = 0, y = 0, width = 0, height = 0] = shapes.boxes.subarray(index * 4, index * 4 + 4)
    const isSelected = row === cards.selectedRow
    const blockSize = shapes.blockSizes[index] ?? 0
    if (blockSize > 0) {
      smallCards.addBlock(row, blockSize, x, y, width, height)
      continue
    }
    if (Math.min(width, height) < MIN_DETAIL_PX && !isSelected && !titledRows.has(row)) {
      smallCards.addCard(row, isOnPath(row) || cards.getMatch(row) === 2, x, y, width, height)
      continue
    }
    const depth = layout.depths[row] ?? 0
    const isMatch = cards.getMatch(row) === 2
    const radius = isIcicle ? 0 : Math.min(height / 2, (depth === 0 ? 8 : 6) * scale)
    const fill: MapTone = isSelected ? 'selection' : isMatch ? 'match' : depth === 0 ? 'root' : 'box'
    const line: MapTone = isMatch ? 'matchLine' : 'boxLine'
    const badge = getBadge(row)
    const boxWidth = width - badge
    boxes.push({ x, y, width: boxWidth, height, radius, fill, line, lineWidth: 1 })
    if (cards.isSubMap(row) && cards.subMapFrames?.covers(row) !== true && !isIcicle)
      boxes.push({
        x: x - 3,
        y: y - 3,
        width: boxWidth + 6,
        height: height + 6,
        radius: radius + 3,
        fill: null,
        line: 'boxLine',
        lineWidth: 1,
        isDashed: true,
      })
    if (!isIcicle && !isOverview)
      addStrip(placeGlyphsInBox(cards.getGlyphs(row), { x, y, width: boxWidth, height }, scale), fill)
    // Titles of columns keep their size, and so does the color before them.
    addMarks(row, { x, y, width: boxWidth, height }, isIcicle ? Math.min(1, scale) : scale)
    if (badge > 0 && BADGE_FONT_PX * scale >= MIN_BADGE_FONT_PX) addBadge(row, x + boxWidth, y + height / 2, scale)
  }

  function addStrip(strip: GlyphStrip | null, fill: MapTone): void {
    if (strip === null) return
    const { x, y, width, height } = strip
    strips.push({ x, y, width, height, radius: height / 2, fill, line: null, lineWidth: 0 })
    glyphs.push(...strip.glyphs)
  }

  function addMarks(row: number, box: { x: number; y: number; width: number; height: number }, zoom: number): void {
    const color = cards.levelColors.get(cards.getLevel(row) - 1)
    const change = cards.getChange(row)
    const inset = Math.min(4 * zoom, box.height / 4)
    if (color !== undefined)
      boxes.push({
        x: box.x + 3 * zoom,
        y: box.y + inset,
        width: 3 * zoom,
        height: box.height - 2 * inset,
        radius: 1.5 * zoom,
        fill: color,
        line: null,
        lineWidth: 0,
      })
    if (change !== null)
      boxes.push({
        x: box.x - 4,
        y: box.y,
        width: 3,
        height: box.height,
        radius: 0,
        fill: CHANGE_TONES[change],
        line: null,
        lineWidth: 0,
      })
    if (cards.hasProblem(row, 1))
      boxes.push({
        x: box.x + box.width - 3.5 * zoom,
        y: box.y - 3.5 * zoom,
        width: 7 * zoom,
        height: 7 * zoom,
        radius: 3.5 * zoom,
        fill: 'warning',
        line: 'background',
        lineWidth: 1,
      })
  }

  function addBadge(row: number, x: number, middle: number, zoom: number): void {
    const [width, height] = [36 * zoom, 16 * zoom]
    boxes.push({
      x: x + 6 * zoom,
      y: middle - height / 2,
      width,
      height,
      radius: height / 2,
      fill: 'background',
      line: 'boxLine',
      lineWidth: 1,
    })
    texts.push({
      x: x + 6 * zoom + width / 2,
      y: middle,
      text: cards.formatCount(cards.getHiddenCount(row)),
      fontPx: BADGE_FONT_PX * zoom,
      isBold: false,
      tone: 'muted',
      opacity: 1,
      isCentered: true,
    })
  }

  for (const { row, x, y, fontPx, maxWidth, opacity, hiddenCount = 0 } of labels) {
    const depth = layout.depths[row] ?? 0
    const isBold = depth < 2 && !isIcicle
    const size = depth === 0 && !isOverview && !isIcicle ? fontPx * ROOT_FONT_SCALE : fontPx
    const rowGlyphs = isIcicle ? cards.getGlyphs(row) : []
    const stripWidth = getStripWidth(rowGlyphs.length, 1)
    const hasStrip = stripWidth > 0 && stripWidth < maxWidth / 2
    if (hasStrip) glyphs.push(...(placeGlyphs(rowGlyphs, x + maxWidth + 4, y, 1)?.glyphs ?? []))
    const textWidth = hasStrip ? maxWidth - stripWidth : maxWidth
    const text = cards.fitTitle(row, (textWidth / size) * FONT_PX, isBold)
    const tone: MapTone = cards.getMatch(row) === 1 ? 'muted' : 'text'
    texts.push({ x, y, text, fontPx: size, isBold, tone, opacity })
    if (hiddenCount > 0)
      texts.push({
        x: x + maxWidth + 4,
        y,
        text: formatHiddenCount(hiddenCount),
        fontPx: size,
        isBold: false,
        tone: 'muted',
        opacity,
      })
  }

  /** A line around a card, which is visible even where its box is too small to be drawn. */
  function ring(row: number, distance: number, tone: 'ok' | 'accent'): SceneBox[] {
    if (row < 0 || row >= layout.length) return []
    const index = isOverview ? shapes.rows.indexOf(row) : -1
    const [x = 0, y = 0, boxWidth = 0, boxHeight = 0] = shapes.boxes.subarray(index * 4, index * 4 + 4)
    const box = index < 0 ? projectBox(layout, view, row) : { x, y, width: boxWidth, height: boxHeight }
    const badge = getBadge(row)
    const width = Math.max(MIN_RING_PX, box.width - badge + 2 * distance)
    const height = Math.max(MIN_RING_PX, box.height + 2 * distance)
    return [
      {
        x: box.x + (box.width - badge - width) / 2,
        y: box.y + (box.height - height) / 2,
        width,
        height,
        radius: isIcicle ? 0 : Math.min(height / 2, 7 * scale + distance),
        fill: null,
        line: tone,
        lineWidth: 2,
        isDashed: tone === 'ok',
      },
    ]
  }

  return {
    edges: splitEdges(shapes, isOnPath, scale),
    isDown: layout.projection === 'down',
    blocks: smallCards.blocks,
    boxes: [...boxes, ...ring(cards.currentRow, 4, 'ok'), ...ring(cards.selectedRow, 1, 'accent'), ...strips],
    texts,
    glyphs,
  }
}

/** The edges to the selected card are drawn over the others, in a tone of their own. */
function splitEdges(
  { edgeCount, edges, edgeRows }: MapShapes,
  isOnPath: (row: number) => boolean,
  scale: number,
): MapScene['edges'] {
  const path: number[] = []
  for (let index = 0; index < edgeCount; index += 1)
    if (isOnPath(edgeRows[index] ?? 0)) path.push(...edges.subarray(index * 4, index * 4 + 4))
  const width = Math.min(2, Math.max(1, 1.25 * scale))
  return [
    { tone: 'edge', width, ends: edges },
    { tone: 'path', width: width + 0.5, ends: Float32Array.from(path) },
  ]
}
