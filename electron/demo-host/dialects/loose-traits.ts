import { isObject } from '../../../shared/json/object.ts'
import { each, everywhere, renamed, withMember, without, type Trait } from './trait.ts'

const idIn = (name: string) => (one: unknown) => (isObject(one) ? (one[name] ?? null) : one)

export const contextIds: Trait = {
  name: 'context-ids',
  what: 'The selected cards, the card in focus and the documents of `GET /context` are ids, not objects.',
  on: ['context.get'],
  out(value) {
    const cards = withMember(value, 'selectedNotes', each(idIn('noteid')))
    return withMember(withMember(cards, 'focusedNote', idIn('noteid')), 'documents', each(idIn('bookmd5')))
  },
}

const timeNames = new Set(['lastModifiedAt', 'createdAt', 'capturedAt', 'at', 'snapshotCreatedAt'])

function toSeconds(value: unknown): unknown {
  const at = typeof value === 'string' ? Date.parse(value) : typeof value === 'number' ? value : Number.NaN
  return Number.isNaN(at) ? value : Math.floor(at / 1000)
}

export const timesInSeconds: Trait = {
  name: 'seconds',
  what: 'Times are numbers: seconds since 1970.',
  on: [
    'studySets.list',
    'studySets.snapshots',
    'decks.list',
    'bundles.list',
    'context.get',
    'notes.batchGet',
    'notes.practiceVerdict',
    'sync.events',
  ],
  out: (value) => everywhere(value, (name, member) => (timeNames.has(name) ? toSeconds(member) : member)),
}

export const tagPathsAsStrings: Trait = {
  name: 'tag-paths',
  what: 'A card’s `hashtagPaths` holds paths as texts, not objects.',
  on: ['notes.batchGet'],
  out: (value) =>
    withMember(
      value,
      'items',
      each((item) =>
        withMember(
          item,
          'hashtagPaths',
          each((one) => (isObject(one) ? one['path'] : one)),
        ),
      ),
    ),
}

const listingQuery = ['root', 'limit', 'cursor', 'sort', 'withNotes']

/** The list with the listing at its other path, and more members of it. */
const movedListing = (more: object): ((list: unknown) => unknown) =>
  each((route) =>
    isObject(route) && route['path'] === '/study-sets/{id}/tree'
      ? { ...route, path: '/study-sets/{id}/cards', ...more }
      : route,
  )

export const listingPath: Trait = {
  name: 'listing-path',
  what: 'The card listing is served as `/study-sets/{id}/cards`, and the capabilities name its query.',
  on: ['capabilities.get'],
  out: (value) =>
    withMember(withMember(value, 'routes', movedListing({ query: listingQuery })), 'panelRoutes', movedListing({})),
  paths: { 'studySets.tree': '/study-sets/{topicid}/cards' },
}

export const outlinePage: Trait = {
  name: 'outline-page',
  what: 'Segments of an outline have `page` and `depth` instead of `startPage` and `level`, and no end.',
  on: ['documents.outline'],
  out: (value) =>
    withMember(
      value,
      'segments',
      each((one) => renamed(without(one, 'endPage'), { startPage: 'page', level: 'depth' })),
    ),
}

export const pageIndex: Trait = {
  name: 'page-index',
  what: 'Texts of pages have `index` instead of `page`.',
  on: ['documents.pages'],
  out: (value) =>
    withMember(
      value,
      'pages',
      each((one) => renamed(one, { page: 'index' })),
    ),
}

export const surfaceList: Trait = {
  name: 'surface-list',
  what: '`GET /writing/context` lists its surfaces, each with its window; the window itself names none.',
  on: ['writing.context'],
  out(value) {
    if (!isObject(value) || !isObject(value['window'])) return value
    const { surfaceId, windowId, noteid } = value['window']
    const window = without(value['window'], 'surfaceId')
    return { ...value, window, surfaces: [{ surfaceId, windowId, noteid, active: true }] }
  },
}

export const sessionPlace: Trait = {
  name: 'session-place',
  what: 'The record of the practice session is under `practice.session` of `GET /writing/context`.',
  on: ['writing.context'],
  out: (value) =>
    isObject(value) ? { ...(without(value, 'session') as object), practice: { session: value['session'] } } : value,
}

const countNames = new Set(['noteCount', 'documentCount', 'cardCount', 'excerptCount', 'directCardCount'])

export const countsAsTexts: Trait = {
  name: 'number-texts',
  what: 'Counts in lists are texts.',
  on: ['studySets.list', 'studySets.documents', 'studySets.hashtags', 'studySets.subMaps', 'decks.list'],
  out: (value) =>
    everywhere(value, (name, member) => (countNames.has(name) && typeof member === 'number' ? String(member) : member)),
}

const idNames: Readonly<Record<string, string>> = {
  note: 'noteid',
  studyset: 'topicid',
  document: 'bookmd5',
  deck: 'deckId',
}

/** What a hit is called says of what its id is. */
function withId(hit: unknown): unknown {
  const name = isObject(hit) ? idNames[String(hit['kind'])] : undefined
  if (!isObject(hit) || name === undefined) return hit
  return { id: hit[name], ...Object(without(hit, name)) }
}

export const hitIds: Trait = {
  name: 'hit-ids',
  what: 'Hits of a search say what they are, and their id is called `id`.',
  on: ['search.get'],
  out: (value) => withMember(value, 'hits', each(withId)),
}

export const mainDocument: Trait = {
  name: 'main-document',
  what: '`mainDocument` of the list of documents is an object with its id; the documents themselves say nothing of it.',
  on: ['studySets.documents'],
  out(value) {
    if (!isObject(value) || !Array.isArray(value['documents'])) return value
    const { mainDocument: id, documents } = value
    const own = each((one) => without(one, 'main'))(documents)
    return { ...value, documents: own, mainDocument: typeof id === 'string' ? { bookmd5: id } : id }
  },
}

export const bundleListing: Trait = {
  name: 'bundle-listing',
  what: 'The files of a bundle are a bare list of paths.',
  on: ['bundles.files'],
  out: (value) =>
    isObject(value) && Array.isArray(value['files'])
      ? value['files'].map((file: unknown) => (isObject(file) ? file['path'] : file))
      : value,
}

const listNameOf: Readonly<Record<string, string>> = {
  studySets: 'items',
  decks: 'items',
  documents: 'items',
  snapshots: 'items',
  notebooks: 'items',
  bundles: 'items',
  cards: 'items',
  hits: 'results',
}

export const listNames: Trait = {
  name: 'list-names',
  what: 'Lists whose listNameOf are not documented are under `items` (search hits under `results`).',
  on: [
    'studySets.list',
    'studySets.documents',
    'studySets.snapshots',
    'studySets.notebooks',
    'decks.list',
    'decks.cards',
    'bundles.list',
    'search.get',
  ],
  out: (value) => renamed(value, listNameOf),
}

/** Moves it from `error.details` to `error` itself. */
function movedRetry(error: unknown): unknown {
  const details = isObject(error) ? error['details'] : undefined
  if (!isObject(error) || !isObject(details) || details['retryAfterSeconds'] === undefined) return error
  const { retryAfterSeconds } = details
  return { ...error, details: without(details, 'retryAfterSeconds'), retryAfterSeconds }
}

export const retryPlace: Trait = {
  name: 'retry-place',
  what: '`retryAfterSeconds` is in `error` itself, not in its `details`.',
  on: null,
  out: (value) => withMember(value, 'error', movedRetry),
}
