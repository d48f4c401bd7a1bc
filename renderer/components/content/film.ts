import type { ContentRef } from '../../../shared/ipc/content.ts'

/** One picture of a filmstrip, or something that stands for what is no picture. */
export interface FilmItem {
  readonly key: string
  /** Null for what has no bytes (a text part). */
  readonly source: ContentRef | null
  /** The host's word for it: `image`, `ink`, `audio`, `video`, `text` … */
  readonly kind: string
  readonly label: string
}

/** Kinds whose bytes are no picture, so that no thumbnail is asked for. */
export const isPicture = ({ kind, source }: FilmItem): boolean =>
  source !== null && !/audio|video|text|attachment|title/i.test(kind)
