import type { RouteLocation } from 'vue-router'

export const documentTabs = ['pages', 'excerpts', 'contents'] as const
export type DocumentTab = (typeof documentTabs)[number]

/** `topicid` is the study set of the breadcrumb, if known. */
export function toDocumentLocation(bookmd5: string, side: DocumentTab | `pages/${number}`, topicid?: string | null) {
  return {
    path: `/documents/${encodeURIComponent(bookmd5)}/${side}`,
    query: topicid ? { topicid } : {},
  }
}

/** The study set from which the document was opened; null if the address names none. */
export function parseTopicid({ query }: Pick<RouteLocation, 'query'>): string | null {
  return typeof query['topicid'] === 'string' ? query['topicid'] : null
}
