import type { DeviationKind } from '../../../shared/contract/deviation.ts'

/** Versions that the demo host has with the fault `drift`, oldest first. */
export const driftVersions = ['0.92', '0.93', '1.0'] as const
export type DriftVersion = (typeof driftVersions)[number]

/** How a response is changed at the places that the pointer of its deviation names. */
export type DriftChange =
  | { readonly set: unknown }
  | { readonly change: 'remove' }
  /** More entries than were asked for, or than this number. */
  | { readonly change: 'lengthen'; readonly beyond: number | 'limit' }
  /** A picture with a longer edge than was asked for. */
  | { readonly change: 'enlarge' }
  | { readonly status: number }
  | { readonly refusal: { readonly status: number; readonly code: string } }
  /** The response of a route that is in no table. */
  | { readonly response: object }

export interface DriftEntry {
  readonly method: 'GET' | 'POST'
  readonly template: string
  /** Folded JSON pointer: `*` is each entry of a list, `{key}` a member named by data. */
  readonly pointer: string
  readonly kind: DeviationKind
  readonly since: DriftVersion
  /** The first version without it; null if it stays. */
  readonly until: DriftVersion | null
  readonly change: DriftChange
}

type Row = readonly [
  pointer: string,
  kind: DeviationKind,
  since: DriftVersion,
  until: DriftVersion | null,
  change: DriftChange,
]

const [FIRST, SECOND, THIRD] = driftVersions
export const NEWEST_VERSION: DriftVersion = THIRD

const cardPositions = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => [
    `0F0C0000-0000-4000-8000-0000000001${10 + index}`,
    { x: index, y: 2 * index },
  ]),
)

const routes: Readonly<Record<string, readonly Row[]>> = {
  'GET /status': [['/routeCount', 'wrong-type', FIRST, THIRD, { set: { reads: 36, writes: 47 } }]],
  'GET /context': [
    ['/documents/*/focused', 'wrong-type', SECOND, null, { set: { window: 1 } }],
    ['/currentPage/page', 'wrong-type', THIRD, null, { set: [12] }],
  ],
  'GET /library/study-sets': [['/studySets/*/noteCount', 'wrong-type', SECOND, THIRD, { set: { cards: 3 } }]],
  'GET /library/tags': [['', 'unknown-route', FIRST, null, { response: { tags: [] } }]],
  'GET /study-sets/{topicid}/note-palette': [
    ['/contrast', 'unknown-member', FIRST, null, { set: 'high' }],
    ['/colors/*/name', 'unknown-member', FIRST, THIRD, { set: 'Sand' }],
    ['/colors/*/baseColor/oklch', 'unknown-member', SECOND, null, { set: [0.8, 0.1, 20] }],
    ['/colors/*/displayColor/rgba/gamut', 'unknown-member', THIRD, null, { set: 'p3' }],
    ['/source', 'missing', SECOND, THIRD, { change: 'remove' }],
    ['/colors/*/displayColor/hex', 'missing', THIRD, null, { change: 'remove' }],
    ['/colors/*/baseColor/hex', 'wrong-type', THIRD, null, { set: { light: '#EAA4A4' } }],
    ['/colors/*/baseColor/rgba/r', 'unknown-value', FIRST, null, { set: 300 }],
  ],
  'GET /study-sets/{topicid}/tree': [
    ['/{key}', 'unknown-member', FIRST, SECOND, { set: cardPositions }],
    ['/positions', 'unknown-member', SECOND, null, { set: cardPositions }],
    ['/walkLimitReached', 'wrong-type', FIRST, SECOND, { set: [] }],
    ['/nodes/*/depth', 'wrong-type', SECOND, null, { set: { level: 2 } }],
    ['/nodes', 'broken-promise', THIRD, null, { change: 'lengthen', beyond: 'limit' }],
  ],
  'GET /study-sets/{topicid}/documents': [
    ['/documents/*/pageCount', 'wrong-type', FIRST, null, { set: { pages: 4 } }],
    ['/documents/*/sourceState', 'unknown-value', SECOND, null, { set: 'cloud_only' }],
  ],
  'GET /documents/{bookmd5}/excerpts': [
    ['/pages', 'unknown-member', FIRST, null, { set: 64 }],
    ['/items/*/rects', 'unknown-member', SECOND, null, { set: [[0, 0, 1, 1]] }],
    ['/topicCount', 'missing', FIRST, null, { change: 'remove' }],
    ['/items/*/endpos', 'missing', THIRD, null, { change: 'remove' }],
    ['/items/*/text', 'wrong-type', SECOND, THIRD, { set: { plain: 'text' } }],
    ['/duplicates', 'wrong-type', FIRST, SECOND, { set: { '32:228': { count: 2 } } }],
  ],
  'GET /documents/{bookmd5}/pages': [['/pages', 'limit-exceeded', THIRD, null, { change: 'lengthen', beyond: 60 }]],
  'GET /decks': [['', 'unknown-status', FIRST, SECOND, { status: 203 }]],
  'GET /decks/{deckId}/cards': [
    ['/error/code', 'unknown-code', THIRD, null, { refusal: { status: 409, code: 'DECK_HAS_MOVED' } }],
  ],
  'GET /bundles': [['/bundles/*/state', 'unknown-value', SECOND, null, { set: 'archived' }]],
  'GET /sync/legacy/events': [['/events', 'broken-promise', SECOND, null, { change: 'lengthen', beyond: 'limit' }]],
  'GET /notes/{noteid}/content/{contentId}': [['', 'broken-promise', THIRD, null, { change: 'enlarge' }]],
  'GET /writing/context': [['/bridgeApiVersion', 'wrong-type', FIRST, null, { set: 91 }]],
  'POST /notes/{noteid}/blank-bands': [
    ['/band/angle', 'unknown-member', FIRST, null, { set: 0 }],
    ['/bands/*/live', 'wrong-type', THIRD, null, { set: [1] }],
  ],
  'POST /notes/{noteid}/practice-verdict': [['/practice/confidence', 'unknown-member', SECOND, null, { set: 0.5 }]],
  'POST /writing/session-focus-begin': [['/attemptId', 'missing', THIRD, null, { change: 'remove' }]],
  'POST /writing/pencil-commit': [
    ['/windowId', 'missing', FIRST, null, { change: 'remove' }],
    ['/inputFrozen', 'wrong-type', SECOND, null, { set: 'yes' }],
    ['/inputGate/leaseSeconds', 'unknown-member', SECOND, null, { set: 30 }],
  ],
}

/** Everything in which these versions deviate from the contract, and nothing else. */
export const driftList: readonly DriftEntry[] = Object.entries(routes).flatMap(([route, rows]) => {
  const [method, template = ''] = route.split(' ')
  return rows.map(([pointer, kind, since, until, change]) => ({
    method: method === 'POST' ? 'POST' : 'GET',
    template,
    pointer,
    kind,
    since,
    until,
    change,
  }))
})

export function listDrift(version: DriftVersion): readonly DriftEntry[] {
  const index = driftVersions.indexOf(version)
  return driftList.filter(
    ({ since, until }) =>
      driftVersions.indexOf(since) <= index && (until === null || driftVersions.indexOf(until) > index),
  )
}
