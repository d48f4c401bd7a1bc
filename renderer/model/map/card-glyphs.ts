import type { CardMarks } from '../cards/card-marks.ts'

/** Outlines of a row's icons (Lucide) in the order of glyphs, as paths in `GLYPH_UNITS`. */
export const glyphPaths = {
  practice:
    'M22 12a10 10 0 1 1-20 0a10 10 0 1 1 20 0M18 12a6 6 0 1 1-12 0a6 6 0 1 1 12 0M14 12a2 2 0 1 1-4 0a2 2 0 1 1 4 0',
  hashtag: 'M4 9h16M4 15h16M10 3 8 21M16 3l-2 18',
  audio: 'M9 18V5l12-2v13M9 18a3 3 0 1 1-6 0a3 3 0 1 1 6 0M21 16a3 3 0 1 1-6 0a3 3 0 1 1 6 0',
  video: 'M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM7 3v18M17 3v18M3 12h18',
  attachment:
    'm16 6-8.414 8.586a2 2 0 0 0 2.829 2.829l8.414-8.586a4 4 0 1 0-5.657-5.657l-8.379 8.551a6 6 0 1 0 8.485 8.485l8.379-8.551',
  bands: 'M4 6h16a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2z',
  ink: 'm11 10 3 3M6.5 21A3.5 3.5 0 1 0 3 17.5a2.62 2.62 0 0 1-.708 1.792A1 1 0 0 0 3 21zM9.969 17.031 21.378 5.624a1 1 0 0 0-3.002-3.002L6.967 14.031',
  picture:
    'M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM11 9a2 2 0 1 1-4 0a2 2 0 1 1 4 0m10 6-3.086-3.086a2 2 0 0 0-2.828 0L6 21',
  text: 'M21 5H3M15 12H3M17 19H3',
} as const satisfies Readonly<Record<string, string>>
export const GLYPH_UNITS = 24
export const GLYPH_LINE_UNITS = 2

export type CardGlyph = keyof typeof glyphPaths
export const cardGlyphs = Object.keys(glyphPaths) as readonly CardGlyph[]

/** Lists the glyphs as far as the card was read. */
export function listCardGlyphs({ groups, hasBands, hasInk, practice, tags }: CardMarks): CardGlyph[] {
  const present: Readonly<Record<CardGlyph, boolean>> = {
    practice: practice !== null,
    hashtag: tags.length > 0,
    audio: groups.includes('audio'),
    video: groups.includes('video'),
    attachment: groups.includes('attachment'),
    bands: hasBands,
    ink: hasInk,
    picture: groups.includes('picture'),
    text: groups.includes('text'),
  }
  return cardGlyphs.filter((glyph) => present[glyph])
}

export interface SceneGlyph {
  readonly glyph: CardGlyph
  readonly x: number
  readonly y: number
  readonly px: number
}

/** Glyphs in smaller maps could not be told from each other. */
const MIN_ZOOM = 0.8
const GLYPH_PX = 9
const GAP_PX = 3
const INSET_PX = 6
const STRIP_HEIGHT_PX = 11

export interface GlyphStrip {
  /** Background of the glyphs, so that no line crosses them. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly glyphs: readonly SceneGlyph[]
}

/** Width of the glyphs of a card with the space around them, in pixels; 0 if they are too small. */
export function getStripWidth(glyphCount: number, zoom: number): number {
  return glyphCount === 0 || zoom < MIN_ZOOM ? 0 : (glyphCount * (GLYPH_PX + GAP_PX) + GAP_PX) * zoom
}

/** Places glyphs side by side: `right` ends their strip, `middle` halves its height. */
export function placeGlyphs(
  glyphs: readonly CardGlyph[],
  right: number,
  middle: number,
  zoom: number,
): GlyphStrip | null {
  const width = getStripWidth(glyphs.length, zoom)
  if (width === 0) return null
  const x = right - width
  const height = STRIP_HEIGHT_PX * zoom
  const px = GLYPH_PX * zoom
  const placed = glyphs.map((glyph, index) => ({
    glyph,
    x: x + (GAP_PX + index * (GLYPH_PX + GAP_PX)) * zoom,
    y: middle - px / 2,
    px,
  }))
  return { x, y: middle - height / 2, width, height, glyphs: placed }
}

/** The strip of a box interrupts its lower line near its end, where no title and no edge are. */
export function placeGlyphsInBox(
  glyphs: readonly CardGlyph[],
  box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  zoom: number,
): GlyphStrip | null {
  const limit = Math.floor((box.width / zoom - 2 * INSET_PX - GAP_PX) / (GLYPH_PX + GAP_PX))
  return placeGlyphs(glyphs.slice(0, Math.max(0, limit)), box.x + box.width - INSET_PX * zoom, box.y + box.height, zoom)
}
