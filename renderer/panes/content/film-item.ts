import type { ContentRef } from '../../../shared/ipc/content.ts'

/** An item of a filmstrip: a picture, or a stand-in for a part that has none. */
export interface FilmItem {
  readonly key: string
  /** Null for a text part, which has no bytes. */
  readonly source: ContentRef | null
  /** The kind as the host names it: `image`, `ink`, `audio`, `video`, `text` … */
  readonly kind: string
  readonly label: string
  /** The number of the part on its card, from 1; without it, items are numbered in their order. */
  readonly number?: number
}

/** Whether an item has a thumbnail, which only pictures have. */
export const hasThumbnail = ({ kind, source }: FilmItem): boolean =>
  source !== null && !/audio|video|text|attachment|title/i.test(kind)
