import type { RouteLocation } from 'vue-router'

export const documentTabs = ['pages', 'excerpts', 'contents'] as const
export type DocumentTab = (typeof documentTabs)[number]

interface DocumentAddress {
  readonly path: string
  readonly query: Record<string, string>
}

/**
 * Returns the address of a view of a document, or of one of its pages. `topicid` is the study set
 * of the breadcrumb, if known.
 */
export function toDocumentLocation(
  bookmd5: string,
  side: DocumentTab | `pages/${number}`,
  topicid?: string | null,
): DocumentAddress {
  return {
    path: `/documents/${encodeURIComponent(bookmd5)}/${side}`,
    query: topicid ? { topicid } : {},
  }
}

/**
 * Returns the study set that a document's place was reached from; null if its address names none.
 */
export function parseTopicid({ query }: Pick<RouteLocation, 'query'>): string | null {
  return typeof query['topicid'] === 'string' ? query['topicid'] : null
}
