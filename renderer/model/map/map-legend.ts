import { cardGlyphs, type CardGlyph, type SceneGlyph } from './card-glyphs.ts'
import type { MapScene, MapTone, SceneBox, SceneText } from './map-scene.ts'

/** The signs are in the order of the legend. */
export const mapSigns = [
  'selected',
  'current',
  'match',
  'color',
  'collapsed',
  'block',
  'subMap',
  'problem',
  'change',
  'ghost',
  'named',
  'written',
  ...cardGlyphs,
] as const
export type MapSign = (typeof mapSigns)[number]

/** The texts of the legend of a file. */
export interface MapLegend {
  readonly title: string
  readonly facts: readonly string[]
  readonly signs: readonly { readonly sign: MapSign; readonly label: string }[]
}

/** Returns the width of a text in pixels. */
export type MeasureLegendText = (text: string, fontPx: number, isBold: boolean) => number

export const LEGEND_MARGIN_PX = 24
/** A map that is narrower than this has space beside it, so that its legend is not a column. */
export const MIN_LEGEND_WIDTH_PX = 640
/** Nobody reads lines that are as long as a map may be wide. */
const MAX_LEGEND_WIDTH_PX = 1_200
const TITLE_FONT_PX = 18
const TITLE_LINE_PX = 28
const FONT_PX = 12
const LINE_PX = 18
const SIGN_WIDTH_PX = 26
const SIGN_HEIGHT_PX = 14
const SIGN_LINE_PX = 24
const GLYPH_PX = 13
const SIGN_GAP_PX = 8
const COLUMN_GAP_PX = 24
const MAX_TITLE_CHARS = 300

/** Draws a legend at the upper left corner. The height includes its margins. */
export function buildLegend(
  { title, facts, signs }: MapLegend,
  pictureWidth: number,
  measure: MeasureLegendText,
): { readonly scene: MapScene; readonly height: number } {
  const boxes: SceneBox[] = []
  const texts: SceneText[] = []
  const glyphs: SceneGlyph[] = []
  const width = Math.min(pictureWidth, MAX_LEGEND_WIDTH_PX) - 2 * LEGEND_MARGIN_PX
  let top = LEGEND_MARGIN_PX
  const addLines = (text: string, tone: MapTone, fontPx: number, linePx: number, isBold: boolean): void => {
    for (const line of wrapText(text, width, (part) => measure(part, fontPx, isBold))) {
      texts.push({ ...TEXT, x: LEGEND_MARGIN_PX, y: top + linePx / 2, text: line, fontPx, isBold, tone })
      top += linePx
    }
  }
  addLines(title.slice(0, MAX_TITLE_CHARS), 'text', TITLE_FONT_PX, TITLE_LINE_PX, true)
  for (const fact of facts) addLines(fact, 'muted', FONT_PX, LINE_PX, false)
  top += SIGN_GAP_PX
  let left = LEGEND_MARGIN_PX
  for (const { sign, label } of signs) {
    const signWidth = SIGN_WIDTH_PX + SIGN_GAP_PX + measure(label, FONT_PX, false)
    if (left > LEGEND_MARGIN_PX && left + signWidth > LEGEND_MARGIN_PX + width) {
      left = LEGEND_MARGIN_PX
      top += SIGN_LINE_PX
    }
    const middle = top + SIGN_LINE_PX / 2
    if (isGlyph(sign))
      glyphs.push({ glyph: sign, x: left + (SIGN_WIDTH_PX - GLYPH_PX) / 2, y: middle - GLYPH_PX / 2, px: GLYPH_PX })
    else boxes.push(...drawSign(sign, left, middle - SIGN_HEIGHT_PX / 2))
    const x = left + SIGN_WIDTH_PX + SIGN_GAP_PX
    texts.push({ ...TEXT, x, y: middle, text: label, fontPx: FONT_PX, isBold: false, tone: 'text' })
    left += signWidth + COLUMN_GAP_PX
  }
  if (signs.length > 0) top += SIGN_LINE_PX
  const height = Math.ceil(top + LEGEND_MARGIN_PX / 2)
  const line = { ...BOX, x: 0, y: height - 1, width: pictureWidth, height: 1, radius: 0, fill: 'boxLine' as const }
  return { scene: { edges: [], isDown: false, blocks: [], boxes: [...boxes, line], texts, glyphs }, height }
}

const TEXT = { opacity: 1 } as const
const BOX = { line: null, lineWidth: 0 } as const

export function isGlyph(sign: MapSign): sign is CardGlyph {
  return cardGlyphs.includes(sign as CardGlyph)
}

function drawSign(sign: Exclude<MapSign, CardGlyph>, x: number, y: number): readonly SceneBox[] {
  const card: SceneBox = {
    x,
    y,
    width: SIGN_WIDTH_PX,
    height: SIGN_HEIGHT_PX,
    radius: 5,
    fill: 'box',
    line: 'boxLine',
    lineWidth: 1,
  }
  const bar = (barX: number, fill: MapTone): SceneBox => ({ ...card, ...BOX, x: barX, width: 3, radius: 0, fill })
  switch (sign) {
    case 'selected':
      return [{ ...card, fill: 'selection', line: 'accent', lineWidth: 2 }]
    case 'current':
      return [{ ...card, line: 'ok', lineWidth: 2, isDashed: true }]
    case 'match':
      return [{ ...card, fill: 'match', line: 'matchLine' }]
    case 'color':
      return [card, { ...bar(x + 3, 'warning'), y: y + 3, height: SIGN_HEIGHT_PX - 6, radius: 1.5 }]
    case 'collapsed':
      return [{ ...card, radius: SIGN_HEIGHT_PX / 2, fill: 'background' }]
    case 'block':
      return [{ ...card, ...BOX, y: y + 5, height: 4, radius: 0, fill: 'block' }]
    case 'subMap':
      return [
        { ...card, x: x + 2, y: y + 2, width: SIGN_WIDTH_PX - 4, height: SIGN_HEIGHT_PX - 4 },
        { ...card, fill: null, isDashed: true },
      ]
    case 'problem':
      return [
        { ...card, ...BOX, x: x + SIGN_WIDTH_PX / 2 - 4, y: y + 3, width: 8, height: 8, radius: 4, fill: 'warning' },
      ]
    case 'change':
      return [bar(x + 4, 'ok'), bar(x + 11, 'accent'), bar(x + 18, 'warning')]
    case 'ghost':
      return [{ ...card, fill: null, line: 'muted', isDashed: true }]
    case 'named':
      return [{ ...card, line: 'accent' }]
    case 'written':
      return [{ ...card, line: 'warning' }]
  }
}

/** Breaks a text between words, and between characters of scripts that have no spaces. */
function wrapText(text: string, width: number, measure: (part: string) => number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.match(/[\u2e80-\uffef]|[^\s\u2e80-\uffef]{1,60}\s*|\s+/gu) ?? []) {
    if (line !== '' && measure((line + word).trimEnd()) > width) {
      lines.push(line.trimEnd())
      line = ''
    }
    line += word
  }
  return line.trim() === '' ? lines : [...lines, line.trimEnd()]
}
