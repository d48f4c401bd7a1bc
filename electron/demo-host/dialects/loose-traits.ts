import { isObject } from '../../../shared/json/object.ts'
import {
  mapList,
  changeMembersDeep,
  renameMembers,
  changeMember,
  omitMembers,
  type DialectTrait,
} from './dialect-trait.ts'

const toId = (name: string) => (element: unknown) => (isObject(element) ? (element[name] ?? null) : element)

export const contextIdsTrait: DialectTrait = {
  name: 'context-ids',
  description: 'The selected cards, the card in focus and the documents of `GET /context` are ids, not objects.',
  endpointIds: ['context.get'],
  transform(value) {
    const cards = changeMember(value, 'selectedNotes', mapList(toId('noteid')))
    return changeMember(changeMember(cards, 'focusedNote', toId('noteid')), 'documents', mapList(toId('bookmd5')))
  },
}

const timeNames = new Set(['lastModifiedAt', 'createdAt', 'capturedAt', 'at', 'snapshotCreatedAt'])

function toSeconds(value: unknown): unknown {
  const timestamp = typeof value === 'string' ? Date.parse(value) : typeof value === 'number' ? value : Number.NaN
  return Number.isNaN(timestamp) ? value : Math.floor(timestamp / 1000)
}

export const timesInSecondsTrait: DialectTrait = {
  name: 'seconds',
  description: 'Times are numbers: seconds since 1970.',
  endpointIds: [
    'studySets.list',
    'studySets.snapshots',
    'decks.list',
    'bundles.list',
    'context.get',
    'notes.batchGet',
    'notes.practiceVerdict',
    'sync.events',
  ],
  transform: (value) => changeMembersDeep(value, (name, member) => (timeNames.has(name) ? toSeconds(member) : member)),
}

export const tagPathsAsStringsTrait: DialectTrait = {
  name: 'tag-paths',
  description: 'A card’s `hashtagPaths` holds paths as texts, not objects.',
  endpointIds: ['notes.batchGet'],
  transform: (value) =>
    changeMember(
      value,
      'items',
      mapList((item) =>
        changeMember(
          item,
          'hashtagPaths',
          mapList((element) => (isObject(element) ? element['path'] : element)),
        ),
      ),
    ),
}

const listingQuery = ['root', 'limit', 'cursor', 'sort', 'withNotes']

/** Replaces the path of the card listing by its alternative, and adds members to that route. */
const moveListing = (extraMembers: object): ((list: unknown) => unknown) =>
  mapList((route) =>
    isObject(route) && route['path'] === '/study-sets/{id}/tree'
      ? { ...route, path: '/study-sets/{id}/cards', ...extraMembers }
      : route,
  )

export const listingPathTrait: DialectTrait = {
  name: 'listing-path',
  description: 'The card listing is served as `/study-sets/{id}/cards`, and the capabilities name its query.',
  endpointIds: ['capabilities.get'],
  transform: (value) =>
    changeMember(changeMember(value, 'routes', moveListing({ query: listingQuery })), 'panelRoutes', moveListing({})),
  paths: { 'studySets.tree': '/study-sets/{topicid}/cards' },
}

export const outlinePageTrait: DialectTrait = {
  name: 'outline-page',
  description: 'Segments of an outline have `page` and `depth` instead of `startPage` and `level`, and no end.',
  endpointIds: ['documents.outline'],
  transform: (value) =>
    changeMember(
      value,
      'segments',
      mapList((segment) => renameMembers(omitMembers(segment, 'endPage'), { startPage: 'page', level: 'depth' })),
    ),
}

export const pageIndexTrait: DialectTrait = {
  name: 'page-index',
  description: 'Texts of pages have `index` instead of `page`.',
  endpointIds: ['documents.pages'],
  transform: (value) =>
    changeMember(
      value,
      'pages',
      mapList((page) => renameMembers(page, { page: 'index' })),
    ),
}

export const surfaceListTrait: DialectTrait = {
  name: 'surface-list',
  description: '`GET /writing/context` lists its surfaces, each with its window; the window itself names none.',
  endpointIds: ['writing.context'],
  transform(value) {
    if (!isObject(value) || !isObject(value['window'])) return value
    const { surfaceId, windowId, noteid } = value['window']
    const window = omitMembers(value['window'], 'surfaceId')
    return { ...value, window, surfaces: [{ surfaceId, windowId, noteid, active: true }] }
  },
}

