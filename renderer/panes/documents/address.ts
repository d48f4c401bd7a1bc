import type { RouteLocation } from 'vue-router'

export const documentSides = ['pages', 'excerpts', 'contents'] as const
export type DocumentSide = (typeof documentSides)[number]

interface DocumentAddress {
  readonly path: string
  readonly query: Record<string, string>
}

/** The address of a side of a document, or of one of its pages. `topicid` is the study set that it was reached from, where that is known: its breadcrumb keeps it. */
export function documentAddress(
  bookmd5: string,
  side: DocumentSide | `pages/${number}`,
  topicid?: string | null,
): DocumentAddress {
  return {
    path: `/documents/${encodeURIComponent(bookmd5)}/${side}`,
    query: topicid ? { topicid } : {},
  }
}

/** The study set that a document's place was reached from; null if its address names none. */
export function topicidIn({ query }: Pick<RouteLocation, 'query'>): string | null {
  return typeof query['topicid'] === 'string' ? query['topicid'] : null
}
