import type { EndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { isObject } from '../../../shared/json/object.ts'
import { mapList, changeMember, omitMembers, type DialectTrait } from './dialect-trait.ts'

export const version049Trait: DialectTrait = {
  name: 'version-0.49',
  description: '`bridgeApiVersion` is "0.49".',
  endpointIds: null,
  transform: (value) => changeMember(value, 'bridgeApiVersion', () => '0.49'),
}

/** Documented with `persisted` in 0.49; the 0.91 spec has it for a verdict and session commands. */
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

export const persistedMemberTrait: DialectTrait = {
  name: 'persisted',
  description: 'Only the writes that document `persisted` return it; the others return what they document.',
  endpointIds: null,
  transform: (value, endpointId) =>
    documentsPersisted.some((id) => id === endpointId) ? value : omitMembers(value, 'persisted'),
}

export const plainTreeTrait: DialectTrait = {
  name: 'plain-tree',
  description: 'A page of the card listing has `nodes` and, if another one follows, `nextCursor`, but no counts.',
  endpointIds: ['studySets.tree'],
  transform(value) {
    const page = omitMembers(value, 'nodeTotal', 'truncation', 'truncated', 'walkLimitReached')
    return isObject(page) && page['nextCursor'] === null ? omitMembers(page, 'nextCursor') : page
  },
}

/** Adds an id to a part that has no content, because the other parts have one. */
const withContentId = (part: unknown): unknown =>
  isObject(part) && part['contentId'] === undefined
    ? { contentId: `text-${String(part['noteid'])}-${String(part['index'])}`, ...part }
    : part

export const partIdsTrait: DialectTrait = {
  name: 'part-ids',
  description: 'Titles and texts among a card’s `parts` have a `contentId` too.',
  endpointIds: ['notes.batchGet'],
  transform: (value) =>
    changeMember(
      value,
      'items',
      mapList((item) => changeMember(item, 'parts', mapList(withContentId))),
    ),
}

/** Nests each segment under the nearest one before it of a lower level, and removes the levels. */
function nestSegments(list: unknown): unknown {
  if (!Array.isArray(list)) return list
  const tops: unknown[] = []
  const openSegments: { level: number; children: unknown[] }[] = []
  for (const segment of list as unknown[]) {
    const level = isObject(segment) && typeof segment['level'] === 'number' ? segment['level'] : 0
    const children: unknown[] = []
    while ((openSegments.at(-1)?.level ?? -1) >= level) openSegments.pop()
    ;(openSegments.at(-1)?.children ?? tops).push(
      isObject(segment) ? { ...Object(omitMembers(segment, 'level')), children } : segment,
    )
    openSegments.push({ level, children })
  }
  return tops
}

export const nestedOutlineTrait: DialectTrait = {
  name: 'nested-outline',
  description: 'Segments of an outline hold those below them in `children`, and no level.',
  endpointIds: ['documents.outline'],
  transform: (value) => changeMember(value, 'segments', nestSegments),
}

/** The name of the list of each kind of hit. */
const hitGroupNames = { studyset: 'studySets', document: 'documents', note: 'notes' } as const

const isHitOf = (hit: unknown, kind: string): boolean => isObject(hit) && hit['kind'] === kind

export const hitGroupsTrait: DialectTrait = {
  name: 'hit-groups',
  description: 'A search returns a list of study sets, one of documents and one of notes.',
  endpointIds: ['search.get'],
  transform(value) {
    const hits: unknown = isObject(value) ? value['hits'] : undefined
    if (!isObject(value) || !Array.isArray(hits)) return value
    const kinds = Object.entries(hitGroupNames)
    if (!hits.every((hit) => kinds.some(([kind]) => isHitOf(hit, kind)))) return value
    const lists = kinds.map(([kind, name]) => [
      name,
      hits.filter((hit) => isHitOf(hit, kind)).map((hit) => omitMembers(hit, 'kind')),
    ])
    return { ...Object(omitMembers(value, 'hits')), ...Object.fromEntries(lists) }
  },
}

export const noPanelListTrait: DialectTrait = {
  name: 'no-panel-list',
  description: 'The capabilities do not tell which routes a plugin’s panel may call.',
  endpointIds: ['capabilities.get'],
  transform: (value) => omitMembers(value, 'panelRoutes'),
}

export const requiredPrefixTrait: DialectTrait = {
  name: 'required-prefix',
  description: '`expectedPrefix` is required wherever it is prescribed.',
  endpointIds: [],
  transform: (value) => value,
  requiredMembers: {
    'notes.title': ['expectedPrefix'],
    'notes.text': ['expectedPrefix'],
    'notes.comment': ['expectedPrefix'],
    'notes.deleteComment': ['expectedPrefix'],
  },
}

export const namedMembersTrait: DialectTrait = {
  name: 'named-members',
  description: 'The library’s lists have only the members that the documents name.',
  endpointIds: ['studySets.list', 'studySets.documents', 'studySets.snapshots', 'decks.cards'],
  transform(value, endpointId) {
    switch (endpointId) {
      case 'studySets.list':
        return changeMember(
          value,
          'studySets',
          mapList((studySet) => omitMembers(studySet, 'documentCount')),
        )
      case 'studySets.documents':
        return changeMember(
          value,
          'documents',
          mapList((document) => omitMembers(document, 'pageCount', 'excerptCount')),
        )
      case 'studySets.snapshots':
        return changeMember(
          value,
          'snapshots',
          mapList((snapshot) => omitMembers(snapshot, 'noteCount')),
        )
      default:
        return omitMembers(value, 'deckId')
    }
  },
}

export const pagePartPathsTrait: DialectTrait = {
  name: 'page-part-paths',
  description: 'Parts of a page have a `contentPath` and a `topicid`, and nothing else.',
  endpointIds: ['documents.pageParts'],
  transform: (value) =>
    changeMember(
      value,
      'parts',
      mapList((part) => omitMembers(part, 'contentId', 'mimeType', 'kind')),
    ),
}
