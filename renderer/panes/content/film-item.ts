import type { ContentRef } from '../../../shared/ipc/content.ts'

/** An item of a filmstrip: a picture, or a stand-in for a part that has none. */
export interface FilmItem {
  readonly key: string
  /** Null for a text part, which has no bytes. */
  readonly source: ContentRef | null
  /** The kind as the host names it: `image`, `ink`, `audio`, `video`, `text` … */
  readonly kind: string
  /** The media type that the host sends with the part; empty if it sends none. */
  readonly mimeType?: string
  readonly label: string
  /** The number of the part on its card, from 1; without it, items are numbered in their order. */
  readonly number?: number
}

/** Null if kind and media type leave it open. The contract shows none of them (spec §2 parts). */
export function isPicture({ kind, mimeType = '' }: Pick<FilmItem, 'kind' | 'mimeType'>): boolean | null {
  if (mimeType !== '') return /^image\//i.test(mimeType)
  if (/audio|sound|video|text|pdf|attachment|title/i.test(kind)) return false
  return /image|picture|photo|drawing|ink/i.test(kind) ? true : null
}

/** Only pictures have a thumbnail. What may be one is requested to find out. */
export function hasThumbnail(item: FilmItem): boolean {
  return item.source !== null && isPicture(item) !== false
}
