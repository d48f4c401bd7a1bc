import { createHash } from 'node:crypto'
import { buildCapabilities, GUIDE_VERSION, listedRoutes } from '../state/capabilities.ts'
import {
  getBook,
  getCard,
  findCard,
  getTree,
  listStudySets,
  type DemoState,
  type RouteTable,
} from '../state/context.ts'
import { guideMarkdown } from './setup.ts'
import { API_VERSION, createParameterError, createJsonReply } from '../state/reply.ts'
import { DEMO_HOST_HEADER } from '../../../shared/bridge/resources/state.ts'
import { documentedLimits } from '../../../shared/bridge/documented-limits.ts'

const computeHash = (text: string): string => createHash('sha256').update(text).digest('hex')

const apiFingerprint = computeHash(JSON.stringify(listedRoutes)).slice(0, 12)
const guideHash = computeHash(guideMarkdown)

export function createStatusReply(state: DemoState, isAuthorized: boolean) {
  return createJsonReply(
    {
      app: 'Demo Notes',
      appVersion: '4.9.1',
      routeCount: listedRoutes.length,
      apiFingerprint,
      guideVersion: GUIDE_VERSION,
      guideHash,
      enabled: true,
      authorized: isAuthorized,
      instanceNonce: state.getInstanceNonce(),
      guide: { route: '/guide', refreshPolicy: 'when guideVersion or guideHash changes', rotatesToken: false },
    },
    200,
    { [DEMO_HOST_HEADER]: '1' },
  )
}

/** Members that take effect besides ids of a study set, document or card (observed §11). */
const settingNames = new Set([
  'immersive',
  'aichat',
  'review',
  'research',
  'booklocation',
  'splitinfo',
  'theme',
  'panelratio',
])

/** True for an id, and for null if the member is that of a document or card. */
const isName = (name: string, value: unknown): boolean =>
  ['topicid', 'bookmd5', 'focusnoteid'].includes(name) &&
  (typeof value === 'string' || (value === null && name !== 'topicid'))

/** Separates members that take effect from those that do so under conditions or never. */
function sortPatchMembers(patch: Readonly<Record<string, unknown>>) {
  const accepted: string[] = []
  const conditional: string[] = []
  const rejected: string[] = []
  for (const [name, value] of Object.entries(patch)) {
    if (name === 'researchurl') (patch['research'] === true ? accepted : conditional).push(name)
    else if (settingNames.has(name) || isName(name, value)) accepted.push(name)
    else if (name === 'doclayerid' && value !== 'new') accepted.push(name)
    else rejected.push(name)
  }
  return { accepted, conditional, rejected }
}

function findTitle(state: DemoState, topicid: string | null): { title: string; isDeck: boolean } | null {
  const set = listStudySets(state).find((candidate) => candidate.topicid === topicid)
  if (set) return { title: set.title, isDeck: false }
  const deck = state.library.decks.find(({ deckId }) => deckId === topicid)
  return deck ? { title: deck.title, isDeck: true } : null
}

/** Routes for the capabilities, the guide, and the interface state of the simulated user. */
export const stateRoutes = {
  'capabilities.get': (state) => createJsonReply(buildCapabilities(state)),

  'guide.get': () => ({ kind: 'text', contentType: 'text/markdown; charset=utf-8', text: guideMarkdown }),

  'context.get'(state) {
    const { topicid, bookmd5, noteid, page } = state.openState
    const capturedAt = new Date().toISOString()
    const studySet = findTitle(state, topicid)
    if (!studySet || topicid === null) return createJsonReply({ available: false, reason: 'nothing_open', capturedAt })
    const set = state.library.sets.find((candidate) => candidate.topicid === topicid)
    const card = noteid === null ? null : findCard(state, noteid)
    const ids = topicid === state.generatedSet.topicid ? state.generatedSet.books : (set?.documents ?? [])
    const documents = ids.map((id) => ({
      bookmd5: id,
      title: state.library.books.get(id)?.title,
      focused: id === bookmd5,
      ...(id === bookmd5 ? { page } : {}),
    }))
    return createJsonReply({
      available: true,
      reason: null,
      capturedAt,
      studySet: { topicid, ...studySet },
      currentPage: { page, surfacePage: page, mappingAvailable: true },
      documents,
      selectedNotes: card ? [{ noteid: card.noteid, title: card.title }] : [],
      focusedNote: card ? { noteid: card.noteid, title: card.title } : null,
    })
  },

  'uiState.get': ({ openState: { topicid, bookmd5, noteid, rest } }) =>
    createJsonReply({ state: { topicid, bookmd5, focusnoteid: noteid, immersive: { active: false }, ...rest } }),

  'uiState.apply'(state, { body }) {
    const patch = body['state'] as Readonly<Record<string, unknown>>
    if (Object.keys(patch).length === 0) throw createParameterError('state', 'names nothing.')
    const { topicid, bookmd5, focusnoteid } = patch
    if (typeof topicid !== 'string' && state.openState.topicid === null)
      throw createParameterError('state.topicid', 'is required.')
    // All ids are checked before anything is changed.
    if (typeof topicid === 'string') getTree(state, topicid)
    if (typeof bookmd5 === 'string') getBook(state, bookmd5)
    if (typeof focusnoteid === 'string') getCard(state, focusnoteid)
    const sortedMembers = sortPatchMembers(patch)
    const apply = (): void => {
      const { openState } = state
      if (typeof topicid === 'string') openState.topicid = topicid
      if (typeof bookmd5 === 'string' || bookmd5 === null) openState.bookmd5 = bookmd5
      if (typeof focusnoteid === 'string' || focusnoteid === null) openState.noteid = focusnoteid
      const idMembers = new Set(['topicid', 'bookmd5', 'focusnoteid'])
      for (const name of sortedMembers.accepted) if (!idMembers.has(name)) openState.rest[name] = patch[name]
    }
    // The reply says "queued": the change takes as long as a background step.
    setTimeout(apply, state.stepMs).unref()
    return createJsonReply({ queued: true, ...sortedMembers })
  },

  'immersive.template': ({ plugins }) => createJsonReply({ plugins, apiVersion: API_VERSION }),
} satisfies RouteTable

/** Routes that diagnose the older synchronisation (observed §10); none of them writes user data. */
export const syncRoutes = {
  'sync.status': ({ syncLog }) =>
    createJsonReply({
      cloudKit: { state: 'idle', pending: 0, errorCount: 2, suspensionErrorCount: 0, suspensionNeedsAttention: false },
      documents: { state: 'idle', pending: 0 },
      diagnostic: { lastSequence: syncLog.lastSequence },
    }),

  'sync.events': ({ syncLog }, { query }) =>
    createJsonReply(
      syncLog.getPage(
        Number(query['afterSequence'] ?? 0),
        Number(query['limit'] ?? documentedLimits.syncEvents.default),
      ),
    ),

  'sync.recheck'({ syncLog }, { body }) {
    const lanes = ['database', 'documents'].filter((lane) => body[lane] !== false)
    return createJsonReply({
      accepted: true,
      ...syncLog.startOperation(lanes.flatMap((lane) => [`recheck-${lane}-begun`, `recheck-${lane}-ended`])),
    })
  },

  'sync.inventory': ({ syncLog }) =>
    createJsonReply({
      accepted: true,
      observeOnly: true,
      ...syncLog.startOperation(['inventory-begun', 'inventory-observed', 'inventory-ended']),
    }),
} satisfies RouteTable
