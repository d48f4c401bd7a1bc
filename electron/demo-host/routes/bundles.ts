import { limits } from '../../../shared/bridge/limits.ts'
import type { DemoState, Routes } from '../context.ts'
import type { Bundle } from '../library/model.ts'
import { DemoError, json } from '../reply.ts'

const LAST_EVENT = 42

/** The task bundles of a new host: one in each state that a person meets. */
export function demoBundles(): Bundle[] {
  const states = ['prepared', 'preparing', 'failed', 'imported'] as const
  return states.map((state, at) => ({
    bundleId: `bundle-${at + 1}`,
    state,
    origin: at === 3 ? 'user' : 'bridge',
    createdAt: `2026-10-2${at + 1}T08:00:00.000Z`,
    progress: { pagesDone: [24, 7, 3, 24][at] ?? 0, pagesTotal: 24 },
    files: new Map([
      ['manifest.json', '{"version":1,"pages":24}'],
      ['pages/1.txt', 'Page 1\nThe result follows directly from the definition.\n'],
    ]),
  }))
}

function bundleOf(state: DemoState, id: string | undefined): Bundle {
  const bundle = state.bundles.find(({ bundleId }) => bundleId === id)
  if (!bundle) throw new DemoError(404, 'BUNDLE_NOT_FOUND', 'There is no such bundle.')
  return bundle
}

/** Task bundles and the diagnostics of synchronisation (observed-0.49). */
export const bundleRoutes: Routes = {
  'bundles.list': (state, { query }) =>
    json({
      bundles: state.bundles
        .filter(({ origin }) => query['origin'] === undefined || origin === query['origin'])
        .filter(({ createdAt }) => query['since'] === undefined || createdAt > query['since'])
        .map((bundle) => ({ ...bundle, files: [...bundle.files.keys()] })),
    }),

  'bundles.files'(state, { params, query }) {
    const path = query['path'] ?? ''
    const text = bundleOf(state, params['bundleId']).files.get(path)
    if (text === undefined) throw new DemoError(404, 'FILE_NOT_FOUND', 'The bundle has no such file.')
    const mimeType = path.endsWith('.json') ? 'application/json' : 'text/plain; charset=utf-8'
    return { kind: 'bytes', mimeType, bytes: Buffer.from(text) }
  },

  'bundles.submit'(state, { params }) {
    const bundle = bundleOf(state, params['bundleId'])
    if (bundle.state !== 'prepared') {
      throw new DemoError(409, 'BUNDLE_NOT_PREPARED', `The bundle is ${bundle.state}. Nothing was submitted.`)
    }
    bundle.state = 'imported'
    return json({ persisted: true, bundleId: bundle.bundleId, state: bundle.state })
  },

  'sync.status': () => json({ state: 'idle', lastSequence: LAST_EVENT, pending: 0 }),

  'sync.events'(_state, { query }) {
    const after = Math.min(Number(query['afterSequence'] ?? 0), LAST_EVENT)
    const limit = Number(query['limit'] ?? limits.syncEvents.default)
    const events = Array.from({ length: Math.min(limit, LAST_EVENT - after) }, (_, at) => ({
      sequence: after + at + 1,
      kind: 'push',
      at: '2026-10-30T08:00:00Z',
    }))
    const hasMore = after + events.length < LAST_EVENT
    return json({ events, lastSequence: LAST_EVENT, hasMore, historyTruncated: false })
  },
}
