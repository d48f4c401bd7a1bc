import type { z } from 'zod'
import type { pagePartSchema, pagePartsSchema } from '../../../shared/bridge/resources/documents.ts'

/** Its own or, without one, that of its content path; null if there is neither. */
export function getPageContentId({ contentId, contentPath = '' }: z.input<typeof pagePartSchema>): string | null {
  if (contentId) return contentId
  const pathId = /\/content\/([^/?#]+)(?:[?#]|$)/.exec(contentPath)?.[1]
  try {
    return pathId ? decodeURIComponent(pathId) : null
  } catch {
    return null
  }
}

/** Deeper members of a response are not searched. */
const MAX_DEPTH = 6

/**
 * Lists the content ids of a page: those of its parts, then those in `contentIds` anywhere in the
 * response, which is the one member that spec §4 names.
 * @returns null if the response has neither list, so that its shape is not known
 */
export function listPageContentIds(response: z.input<typeof pagePartsSchema>): readonly string[] | null {
  const ids = new Set((response.parts ?? []).flatMap((part) => getPageContentId(part) ?? []))
  let hasList = response.parts !== undefined
  const queue: { readonly value: unknown; readonly depth: number }[] = [{ value: response, depth: 0 }]
  for (let item = queue.shift(); item; item = queue.shift()) {
    const { value, depth } = item
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) continue
    for (const [name, member] of Object.entries(value)) {
      if (name === 'contentIds' && Array.isArray(member)) {
        hasList = true
        for (const id of member as unknown[]) if (typeof id === 'string' && id !== '') ids.add(id)
      } else queue.push({ value: member, depth: depth + 1 })
    }
  }
  return hasList ? [...ids] : null
}
