import type { WireError } from '../../shared/errors.ts'
import type { CardGlyph } from '../model/map/card-glyphs.ts'
import type { MapBounds, MapProjection } from '../model/map/map-layout.ts'
import type { PlacedGhosts } from '../model/map/map-ghosts.ts'
import type { MapLegend } from '../model/map/map-legend.ts'
import type { MapShapes } from '../model/map/map-shapes.ts'
import type { MapSize, MapView } from '../model/map/map-view.ts'
import type { TreeChunk } from '../model/tree/tree-chunk.ts'

/** The columns of a page that the map worker needs. */
export type TitleChunk = Pick<TreeChunk, 'start' | 'count' | 'titles' | 'titleEnds' | 'otherTitles' | 'flags'>

export interface MapCardMarks {
  readonly node: number
  /** Empty if the card was not read. */
  readonly glyphs: readonly CardGlyph[]
  /** How the card differs from the chosen snapshot. */
  readonly change: 'added' | 'moved' | 'changed' | null
}

/** A frame to draw: the window, and a margin around it that a movement brings into sight. */
export interface MapFrameRequest {
  readonly view: MapView
  readonly size: MapSize
  readonly margin: number
  /** Device pixels per pixel. */
  readonly scale: number
  readonly selected: number
  /** The card that the host shows; -1 if it is unknown. */
  readonly current: number
}

export type MapFileFormat = 'png' | 'svg'

/** A file of what the frame shows, or of all visible rows. */
export interface MapFileRequest {
  readonly format: MapFileFormat
  readonly extent: 'window' | 'rows'
  readonly frame: MapFrameRequest
  readonly legend: MapLegend
}

export interface MapFile {
  readonly blob: Blob
  /** Less than 1 for a picture that is smaller than the map. */
  readonly scale: number
}

/** Its code is translated by the page. No AppError, because the worker loads no schemas. */
export class MapFailure extends Error {
  readonly code: string
  readonly params: Readonly<Record<string, number>>

  constructor(code: string, message: string, params: Readonly<Record<string, number>> = {}) {
    super(message)
    this.code = code
    this.params = params
  }

  get wire(): WireError {
    return { kind: 'refused', code: this.code, message: this.message, retryable: false, params: this.params }
  }
}

/**
 * The contents of a frame, by shape: the card, or the ghost whose index `getGhostIndex` returns;
 * what its box covers; and the number of cards, or else of ghosts, in a block.
 */
export interface MapFrameShapes extends Pick<MapShapes, 'isOverview' | 'boxes' | 'blockSizes'> {
  readonly nodes: Int32Array
}

export interface MapFrame {
  readonly bitmap: ImageBitmap
  readonly shapes: MapFrameShapes
  /** Cards that are large enough for their titles. */
  readonly titled: Int32Array
}

export interface MapPlan {
  readonly projection: MapProjection
  readonly bounds: MapBounds
  readonly cardCount: number
  /** Null if there are none, or if this projection draws none. */
  readonly ghosts: Pick<PlacedGhosts, 'groups' | 'drawn' | 'grouped' | 'outside'> | null
  /** The whole map, small, as the path of an SVG with the size of `bounds`. */
  readonly thumbnail: string
}