export const sessionLocationTrait: DialectTrait = {
  name: 'session-place',
  description: 'The record of the practice session is under `practice.session` of `GET /writing/context`.',
  endpointIds: ['writing.context'],
  transform: (value) =>
    isObject(value) ? { ...(omitMembers(value, 'session') as object), practice: { session: value['session'] } } : value,
}

const countNames = new Set(['noteCount', 'documentCount', 'cardCount', 'excerptCount', 'directCardCount'])

export const countsAsTextsTrait: DialectTrait = {
  name: 'number-texts',
  description: 'Counts in lists are texts.',
  endpointIds: ['studySets.list', 'studySets.documents', 'studySets.hashtags', 'studySets.subMaps', 'decks.list'],
  transform: (value) =>
    changeMembersDeep(value, (name, member) =>
      countNames.has(name) && typeof member === 'number' ? String(member) : member,
    ),
}

const idNames: Readonly<Record<string, string>> = {
  note: 'noteid',
  studyset: 'topicid',
  document: 'bookmd5',
  deck: 'deckId',
}

/** The member that holds a search hit's id has a different name for each kind of hit. */
function withId(hit: unknown): unknown {
  const name = isObject(hit) ? idNames[String(hit['kind'])] : undefined
  if (!isObject(hit) || name === undefined) return hit
  return { id: hit[name], ...Object(omitMembers(hit, name)) }
}

export const hitIdsTrait: DialectTrait = {
  name: 'hit-ids',
  description: 'Hits of a search say what they are, and their id is called `id`.',
  endpointIds: ['search.get'],
  transform: (value) => changeMember(value, 'hits', mapList(withId)),
}

export const mainDocumentTrait: DialectTrait = {
  name: 'main-document',
  description:
    '`mainDocument` of the list of documents is an object with its id; the documents themselves say nothing of it.',
  endpointIds: ['studySets.documents'],
  transform(value) {
    if (!isObject(value) || !Array.isArray(value['documents'])) return value
    const { mainDocument: id, documents } = value
    const unmarked = mapList((document) => omitMembers(document, 'main'))(documents)
    return { ...value, documents: unmarked, mainDocument: typeof id === 'string' ? { bookmd5: id } : id }
  },
}

export const bundleListingTrait: DialectTrait = {
  name: 'bundle-listing',
  description: 'The files of a bundle are a bare list of paths.',
  endpointIds: ['bundles.files'],
  transform: (value) =>
    isObject(value) && Array.isArray(value['files'])
      ? value['files'].map((file: unknown) => (isObject(file) ? file['path'] : file))
      : value,
}

const listNames: Readonly<Record<string, string>> = {
  studySets: 'items',
  decks: 'items',
  documents: 'items',
  snapshots: 'items',
  notebooks: 'items',
  bundles: 'items',
  cards: 'items',
  hits: 'results',
}

export const listNamesTrait: DialectTrait = {
  name: 'list-names',
  description: 'Lists whose names are not documented are under `items` (search hits under `results`).',
  endpointIds: [
    'studySets.list',
    'studySets.documents',
    'studySets.snapshots',
    'studySets.notebooks',
    'decks.list',
    'decks.cards',
    'bundles.list',
    'search.get',
  ],
  transform: (value) => renameMembers(value, listNames),
}

/** Moves `retryAfterSeconds` from `error.details` to `error` itself. */
function moveRetry(error: unknown): unknown {
  const details = isObject(error) ? error['details'] : undefined
  if (!isObject(error) || !isObject(details) || details['retryAfterSeconds'] === undefined) return error
  const { retryAfterSeconds } = details
  return { ...error, details: omitMembers(details, 'retryAfterSeconds'), retryAfterSeconds }
}

export const retryLocationTrait: DialectTrait = {
  name: 'retry-place',
  description: '`retryAfterSeconds` is in `error` itself, not in its `details`.',
  endpointIds: null,
  transform: (value) => changeMember(value, 'error', moveRetry),
}
