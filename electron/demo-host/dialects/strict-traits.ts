import type { EndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { isObject } from '../../../shared/json/object.ts'
import { each, withMember, without, type Trait } from './trait.ts'

export const version049: Trait = {
  name: 'version-0.49',
  what: '`bridgeApiVersion` is "0.49".',
  on: null,
  out: (value) => withMember(value, 'bridgeApiVersion', () => '0.49'),
}

/** Routes for which 0.49 documents `persisted`; spec-0.91 shows it for a verdict and for session commands. */
const documentsPersisted: readonly EndpointId[] = [
  'notes.hashtags',
  'notes.metadata',
  'notes.copy',
  'notes.imageOcclusions',
  'notes.practiceVerdict',
  'writing.sessionFocusBegin',
  'writing.sessionReserve',
  'writing.sessionPause',
]

export const persistedWhereDocumented: Trait = {
  name: 'persisted',
  what: 'Only the writes that document `persisted` return it; the others return what they document.',
  on: null,
  out: (value, endpointId) =>
    documentsPersisted.some((id) => id === endpointId) ? value : without(value, 'persisted'),
}

export const plainTree: Trait = {
  name: 'plain-tree',
  what: 'A page of the card listing has `nodes` and, if another one follows, `nextCursor`, but no counts.',
  on: ['studySets.tree'],
  out(value) {
    const page = without(value, 'nodeTotal', 'truncation', 'truncated', 'walkLimitReached')
    return isObject(page) && page['nextCursor'] === null ? without(page, 'nextCursor') : page
  },
}

/** A part without bytes gets an id like all others. */
const withContentId = (part: unknown): unknown =>
  isObject(part) && part['contentId'] === undefined
    ? { contentId: `text-${String(part['noteid'])}-${String(part['index'])}`, ...part }
    : part

export const partIds: Trait = {
  name: 'part-ids',
  what: 'Titles and texts among a card’s `parts` have a `contentId` too.',
  on: ['notes.batchGet'],
  out: (value) =>
    withMember(
      value,
      'items',
      each((item) => withMember(item, 'parts', each(withContentId))),
    ),
}

/** Each segment with those behind it that stand deeper; the level is told by where it stands. */
function nested(list: unknown): unknown {
  if (!Array.isArray(list)) return list
  const tops: unknown[] = []
  const open: { level: number; children: unknown[] }[] = []
  for (const one of list as unknown[]) {
    const level = isObject(one) && typeof one['level'] === 'number' ? one['level'] : 0
    const children: unknown[] = []
    while ((open.at(-1)?.level ?? -1) >= level) open.pop()
    ;(open.at(-1)?.children ?? tops).push(isObject(one) ? { ...Object(without(one, 'level')), children } : one)
    open.push({ level, children })
  }
  return tops
}

export const nestedOutline: Trait = {
  name: 'nested-outline',
  what: 'Segments of an outline hold those below them in `children`, and no level.',
  on: ['documents.outline'],
  out: (value) => withMember(value, 'segments', nested),
}

/** Names of the groups, by the kind of the hits in each. */
const hitGroupNames = { studyset: 'studySets', document: 'documents', note: 'notes' } as const

/** Whether a hit is of this kind; a list that holds any other stays as it is. */
const isHitOf = (hit: unknown, kind: string): boolean => isObject(hit) && hit['kind'] === kind

export const hitGroups: Trait = {
  name: 'hit-groups',
  what: 'A search returns a list of study sets, one of documents and one of notes.',
  on: ['search.get'],
  out(value) {
    const hits: unknown = isObject(value) ? value['hits'] : undefined
    if (!isObject(value) || !Array.isArray(hits)) return value
    const kinds = Object.entries(hitGroupNames)
    if (!hits.every((hit) => kinds.some(([kind]) => isHitOf(hit, kind)))) return value
    const lists = kinds.map(([kind, name]) => [
      name,
      hits.filter((hit) => isHitOf(hit, kind)).map((hit) => without(hit, 'kind')),
    ])
    return { ...Object(without(value, 'hits')), ...Object.fromEntries(lists) }
  },
}

export const noPanelList: Trait = {
  name: 'no-panel-list',
  what: 'The capabilities do not tell which routes a plugin’s panel may call.',
  on: ['capabilities.get'],
  out: (value) => without(value, 'panelRoutes'),
}

export const requiredPrefix: Trait = {
  name: 'required-prefix',
  what: '`expectedPrefix` is required wherever it is prescribed.',
  on: [],
  out: (value) => value,
  requires: {
    'notes.title': ['expectedPrefix'],
    'notes.text': ['expectedPrefix'],
    'notes.comment': ['expectedPrefix'],
    'notes.deleteComment': ['expectedPrefix'],
  },
}

export const namedMembers: Trait = {
  name: 'named-members',
  what: 'The library’s lists have only the members that the documents name.',
  on: ['studySets.list', 'studySets.documents', 'studySets.snapshots', 'decks.cards'],
  out(value, endpointId) {
    switch (endpointId) {
      case 'studySets.list':
        return withMember(
          value,
          'studySets',
          each((one) => without(one, 'documentCount')),
        )
      case 'studySets.documents':
        return withMember(
          value,
          'documents',
          each((one) => without(one, 'pageCount', 'excerptCount')),
        )
      case 'studySets.snapshots':
        return withMember(
          value,
          'snapshots',
          each((one) => without(one, 'noteCount')),
        )
      default:
        return without(value, 'deckId')
    }
  },
}

export const pagePartPaths: Trait = {
  name: 'page-part-paths',
  what: 'Parts of a page have a `contentPath` and a `topicid`, and nothing else.',
  on: ['documents.pageParts'],
  out: (value) =>
    withMember(
      value,
      'parts',
      each((part) => without(part, 'contentId', 'mimeType', 'kind')),
    ),
}
