import { asFields, flagOf, listOf, numberOf, textOf, type Fields } from '../../../shared/cards.ts'

/** One visual part of a card. The order in which the host sends them is the visual one (observed-0.49). */
export interface CardPart {
  /** Place in the list as sent. */
  readonly at: number
  readonly index: number | null
  readonly kind: string
  /** Identity of a binary item (spec §2). Hosts may give texts one as well; `hasBytes` tells whether there are bytes. */
  readonly contentId: string | null
  /** Whether it has bytes that can be asked for: see `contentOf`. */
  readonly hasBytes: boolean
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
    const contentPath = textOf(fields['contentPath'])
    const part = {
      at,
      index: numberOf(fields['index']),
      kind: textOf(fields['kind'] ?? fields['type']) ?? '',
      contentId: textOf(fields['contentId']) ?? pathIds(contentPath)?.contentId ?? null,
      contentPath,
      mimeType: textOf(fields['mimeType'] ?? fields['contentType']) ?? '',
      noteid: textOf(fields['noteid']),
      excerpt: flagOf(fields['excerpt']) ?? false,
      ocrText: textOf(fields['ocrText']),
      masks: occlusion === null ? null : listOf(occlusion['masks']).length,
    }
    return { ...part, hasBytes: contentOf(part, '') !== null }
  })
}

/** Kinds of parts that are text: the words themselves stand among `texts`. */
const textKinds = new Set(['title', 'text', 'rich_text', 'blank'])

/**
 * Where the bytes of a part come from: which content of which card. The host's own `contentPath` says so, even for what a merged card
 * took over from another; without it, it is the item's own card (spec §4 note content). Null for a part without bytes:
 * it has no id, or it is a kind of text and the host gives neither a path nor a media type for it.
 */
export function contentOf(
  { contentId, contentPath, kind, mimeType }: Pick<CardPart, 'contentId' | 'contentPath' | 'kind' | 'mimeType'>,
  item: string,
): { readonly noteid: string; readonly contentId: string } | null {
  const named = pathIds(contentPath)
  if (named) return named
  if (contentId === null) return null
  const isText = textKinds.has(kind.toLowerCase()) && (mimeType === '' || mimeType.startsWith('text/'))
  return isText && contentPath === null ? null : { noteid: item, contentId }
}

/** The ids in the address of a content; null for a path that is none. */
function pathIds(path: string | null): { readonly noteid: string; readonly contentId: string } | null {
  const [, noteid, contentId] = /\/notes\/([^/?#]+)\/content\/([^/?#]+)(?:[?#]|$)/.exec(path ?? '') ?? []
  try {
    if (noteid && contentId) return { noteid: decodeURIComponent(noteid), contentId: decodeURIComponent(contentId) }
  } catch {
    // A malformed path counts as none.
  }
  return null
}
