import type { ContentRef } from '../../../shared/ipc/content.ts'

/** One picture in a filmstrip, or a stand-in for something that is not a picture. */
export interface FilmItem {
  readonly key: string
  /** Null if it has no bytes (a text part). */
  readonly source: ContentRef | null
  /** The host's kind: `image`, `ink`, `audio`, `video`, `text` … */
  readonly kind: string
  readonly label: string
}

/** Whether a thumbnail can be requested: not for kinds whose bytes are not a picture. */
export const hasThumbnail = ({ kind, source }: FilmItem): boolean =>
  source !== null && !/audio|video|text|attachment|title/i.test(kind)
