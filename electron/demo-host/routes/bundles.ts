import { randomUUID } from 'node:crypto'
import { findUnknownMembers } from '../state/check-body.ts'
import { documentedLimits } from '../../../shared/bridge/documented-limits.ts'
import { tocAnchorModes, bundlePresets } from '../state/capabilities.ts'
import { getBook, isGeneratedStudySet, getStudySet, type DemoState, type RouteTable } from '../state/context.ts'
import type { DemoBundle, DemoBook, DemoLibrary } from '../library/model.ts'
import { createParameterError, DemoError, createJsonReply } from '../state/reply.ts'

const toListEntry = (bundle: DemoBundle): object => ({
  bundleId: bundle.bundleId,
  jobId: bundle.jobId,
  bundlePath: toBundlePath(bundle),
  topicid: bundle.topicid,
  bookmd5: bundle.bookmd5,
  createdAt: bundle.createdAt,
  state: bundle.state,
  ...(bundle.error === null ? {} : { error: bundle.error }),
  ...(bundle.state === 'preparing' ? { progress: bundle.progress, running: bundle.isRunning } : {}),
  ...(bundle.version > 0 ? { version: bundle.version } : {}),
  ...(bundle.importResult ? { rootNoteId: bundle.importResult.rootNoteId } : {}),
})

/** @throws 422 when no bundle can be made from the segments. */
function parseSegments(state: DemoState, body: Readonly<Record<string, unknown>>): DemoBundle['segments'] {
  const { pages } = getBook(state, String(body['bookmd5']))
  const segments = body['segments'] as DemoBundle['segments']
  segments.forEach(({ startPage, endPage }, index) => {
    if (startPage < 1 || endPage < startPage || endPage > pages.length) {
      throw createParameterError(`segments[${index}]`, `must lie in 1..${pages.length}.`)
    }
  })
  const merged = mergeSegments(segments)
  const count = merged.reduce((sum, { startPage, endPage }) => sum + endPage - startPage + 1, 0)
  if (count === 0) throw createParameterError('segments', 'must not be empty.')
  if (count > documentedLimits.documentPages)
    throw createParameterError('segments', `hold more than ${documentedLimits.documentPages} pages.`)
  return merged
}

/** Routes that prepare, list and discard task bundles, and list their files (observed §7). */
export const bundleRoutes = {
  async 'bundles.prepare'(state, { endpoint, body }) {
    const topicid = String(body['topicid'])
    if (!isGeneratedStudySet(state, topicid)) getStudySet(state, topicid)
    const segments = parseSegments(state, body)
    const preset = typeof body['preset'] === 'string' ? body['preset'] : 'book-breakdown'
    if (!bundlePresets.includes(preset))
      throw createParameterError('preset', `must be one of ${bundlePresets.join(', ')}.`)
    const mode = typeof body['anchorMode'] === 'string' ? body['anchorMode'] : tocAnchorModes[0]
    const running = state.bundles.find((bundle) => bundle.isRunning)
    if (running) {
      const details = { runningJob: running.jobId, retryAfterSeconds: 15 }
      throw new DemoError(429, 'PREPARE_BUSY', 'A preparation is under way: poll GET /bundles.', { details })
    }
    const ignoredFields = findUnknownMembers(endpoint, body)
    const warnings =
      preset === 'exam-general' && mode !== 'block' ? ['exam-general wants the anchor mode "block".'] : []
    const { bundle, done } = prepareBundle(state, { topicid, book: getBook(state, String(body['bookmd5'])), segments })
    const reply = {
      jobId: bundle.jobId,
      bundleId: bundle.bundleId,
      bundlePath: toBundlePath(bundle),
      pagesTotal: bundle.progress.pagesTotal,
      ...(ignoredFields.length > 0 ? { ignoredFields } : {}),
      ...(warnings.length > 0 ? { warnings } : {}),
    }
    if (body['async'] === true) return createJsonReply({ ...reply, state: bundle.state }, 202)
    await done
    if (bundle.state === 'cancelled') throw new DemoError(409, 'PREPARE_CANCELLED', 'The preparation was cancelled.')
    return createJsonReply({ ...reply, state: bundle.state })
  },

  'bundles.list': (state, { query }) =>
    createJsonReply({
      bundles: state.bundles
        .filter(({ origin }) => query['origin'] === undefined || origin === query['origin'])
        .filter(({ createdAt }) => query['since'] === undefined || createdAt > query['since'])
        .map(toListEntry),
    }),

  'bundles.files'(state, { params, query }) {
    const { files } = getBundle(state, params['bundleId'])
    const path = query['path']
    if (path === undefined) {
      return createJsonReply({
        files: [...files].map(([name, text]) => ({ path: name, size: Buffer.byteLength(text) })),
      })
    }
    const text = files.get(path)
    if (text === undefined) throw new DemoError(404, 'FILE_NOT_FOUND', 'The bundle has no such file.')
    const mimeType = path.endsWith('.json') ? 'application/json' : 'text/plain; charset=utf-8'
    return { kind: 'bytes', mimeType, bytes: Buffer.from(text) }
  },

  'bundles.discard'(state, { params }) {
    const id = params['bundleId'] ?? ''
    if (state.discardedBundleIds.has(id)) return createJsonReply({ persisted: true, cancelledJob: null })
    const bundle = getBundle(state, id)
    const cancelledJob = bundle.state === 'preparing' ? bundle.jobId : null
    bundle.state = 'cancelled'
    state.bundles.splice(state.bundles.indexOf(bundle), 1)
    state.discardedBundleIds.add(id)
    return createJsonReply({ persisted: true, cancelledJob })
  },

  'bundles.focus'(state, { params }) {
    const { importResult, topicid } = getBundle(state, params['bundleId'])
    if (!importResult) throw new DemoError(409, 'BUNDLE_NOT_IMPORTED', 'The bundle was not imported.')
    Object.assign(state.openState, { topicid, noteid: importResult.rootNoteId })
    return createJsonReply({})
  },
} satisfies RouteTable

