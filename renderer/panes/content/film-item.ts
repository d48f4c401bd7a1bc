import type { ContentRef } from '../../../shared/ipc/content.ts'

/** An item of a filmstrip: a picture, or a stand-in for a part that has none. */
export interface FilmItem {
  readonly key: string
  /** Null if it has no bytes (a text part). */
  readonly source: ContentRef | null
  /** The kind as the host names it: `image`, `ink`, `audio`, `video`, `text` … */
  readonly kind: string
  readonly label: string
}

/** Whether a thumbnail can be requested: not for kinds whose bytes are not a picture. */
export const hasThumbnail = ({ kind, source }: FilmItem): boolean =>
  source !== null && !/audio|video|text|attachment|title/i.test(kind)
