import { foldText } from '../../../shared/format/text-folding.ts'
import { listStudySets, type DemoState, type RouteTable } from '../state/context.ts'
import { createJsonReply } from '../state/reply.ts'

const MAX_HITS = 200
/** Cards of the generated set that are searched; the response reports that the search stopped. */
const MAX_SCANNED_CARDS = 50_000

interface SearchProgress {
  readonly hits: object[]
  scanned: number
  truncated: boolean
}

/** `GET /search` finds titles, and in the small study sets also texts (observed-0.49). */
export const searchRoutes = {
  'search.get'(state, { query }) {
    const scope = query['scope'] ?? 'all'
    const needle = foldText(query['q'] ?? '')
    const isMatch = (text: string): boolean => foldText(text).includes(needle)
    const progress: SearchProgress = { hits: [], scanned: 0, truncated: false }
    const add = (hit: object): void => {
      if (progress.hits.length < MAX_HITS) progress.hits.push(hit)
      else progress.truncated = true
    }
    if (scope === 'all' || scope === 'studysets') searchSets(state, isMatch, add)
    if (scope === 'all' || scope === 'documents') {
      for (const { bookmd5, title } of state.library.books.values()) {
        if (isMatch(title)) add({ kind: 'document', bookmd5, title })
      }
    }
    if (scope === 'all' || scope === 'notes') searchNotes(state, isMatch, add, progress)
    return createJsonReply({ ...progress })
  },
} satisfies RouteTable

function searchSets(state: DemoState, isMatch: (text: string) => boolean, add: (hit: object) => void) {
  for (const { topicid, title } of listStudySets(state)) {
    if (isMatch(title)) add({ kind: 'studyset', topicid, title })
  }
}

function searchNotes(
  { library, generatedSet }: DemoState,
  isMatch: (text: string) => boolean,
  add: (hit: object) => void,
  progress: SearchProgress,
): void {
  for (const { noteid, topicid, title, texts } of library.cards.values()) {
    progress.scanned += 1
    const text = texts.find((entry) => isMatch(entry.text))?.text
    if (isMatch(title) || text !== undefined) add({ kind: 'note', noteid, topicid, title, text: text ?? '' })
  }
  const end = Math.min(generatedSet.count, MAX_SCANNED_CARDS)
  for (let index = 0; index < end && !progress.truncated; index += 1) {
    progress.scanned += 1
    const title = generatedSet.getTitle(index)
    if (isMatch(title))
      add({ kind: 'note', noteid: generatedSet.getNoteid(index), topicid: generatedSet.topicid, title, text: '' })
  }
  if (end < generatedSet.count) progress.truncated = true
}
