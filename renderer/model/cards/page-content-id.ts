import type { z } from 'zod'
import type { pagePartSchema } from '../../../shared/bridge/resources/documents.ts'

/**
 * Returns the content id of a part: its own or, without one, the one in its content path; null if
 * there is neither.
 */
export function getPageContentId({ contentId, contentPath = '' }: z.input<typeof pagePartSchema>): string | null {
  if (contentId) return contentId
  const pathId = /\/content\/([^/?#]+)(?:[?#]|$)/.exec(contentPath)?.[1]
  try {
    return pathId ? decodeURIComponent(pathId) : null
  } catch {
    return null
  }
}
