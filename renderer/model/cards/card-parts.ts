import { toFields, toBoolean, toList, parseHostNumber, toText, type HostFields } from '../../../shared/cards.ts'

/** A visual part of a card. Hosts send the parts in visual order (observed-0.49). */
export interface CardPart {
  /** Position in the list as sent. */
  readonly position: number
  readonly index: number | null
  readonly kind: string
  /** Identity of a binary item (spec §2). Hosts may give texts one as well; see `hasBytes`. */
  readonly contentId: string | null
  /** Whether there are bytes to request; see `locatePartContent`. */
  readonly hasBytes: boolean
  /** Path of the bytes as the host sent it; null if it sent none. */
  readonly contentPath: string | null
  readonly mimeType: string
  /** The card that the part belongs to; a merged card has parts of others. */
  readonly noteid: string | null
  readonly isExcerpt: boolean
  readonly ocrText: string | null
  /** Number of occlusion masks on the image; null if the part has no occlusion. */
  readonly maskCount: number | null
}

export function parseCardParts(item: HostFields): CardPart[] {
  return toList(item['parts']).map((entry, position) => {
    const fields = toFields(entry) ?? {}
    const occlusion = toFields(fields['occlusion'])
    const contentPath = toText(fields['contentPath'])
    const part = {
      position,
      index: parseHostNumber(fields['index']),
      kind: toText(fields['kind'] ?? fields['type']) ?? '',
      contentId: toText(fields['contentId']) ?? parseContentPath(contentPath)?.contentId ?? null,
      contentPath,
      mimeType: toText(fields['mimeType'] ?? fields['contentType']) ?? '',
      noteid: toText(fields['noteid']),
      isExcerpt: toBoolean(fields['excerpt']) ?? false,
      ocrText: toText(fields['ocrText']),
      maskCount: occlusion === null ? null : toList(occlusion['masks']).length,
    }
    return { ...part, hasBytes: locatePartContent(part, '') !== null }
  })
}

/** Kinds of parts that are text; `texts` of the item has their words. */
const textKinds = new Set(['title', 'text', 'rich_text', 'blank'])

/**
 * Finds which content of which card holds the bytes of a part. The host's `contentPath` tells, even
 * for parts that a merged card took over; without it, the content belongs to the item's own card
 * (spec §4 note content).
 * @param itemId id of the card that was read
 * @returns null for a part without bytes: it has no id, or is text and the host sends neither a
 *   path nor a media type
 */
export function locatePartContent(
  { contentId, contentPath, kind, mimeType }: Pick<CardPart, 'contentId' | 'contentPath' | 'kind' | 'mimeType'>,
  itemId: string,
): { readonly noteid: string; readonly contentId: string } | null {
  const pathIds = parseContentPath(contentPath)
  if (pathIds) return pathIds
  if (contentId === null) return null
  const isText = textKinds.has(kind.toLowerCase()) && (mimeType === '' || mimeType.startsWith('text/'))
  return isText && contentPath === null ? null : { noteid: itemId, contentId }
}

/** The ids in a content path; null for any other path. */
function parseContentPath(path: string | null): { readonly noteid: string; readonly contentId: string } | null {
  const [, noteid, contentId] = /\/notes\/([^/?#]+)\/content\/([^/?#]+)(?:[?#]|$)/.exec(path ?? '') ?? []
  try {
    if (noteid && contentId) return { noteid: decodeURIComponent(noteid), contentId: decodeURIComponent(contentId) }
  } catch {
    // A malformed path counts as no path.
  }
  return null
}