type Segment = DemoBundle['segments'][number]

/** Creates one task bundle in each state but `cancelled`, so that a user can see these states. */
export function createDemoBundles(library: DemoLibrary): DemoBundle[] {
  const states = ['prepared', 'preparing', 'failed', 'imported'] as const
  const [set] = library.sets
  const bookmd5 = set?.documents[0] ?? ''
  return states.map((state, index) => ({
    bundleId: `bundle-${index + 1}`,
    jobId: `job-${index + 1}`,
    state,
    origin: index === 3 ? 'user' : 'bridge',
    createdAt: `2026-10-2${index + 1}T08:00:00.000Z`,
    topicid: set?.topicid ?? '',
    bookmd5,
    segments: [{ title: 'The first pages', startPage: 1, endPage: 24 }],
    progress: { pagesDone: [24, 7, 3, 24][index] ?? 0, pagesTotal: 24 },
    isRunning: false,
    error: state === 'failed' ? 'A page could not be read.' : null,
    version: state === 'imported' ? 1 : 0,
    importResult: null,
    files: new Map([
      ['manifest.json', '{"version":1,"pages":24}'],
      ['pages/1.txt', 'Page 1\nThe result follows directly from the definition.\n'],
    ]),
  }))
}

/** @throws BUNDLE_NOT_FOUND when there is no bundle with this id. */
export function getBundle(state: DemoState, id: string | undefined): DemoBundle {
  const bundle = state.bundles.find(({ bundleId }) => bundleId === id)
  if (!bundle) throw new DemoError(404, 'BUNDLE_NOT_FOUND', 'There is no such bundle.')
  return bundle
}

const toBundlePath = ({ bundleId }: DemoBundle): string => `AgentBundles/${bundleId}`

interface BundleOptions {
  readonly topicid: string
  readonly book: DemoBook
  readonly segments: readonly Segment[]
}

/** Merges overlapping segments, in page order. Pages between segments are not added. */
function mergeSegments(segments: readonly Segment[]): Segment[] {
  const merged: Segment[] = []
  for (const segment of [...segments].sort((a, b) => a.startPage - b.startPage)) {
    const last = merged.at(-1)
    if (!last || segment.startPage > last.endPage) merged.push({ ...segment })
    else merged[merged.length - 1] = { ...last, endPage: Math.max(last.endPage, segment.endPage) }
  }
  return merged
}

/** Reads the pages in background steps; `done` resolves when that has ended in whatever state. */
function prepareBundle(
  state: DemoState,
  { topicid, book, segments }: BundleOptions,
): { bundle: DemoBundle; done: Promise<void> } {
  const pages = segments.flatMap(({ startPage, endPage }) =>
    Array.from({ length: endPage - startPage + 1 }, (_, index) => startPage + index),
  )
  const files = new Map<string, string>()
  const bundle: DemoBundle = {
    bundleId: randomUUID(),
    jobId: randomUUID(),
    state: 'preparing',
    origin: 'bridge',
    createdAt: new Date().toISOString(),
    topicid,
    bookmd5: book.bookmd5,
    segments,
    progress: { pagesDone: 0, pagesTotal: pages.length },
    isRunning: true,
    error: null,
    version: 0,
    importResult: null,
    files,
  }
  state.bundles.unshift(bundle)
  const done = new Promise<void>((resolve) => {
    const timer = setInterval(
      () => {
        const page = pages[bundle.progress.pagesDone]
        if (bundle.state !== 'preparing' || page === undefined) {
          clearInterval(timer)
          bundle.isRunning = false
          if (bundle.state === 'preparing') {
            files.set('source.json', JSON.stringify({ bookmd5: book.bookmd5, segments }))
            bundle.state = 'prepared'
          }
          resolve()
          return
        }
        files.set(`pages/${page}.txt`, book.pages[page - 1]?.text ?? '')
        bundle.progress.pagesDone += 1
      },
      Math.max(1, Math.round(state.stepMs / 4)),
    )
    timer.unref()
  })
  return { bundle, done }
}
