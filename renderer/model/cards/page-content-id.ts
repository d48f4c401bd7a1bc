import type { z } from 'zod'
import type { pagePartSchema } from '../../../shared/bridge/resources/documents.ts'

/** The id of the content of a page's part: its own, or the one in the address where its bytes are; null where it has neither. */
export function getPageContentId({ contentId, contentPath = '' }: z.input<typeof pagePartSchema>): string | null {
  if (contentId) return contentId
  const named = /\/content\/([^/?#]+)(?:[?#]|$)/.exec(contentPath)?.[1]
  try {
    return named ? decodeURIComponent(named) : null
  } catch {
    return null
  }
}
