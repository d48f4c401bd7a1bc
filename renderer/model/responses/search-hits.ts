import { parseHitKind, type HitKind, type SearchResult } from '../../../shared/bridge/resources/search.ts'

/** A search hit. The contract does not show its shape. */
export interface SearchHit {
  readonly kind: HitKind
  /** Empty if the hit contains no id. */
  readonly id: string
  readonly title: string | undefined
  /** Text around the match; empty if the host sends none. */
  readonly text: string
  readonly topicid: string
  readonly bookmd5: string
  /** Position in the host's list. */
  readonly position: number
}

/** If a hit of `GET /search` does not name its kind, the kind follows from its ids. */
export function parseSearchHits(hits: NonNullable<SearchResult['hits']>): readonly SearchHit[] {
  return hits.map(toHit)
}

function toHit(item: Record<string, unknown>, position: number): SearchHit {
  const findText = (...names: string[]): string => {
    for (const name of names) {
      const value = item[name]
      if (typeof value === 'string' && value !== '') return value
    }
    return ''
  }
  const noteid = findText('noteid', 'noteId', 'cardNoteId')
  const topicid = findText('topicid', 'topicId', 'studySetId')
  const bookmd5 = findText('bookmd5', 'bookMd5', 'bookMD5', 'md5')
  const deckId = findText('deckId', 'deckid')
  const namedKind = parseHitKind(findText('kind', 'type'))
  const kind = namedKind ?? (noteid ? 'note' : deckId ? 'deck' : bookmd5 ? 'document' : topicid ? 'studySet' : 'other')
  const ids: Record<HitKind, string> = { note: noteid, studySet: topicid, document: bookmd5, deck: deckId, other: '' }
  return {
    kind,
    id: ids[kind] || findText('id'),
    title: findText('title', 'name') || (Object.hasOwn(item, 'title') ? '' : undefined),
    text: findText('text', 'snippet', 'excerpt'),
    topicid,
    bookmd5,
    position,
  }
}

/** Returns null if no page can show the hit. */
export function getSearchHitPath({ kind, id, topicid }: SearchHit): string | null {
  if (id === '') return null
  const encodedId = encodeURIComponent(id)
  switch (kind) {
    case 'note':
      return `/notes/${encodedId}${topicid === '' ? '' : `?topicid=${encodeURIComponent(topicid)}`}`
    case 'studySet':
      return `/study-sets/${encodedId}/tree`
    case 'document':
      return `/documents/${encodedId}/pages`
    case 'deck':
      return `/decks/${encodedId}`
    case 'other':
      return null
  }
}
