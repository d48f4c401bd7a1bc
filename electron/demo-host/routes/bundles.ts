import { unknownMembers } from '../check-body.ts'
import { limits } from '../../../shared/bridge/endpoints/limits.ts'
import { anchorModes, presets } from '../capabilities.ts'
import { findBundle, bundlePath, mergedSegments, prepareBundle } from '../bundles.ts'
import { bookOf, isGenerated, setOf, type DemoState, type Routes } from '../context.ts'
import type { DemoBundle } from '../library/model.ts'
import { badParameter, DemoError, json } from '../reply.ts'

const itemOf = (bundle: DemoBundle): object => ({
  bundleId: bundle.bundleId,
  jobId: bundle.jobId,
  bundlePath: bundlePath(bundle),
  topicid: bundle.topicid,
  bookmd5: bundle.bookmd5,
  createdAt: bundle.createdAt,
  state: bundle.state,
  ...(bundle.error === null ? {} : { error: bundle.error }),
  ...(bundle.state === 'preparing' ? { progress: bundle.progress, running: bundle.running } : {}),
  ...(bundle.version > 0 ? { version: bundle.version } : {}),
  ...(bundle.imported ? { rootNoteId: bundle.imported.rootNoteId } : {}),
})

/** Throws 422 for segments that no bundle can be made from. */
function segmentsOf(state: DemoState, body: Readonly<Record<string, unknown>>): DemoBundle['segments'] {
  const { pages } = bookOf(state, String(body['bookmd5']))
  const segments = body['segments'] as DemoBundle['segments']
  segments.forEach(({ startPage, endPage }, at) => {
    if (startPage < 1 || endPage < startPage || endPage > pages.length) {
      throw badParameter(`segments[${at}]`, `must lie in 1..${pages.length}.`)
    }
  })
  const merged = mergedSegments(segments)
  const count = merged.reduce((sum, { startPage, endPage }) => sum + endPage - startPage + 1, 0)
  if (count === 0) throw badParameter('segments', 'must not be empty.')
  if (count > limits.documentPages) throw badParameter('segments', `hold more than ${limits.documentPages} pages.`)
  return merged
}

/** Task bundles (observed §7): preparing, listing, files, and discarding. */
export const bundleRoutes = {
  async 'bundles.prepare'(state, { endpoint, body }) {
    const topicid = String(body['topicid'])
    if (!isGenerated(state, topicid)) setOf(state, topicid)
    const segments = segmentsOf(state, body)
    const preset = typeof body['preset'] === 'string' ? body['preset'] : 'book-breakdown'
    if (!presets.includes(preset)) throw badParameter('preset', `must be one of ${presets.join(', ')}.`)
    const mode = typeof body['anchorMode'] === 'string' ? body['anchorMode'] : anchorModes[0]
    const running = state.bundles.find((bundle) => bundle.running)
    if (running) {
      const details = { runningJob: running.jobId, retryAfterSeconds: 15 }
      throw new DemoError(429, 'PREPARE_BUSY', 'A preparation is under way: poll GET /bundles.', { details })
    }
    const ignoredFields = unknownMembers(endpoint, body)
    const warnings =
      preset === 'exam-general' && mode !== 'block' ? ['exam-general wants the anchor mode "block".'] : []
    const { bundle, done } = prepareBundle(state, { topicid, book: bookOf(state, String(body['bookmd5'])), segments })
    const said = {
      jobId: bundle.jobId,
      bundleId: bundle.bundleId,
      bundlePath: bundlePath(bundle),
      pagesTotal: bundle.progress.pagesTotal,
      ...(ignoredFields.length > 0 ? { ignoredFields } : {}),
      ...(warnings.length > 0 ? { warnings } : {}),
    }
    if (body['async'] === true) return json({ ...said, state: bundle.state }, 202)
    await done
    if (bundle.state === 'cancelled') throw new DemoError(409, 'PREPARE_CANCELLED', 'The preparation was cancelled.')
    return json({ ...said, state: bundle.state })
  },

  'bundles.list': (state, { query }) =>
    json({
      bundles: state.bundles
        .filter(({ origin }) => query['origin'] === undefined || origin === query['origin'])
        .filter(({ createdAt }) => query['since'] === undefined || createdAt > query['since'])
        .map(itemOf),
    }),

  'bundles.files'(state, { params, query }) {
    const { files } = findBundle(state, params['bundleId'])
    const path = query['path']
    if (path === undefined) {
      return json({ files: [...files].map(([name, text]) => ({ path: name, size: Buffer.byteLength(text) })) })
    }
    const text = files.get(path)
    if (text === undefined) throw new DemoError(404, 'FILE_NOT_FOUND', 'The bundle has no such file.')
    const mimeType = path.endsWith('.json') ? 'application/json' : 'text/plain; charset=utf-8'
    return { kind: 'bytes', mimeType, bytes: Buffer.from(text) }
  },

  'bundles.discard'(state, { params }) {
    const id = params['bundleId'] ?? ''
    if (state.discarded.has(id)) return json({ persisted: true, cancelledJob: null })
    const bundle = findBundle(state, id)
    const cancelledJob = bundle.state === 'preparing' ? bundle.jobId : null
    bundle.state = 'cancelled'
    state.bundles.splice(state.bundles.indexOf(bundle), 1)
    state.discarded.add(id)
    return json({ persisted: true, cancelledJob })
  },

  'bundles.focus'(state, { params }) {
    const { imported, topicid } = findBundle(state, params['bundleId'])
    if (!imported) throw new DemoError(409, 'BUNDLE_NOT_IMPORTED', 'The bundle was not imported.')
    Object.assign(state.open, { topicid, noteid: imported.rootNoteId })
    return json({})
  },
} satisfies Routes
