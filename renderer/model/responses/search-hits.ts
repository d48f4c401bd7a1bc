import { parseHitKind, type HitKind, type SearchResult } from '../../../shared/bridge/resources/search.ts'

/** A search hit as far as it tells what it is; no document shows its shape. */
export interface SearchHit {
  readonly kind: HitKind
  /** Id of the object; empty if the hit names none. */
  readonly id: string
  readonly title: string
  /** Text around the match, if the host sends one. */
  readonly text: string
  readonly topicid: string
  readonly bookmd5: string
  /** Position in the list as sent. */
  readonly position: number
}

/** Reads the hits of `GET /search`. If a hit does not name its kind, the ids in it decide. */
export const parseSearchHits = (hits: NonNullable<SearchResult['hits']>): readonly SearchHit[] => hits.map(toHit)

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
    // `id` counts only for a hit that names its kind.
    id: ids[kind] || (namedKind ? findText('id') : ''),
    title: findText('title', 'name'),
    text: findText('text', 'snippet', 'excerpt'),
    topicid,
    bookmd5,
    position,
  }
}

/** The route that shows a hit; null if it names nothing that can be opened. */
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
