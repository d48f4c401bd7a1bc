import { createHash } from 'node:crypto'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { limits } from '../../../shared/bridge/limits.ts'
import { bookOf, cardOf, findCard, treeOf, type DemoState, type Routes } from '../context.ts'
import { guide } from '../guide.ts'
import { ADDON, ADDON_WITHOUT_CONFIG, practiceConfig } from '../library/model.ts'
import { API_VERSION, json } from '../reply.ts'

const sha = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** Templates as a host writes them: `{id}` and `{index}`. */
const template = (path: string): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'index' ? '{index}' : '{id}'))

const routes = endpoints.map(({ method, path, access, auth }) => ({
  method,
  path: template(path),
  requiresMax: access === 'write' && auth === 'token',
}))
const apiFingerprint = sha(JSON.stringify(routes))
const guideHash = sha(guide)

export const statusOf = (state: DemoState, authorized: boolean) =>
  json({
    app: 'Demo Notes',
    appVersion: '4.9.1',
    routeCount: routes.length,
    apiFingerprint,
    guideVersion: '12',
    guideHash,
    enabled: true,
    authorized,
    instanceNonce: state.instanceNonce(),
    guide: { route: '/guide' },
  })

/** Capabilities, guide and what the "user" has open. */
export const stateRoutes: Routes = {
  'capabilities.get': (state) =>
    json({
      routes,
      accessPolicy: { panel: 'allow-list', external: 'token' },
      presets: ['study', 'review'],
      anchorModes: ['page', 'text'],
      noteMetadata: { maxNoteIds: state.noteLimit, colorIndex: { min: 0, max: 15 }, fillIndex: [-1, 0, 1, 2] },
      noteHashtags: { maxNoteIds: state.noteLimit, separator: '/' },
      limits: { ...limits, walkLimit: state.walkLimit, excerptLimit: state.excerptLimit },
      guide: { version: '12', route: '/guide' },
    }),

  'guide.get': () => ({ kind: 'text', contentType: 'text/markdown; charset=utf-8', text: guide }),

  'context.get'(state) {
    const { topicid, bookmd5, noteid, page } = state.open
    const set = state.library.sets.find((one) => one.topicid === topicid)
    const generated = topicid === state.generated.topicid
    const card = noteid === null ? null : findCard(state, noteid)
    const documents = (generated ? state.generated.books : (set?.documents ?? [])).map((id) => ({
      bookmd5: id,
      title: state.library.books.get(id)?.title,
      focused: id === bookmd5,
    }))
    return json({
      available: true,
      reason: null,
      capturedAt: new Date().toISOString(),
      studySet: { topicid, title: generated ? state.generated.title : set?.title, isDeck: false },
      currentPage: { page, surfacePage: page, mappingAvailable: true },
      documents,
      selectedNotes: card ? [{ noteid: card.noteid, title: card.title }] : [],
      focusedNote: card ? { noteid: card.noteid, title: card.title } : null,
    })
  },

  'uiState.get': (state) =>
    json({
      state: {
        topicid: state.open.topicid,
        bookmd5: state.open.bookmd5,
        focusnoteid: state.open.noteid,
        immersive: { active: false },
      },
    }),

  'uiState.apply'(state, { body }) {
    const wanted = (body['state'] ?? body) as Readonly<Record<string, unknown>>
    const { topicid, bookmd5, focusnoteid } = wanted
    // Everything is looked up before anything is changed.
    if (typeof topicid === 'string') treeOf(state, topicid)
    if (typeof bookmd5 === 'string') bookOf(state, bookmd5)
    if (typeof focusnoteid === 'string') cardOf(state, focusnoteid)
    if (typeof topicid === 'string') state.open.topicid = topicid
    if (typeof bookmd5 === 'string' || bookmd5 === null) state.open.bookmd5 = bookmd5
    if (typeof focusnoteid === 'string' || focusnoteid === null) state.open.noteid = focusnoteid
    return json({ persisted: true })
  },

  'immersive.template': () =>
    json({
      plugins: [{ id: ADDON, config: practiceConfig }, { id: ADDON_WITHOUT_CONFIG }],
      apiVersion: API_VERSION,
    }),
}
