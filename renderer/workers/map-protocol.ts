import type { CardGlyph } from '../model/map/card-glyphs.ts'
import type { MapBounds, MapProjection } from '../model/map/map-layout.ts'
import type { MapGhosts, PlacedGhosts } from '../model/map/map-ghosts.ts'
import type { MapLegend } from '../model/map/map-legend.ts'
import type { MapPath } from '../model/map/map-path.ts'
import type { MapLook } from '../model/map/map-scene.ts'
import type { MapSize, MapView } from '../model/map/map-view.ts'
import type { TreeChunk } from '../model/tree/tree-chunk.ts'

/** What the map worker needs of a page of the listing. */
export type TitleChunk = Pick<TreeChunk, 'start' | 'count' | 'titles' | 'titleEnds' | 'otherTitles' | 'flags'>

/** What the map shows of a card that was read. */
export interface MapCardMarks {
  readonly node: number
  /** What the card holds; empty if it was not read. */
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

/** Why the worker cannot do what it should, with a code that the page translates. */
export class MapFailure extends Error {
  override readonly name = 'MapFailure'
  readonly code: string
  readonly params: Readonly<Record<string, number>>

  constructor(code: string, message: string, params: Readonly<Record<string, number>> = {}) {
    super(message)
    this.code = code
    this.params = params
  }
}

export type MapTask =
  /** Forgets the cards, because a different tree is open. */
  | { readonly task: 'reset' }
  | { readonly task: 'titles'; readonly chunks: readonly TitleChunk[] }
  | { readonly task: 'retitle'; readonly titles: ReadonlyMap<number, string> }
  | {
      readonly task: 'cards'
      readonly parents: Int32Array
      readonly childCounts: Uint32Array
      readonly problems: Uint8Array
    }
  /** The former places of cards, which get rows of their own; null for none. */
  | { readonly task: 'ghosts'; readonly ghosts: MapGhosts | null }
  /** The cards that calls named; null for none. */
  | { readonly task: 'path'; readonly path: MapPath | null }
  /** Shows the first calls of the path. */
  | { readonly task: 'calls'; readonly count: number }
  /** Places the rows. `matches` has 2 for a match of the filter and 1 for its ancestors. */
  | {
      readonly task: 'layout'
      readonly nodes: Uint32Array
      readonly depths: Uint32Array
      readonly matches: Uint8Array | null
      readonly projection: MapProjection
    }
  | { readonly task: 'look'; readonly look: MapLook }
  /** The color level of each card plus 1, or 0, and the colors of levels as CSS. */
  | { readonly task: 'levels'; readonly levels: Uint8Array<ArrayBuffer>; readonly colors: ReadonlyMap<number, string> }
  /** The cards at the roots of the sub-maps that the host lists. */
  | { readonly task: 'subMaps'; readonly nodes: Int32Array<ArrayBuffer> }
  | { readonly task: 'marks'; readonly marks: readonly MapCardMarks[] }
  | { readonly task: 'frame'; readonly frame: MapFrameRequest }
  | { readonly task: 'locate'; readonly node: number }
  /** What the map shows of all cards that were read, for the next file. */
  | { readonly task: 'exportMarks'; readonly marks: readonly MapCardMarks[] }
  | ({ readonly task: 'export' } & MapFileRequest)
  | { readonly task: 'stopExport' }

export type MapRequest = MapTask & { readonly seq: number }

/**
 * What a frame shows, by shape: the card, or the ghost as `getGhostIndex` tells; what its box
 * covers; and the number of cards, or else of ghosts, in a block.
 */
export interface MapFrameShapes {
  readonly nodes: Int32Array
  readonly boxes: Float32Array
  readonly blockSizes: Uint32Array
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

export type MapReply =
  | { readonly seq: number; readonly kind: 'done' }
  | { readonly seq: number; readonly kind: 'plan'; readonly plan: MapPlan }
  | { readonly seq: number; readonly kind: 'frame'; readonly frame: MapFrame }
  | { readonly seq: number; readonly kind: 'box'; readonly box: MapBounds | null }
  | { readonly seq: number; readonly kind: 'progress'; readonly percent: number }
  /** The graphics failed and work again. No request is waiting for it. */
  | { readonly seq: number; readonly kind: 'restored' }
  /** The file is null if its export was stopped. */
  | { readonly seq: number; readonly kind: 'file'; readonly file: MapFile | null }
  | {
      readonly seq: number
      readonly kind: 'failed'
      readonly message: string
      readonly code: string
      readonly params: MapFailure['params']
    }
