import { toFields, toBoolean, toList, parseHostNumber, toText, type HostFields } from '../../../shared/cards.ts'

/** A visual part of a card. Hosts send the parts in visual order (observed-0.49). */
export interface CardPart {
  /** Position in the host's list. */
  readonly position: number
  readonly index: number | null
  readonly kind: string
  /** Id of binary content (spec §2). Some hosts send one for texts, which have no bytes. */
  readonly contentId: string | null
  readonly hasBytes: boolean
  /** Path of the bytes as the host sent it; null if the host sent no path. */
  readonly contentPath: string | null
  readonly mimeType: string
  /** Card of the part: a merged card contains parts of the cards merged into it. */
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

/** The words of these parts are in `texts` of the item. */
const textKinds = new Set(['title', 'text', 'rich_text', 'blank'])

/**
 * Finds the content that holds the bytes of a part. The host's `contentPath` names the card, even
 * for parts that a merged card took over. Without a path, the content belongs to the item's own
 * card (spec §4 note content).
 * @param itemId id of the card that was read
 * @returns null for a part without bytes: a part without an id, or a text for which the host sends
 *   neither a path nor a media type
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

/** Returns null for a path of another form, and for invalid percent-encoding. */
function parseContentPath(path: string | null): { readonly noteid: string; readonly contentId: string } | null {
  const [, noteid, contentId] = /\/notes\/([^/?#]+)\/content\/([^/?#]+)(?:[?#]|$)/.exec(path ?? '') ?? []
  try {
    if (noteid && contentId) return { noteid: decodeURIComponent(noteid), contentId: decodeURIComponent(contentId) }
  } catch {}
  return null
}
