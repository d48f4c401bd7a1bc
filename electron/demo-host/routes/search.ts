import type { DemoState, RouteTable } from '../state/context.ts'
import { createJsonReply } from '../state/reply.ts'

const MAX_HITS = 200
/** How many cards of the generated study set a search examines before it gives up and says so. */
const MAX_SCANNED_CARDS = 50_000

interface SearchProgress {
  readonly hits: object[]
  scanned: number
  truncated: boolean
}

/** `GET /search` (observed-0.49): titles, and the texts of the small study sets. */
export const searchRoutes = {
  'search.get'(state, { query }) {
    const scope = query['scope'] ?? 'all'
    const needle = (query['q'] ?? '').toLowerCase()
    const has = (text: string): boolean => text.toLowerCase().includes(needle)
    const found: SearchProgress = { hits: [], scanned: 0, truncated: false }
    const add = (hit: object): void => {
      if (found.hits.length < MAX_HITS) found.hits.push(hit)
      else found.truncated = true
    }
    if (scope === 'all' || scope === 'studysets') searchSets(state, has, add)
    if (scope === 'all' || scope === 'documents') {
      for (const { bookmd5, title } of state.library.books.values()) {
        if (has(title)) add({ kind: 'document', bookmd5, title })
      }
    }
    if (scope === 'all' || scope === 'notes') searchNotes(state, has, add, found)
    return createJsonReply({ ...found })
  },
} satisfies RouteTable

function searchSets(
  { library, generatedSet: generated }: DemoState,
  has: (text: string) => boolean,
  add: (hit: object) => void,
) {
  for (const { topicid, title } of [...library.sets, generated]) {
    if (has(title)) add({ kind: 'studyset', topicid, title })
  }
}

function searchNotes(
  { library, generatedSet: generated }: DemoState,
  has: (text: string) => boolean,
  add: (hit: object) => void,
  found: SearchProgress,
): void {
  for (const { noteid, topicid, title, texts } of library.cards.values()) {
    found.scanned += 1
    const text = texts.find((one) => has(one.text))?.text
    if (has(title) || text !== undefined) add({ kind: 'note', noteid, topicid, title, text: text ?? '' })
  }
  const end = Math.min(generated.count, MAX_SCANNED_CARDS)
  for (let index = 0; index < end && !found.truncated; index += 1) {
    found.scanned += 1
    const title = generated.getTitle(index)
    if (has(title))
      add({ kind: 'note', noteid: generated.getNoteid(index), topicid: generated.topicid, title, text: '' })
  }
  if (end < generated.count) found.truncated = true
}
