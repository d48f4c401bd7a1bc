import { asFields, flagOf, listOf, numberOf, textOf, type Fields } from './tolerant.ts'

/** One visual part of a card. The order in which the host sends them is the visual one (observed-0.49). */
export interface CardPart {
  /** Place in the list as sent. */
  readonly at: number
  readonly index: number | null
  readonly kind: string
  /** Identity of a binary item (spec §2); null for parts that are only text. */
  readonly contentId: string | null
  /** Where the bytes are, according to the host; null if it does not say. */
  readonly contentPath: string | null
  readonly mimeType: string
  /** The card that the part belongs to: a merged card holds parts of others. */
  readonly noteid: string | null
  readonly excerpt: boolean
  readonly ocrText: string | null
  /** Number of occlusion masks over the image; null if the part has no occlusion. */
  readonly masks: number | null
}

export function partsOf(item: Fields): CardPart[] {
  return listOf(item['parts']).map((entry, at) => {
    const fields = asFields(entry) ?? {}
    const occlusion = asFields(fields['occlusion'])
    return {
      at,
      index: numberOf(fields['index']),
      kind: textOf(fields['kind']) ?? '',
      contentId: textOf(fields['contentId']),
      contentPath: textOf(fields['contentPath']),
      mimeType: textOf(fields['mimeType']) ?? '',
      noteid: textOf(fields['noteid']),
      excerpt: flagOf(fields['excerpt']) ?? false,
      ocrText: textOf(fields['ocrText']),
      masks: occlusion === null ? null : listOf(occlusion['masks']).length,
    }
  })
}

/**
 * Where the bytes of a part come from: which content of which card. The host's own `contentPath` says so, even for what a merged card
 * took over from another; without it, it is the item's own card (spec §4 note content). Null for a part without content.
 */
export function contentOf(
  part: Pick<CardPart, 'contentId' | 'contentPath'>,
  item: string,
): { readonly noteid: string; readonly contentId: string } | null {
  if (part.contentId === null) return null
  const [, noteid, contentId] = /\/notes\/([^/?#]+)\/content\/([^/?#]+)(?:[?#]|$)/.exec(part.contentPath ?? '') ?? []
  try {
    if (noteid && contentId) return { noteid: decodeURIComponent(noteid), contentId: decodeURIComponent(contentId) }
  } catch {
    // A malformed path counts as none.
  }
  return { noteid: item, contentId: part.contentId }
}
