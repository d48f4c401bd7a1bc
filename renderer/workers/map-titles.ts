import { FONT_PX } from '../model/map/map-labels.ts'
import { getGhostIndex } from '../model/map/map-ghosts.ts'
import { ROOT_FONT_SCALE, type MapLook } from '../model/map/map-scene.ts'
import { cutTitle, TitleWidths } from '../model/map/title-width.ts'
import { growArray } from '../model/tree/array-growth.ts'
import { ChunkList } from '../model/tree/chunk-list.ts'
import type { MapGhostRows } from './map-ghost-rows.ts'
import { getFont } from './map-painter.ts'
import type { TitleChunk } from './map-protocol.ts'

export type MeasureText = (font: string, text: string) => number

const MAX_CACHED_TEXTS = 5_000
/** Letters and characters of titles, to compare the widths of fonts. */
const SAMPLE_TEXT = 'The quick brown fox 0123456789 汉字'
/** Characters of a title that can be in a box. */
const MAX_TITLE_CHARS = 160
/** The columns of a page that the map does not need. */
const emptyColumns = {
  otherIds: { rows: new Uint32Array(0), text: '', ends: new Uint32Array(0) },
  uuids: new Uint32Array(0),
  docPages: new Uint32Array(0),
  docBooks: new Uint32Array(0),
  books: [],
}

/** The titles of all cards, with their widths in the font of the look. */
export class MapTitles {
  readonly #measureText: MeasureText
  readonly #chunks = new ChunkList()
  /** Width of each title at `FONT_PX`. */
  #widthByNode = new Uint16Array(0)
  #look: MapLook
  /** Null until titles are measured in the font of the look. */
  #widths: TitleWidths | null = null
  #fittedTitles = new Map<string, string>()

  constructor(measureText: MeasureText, look: MapLook) {
    this.#measureText = measureText
    this.#look = look
  }

  get look(): MapLook {
    return this.#look
  }

  add(chunk: TitleChunk): void {
    this.#chunks.add({ ...emptyColumns, ...chunk })
    this.#measureTitles(chunk)
  }

  retitle(titles: ReadonlyMap<number, string>): void {
    for (const [node, title] of titles) {
      this.#chunks.setTitle(node, title)
      this.#widthByNode[node] = this.getWidths().estimate(new TextEncoder().encode(title))
    }
    this.forgetFittedTitles()
  }

  forgetFittedTitles(): void {
    this.#fittedTitles.clear()
  }

  /** Returns true if titles have other widths now. */
  setLook(look: MapLook): boolean {
    const isSameText =
      look.fontFamily === this.#look.fontFamily &&
      look.untitled === this.#look.untitled &&
      look.unread === this.#look.unread
    this.#look = look
    if (isSameText) return false
    this.#widths = null
    for (const chunk of this.#chunks.chunks) this.#measureTitles(chunk)
    this.retitle(new Map(this.#chunks.changedTitles))
    return true
  }

  getWidth(node: number): number {
    return this.#widthByNode[node] ?? 0
  }

  isSubMap(node: number): boolean {
    return this.#chunks.isSubMap(node)
  }

  /** Measuring characters loads their font, so it waits for the one that is needed. */
  getWidths(): TitleWidths {
    const font = getFont(FONT_PX, false, this.#look)
    this.#widths ??= new TitleWidths((text) => this.#measureText(font, text))
    return this.#widths
  }

  /** The titles of roots are larger and bold, and those of their children are bold. */
  measureFontScales(): readonly number[] {
    const measure = (isBold: boolean): number => this.#measureText(getFont(FONT_PX, isBold, this.#look), SAMPLE_TEXT)
    const boldScale = Math.max(1, measure(true) / Math.max(1, measure(false)))
    return [ROOT_FONT_SCALE * boldScale, boldScale]
  }

  #measureTitles({ start, count, titles, titleEnds, otherTitles }: TitleChunk): void {
    const widths = this.getWidths()
    const titleWidths = growArray(this.#widthByNode, start + count)
    this.#widthByNode = titleWidths
    const estimateText = (text: string): number => widths.estimate(new TextEncoder().encode(text))
    const [untitledWidth, unreadWidth] = [
      estimateText(this.#look.untitled ?? ''),
      estimateText(this.#look.unread ?? ''),
    ]
    let position = 0
    for (let row = 0; row < count; row += 1) {
      const end = titleEnds[row] ?? position
      if (end > position) titleWidths[start + row] = widths.estimate(titles, position, end)
      else titleWidths[start + row] = this.#chunks.hasTitle(start + row) ? untitledWidth : unreadWidth
      // A zero byte follows each title.
      position = end + 1
    }
    for (const row of otherTitles.rows) titleWidths[start + row] = estimateText(this.#chunks.getTitle(start + row))
  }

  /** Cuts a title with an ellipsis where it is wider than its box. */
  fit(node: number, maxWidth: number, isBold: boolean, ghosts: MapGhostRows): string {
    const key = `${node} ${Math.round(maxWidth)} ${isBold}`
    const cached = this.#fittedTitles.get(key)
    if (cached !== undefined) return cached
    const font = getFont(FONT_PX, isBold, this.#look)
    const ghost = getGhostIndex(node)
    const fullTitle =
      ghost >= 0
        ? ghosts.getTitle(ghost)
        : this.#chunks.getTitle(node) || (this.#chunks.hasTitle(node) ? this.#look.untitled : this.#look.unread)
    const title = (fullTitle ?? '').slice(0, MAX_TITLE_CHARS).replace(/\s+/gu, ' ').trim()
    const fitted = cutTitle(title, (text) => this.#measureText(font, text) <= maxWidth + 1)
    if (this.#fittedTitles.size >= MAX_CACHED_TEXTS) this.#fittedTitles.clear()
    this.#fittedTitles.set(key, fitted)
    return fitted
  }
}
