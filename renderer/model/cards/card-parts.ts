import { toFields, toFlag, toList, toNumber, toText, type HostFields } from '../../../shared/cards.ts'

/** One visual part of a card. The order in which the host sends them is the visual one (observed-0.49). */
export interface CardPart {
  /** Place in the list as sent. */
  readonly position: number
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
  readonly isExcerpt: boolean
  readonly ocrText: string | null
  /** Number of occlusion masks over the image; null if the part has no occlusion. */
  readonly maskCount: number | null
}

export function parseCardParts(item: HostFields): CardPart[] {
  return toList(item['parts']).map((entry, position) => {
    const fields = toFields(entry) ?? {}
    const occlusion = toFields(fields['occlusion'])
    const contentPath = toText(fields['contentPath'])
    const part = {
      position,
      index: toNumber(fields['index']),
      kind: toText(fields['kind'] ?? fields['type']) ?? '',
      contentId: toText(fields['contentId']) ?? pathIds(contentPath)?.contentId ?? null,
      contentPath,
      mimeType: toText(fields['mimeType'] ?? fields['contentType']) ?? '',
      noteid: toText(fields['noteid']),
      isExcerpt: toFlag(fields['excerpt']) ?? false,
      ocrText: toText(fields['ocrText']),
      maskCount: occlusion === null ? null : toList(occlusion['masks']).length,
    }
    return { ...part, hasBytes: locatePartContent(part, '') !== null }
  })
}

/** Kinds of parts that are text: the words themselves stand among `texts`. */
const textKinds = new Set(['title', 'text', 'rich_text', 'blank'])

/**
 * Where the bytes of a part come from: which content of which card. The host's own `contentPath` says so, even for what a merged card
 * took over from another; without it, it is the item's own card (spec §4 note content). Null for a part without bytes:
 * it has no id, or it is a kind of text and the host gives neither a path nor a media type for it.
 */
export function locatePartContent(
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
