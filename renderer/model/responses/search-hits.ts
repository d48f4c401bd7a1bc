import { parseHitKind, type HitKind, type SearchResult } from '../../../shared/bridge/resources/search.ts'

/** A search hit, as far as it says what it is: the documents do not show its shape. */
export interface SearchHit {
  readonly kind: HitKind
  /** Id of what was found; empty if the hit names none. */
  readonly id: string
  readonly title: string
  /** Text around the match, if the host sends one. */
  readonly text: string
  readonly topicid: string
  readonly bookmd5: string
  /** Place in the list. */
  readonly position: number
}

/** The hits of `GET /search` (`hits` as read); if a hit does not name its kind, the ids that it carries decide. */
export const parseSearchHits = (hits: NonNullable<SearchResult['hits']>): readonly SearchHit[] => hits.map(hitOf)

function hitOf(item: Record<string, unknown>, position: number): SearchHit {
  const text = (...names: string[]): string => {
    for (const name of names) {
      const value = item[name]
      if (typeof value === 'string' && value !== '') return value
    }
    return ''
  }
  const noteid = text('noteid', 'noteId', 'cardNoteId')
  const topicid = text('topicid', 'topicId', 'studySetId')
  const bookmd5 = text('bookmd5', 'bookMd5', 'bookMD5', 'md5')
  const deckId = text('deckId', 'deckid')
  const called = parseHitKind(text('kind', 'type'))
  const kind = called ?? (noteid ? 'note' : deckId ? 'deck' : bookmd5 ? 'document' : topicid ? 'studySet' : 'other')
  const ids: Record<HitKind, string> = { note: noteid, studySet: topicid, document: bookmd5, deck: deckId, other: '' }
  return {
    kind,
    // What calls itself something needs no more than an id.
    id: ids[kind] || (called ? text('id') : ''),
    title: text('title', 'name'),
    text: text('text', 'snippet', 'excerpt'),
    topicid,
    bookmd5,
    position,
  }
}

/** Address of the place that shows a hit; null if it names nothing that can be opened. */
export function getHitPath({ kind, id, topicid }: SearchHit): string | null {
  if (id === '') return null
  const at = encodeURIComponent(id)
  switch (kind) {
    case 'note':
      return `/notes/${at}${topicid === '' ? '' : `?topicid=${encodeURIComponent(topicid)}`}`
    case 'studySet':
      return `/study-sets/${at}/tree`
    case 'document':
      return `/documents/${at}/pages`
    case 'deck':
      return `/decks/${at}`
    case 'other':
      return null
  }
}
