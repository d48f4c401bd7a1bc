import { randomUUID } from 'node:crypto'
import type { DemoState } from './context.ts'
import type { Book, DemoBundle, DemoLibrary } from './library/model.ts'
import { DemoError } from './reply.ts'

type Segment = DemoBundle['segments'][number]

/** The task bundles of a new host: one in each state that a user meets. */
export function demoBundles(library: DemoLibrary): DemoBundle[] {
  const states = ['prepared', 'preparing', 'failed', 'imported'] as const
  const [set] = library.sets
  const bookmd5 = set?.documents[0] ?? ''
  return states.map((state, at) => ({
    bundleId: `bundle-${at + 1}`,
    jobId: `job-${at + 1}`,
    state,
    origin: at === 3 ? 'user' : 'bridge',
    createdAt: `2026-10-2${at + 1}T08:00:00.000Z`,
    topicid: set?.topicid ?? '',
    bookmd5,
    segments: [{ title: 'The first pages', startPage: 1, endPage: 24 }],
    progress: { pagesDone: [24, 7, 3, 24][at] ?? 0, pagesTotal: 24 },
    running: false,
    error: state === 'failed' ? 'A page could not be read.' : null,
    version: state === 'imported' ? 1 : 0,
    imported: null,
    files: new Map([
      ['manifest.json', '{"version":1,"pages":24}'],
      ['pages/1.txt', 'Page 1\nThe result follows directly from the definition.\n'],
    ]),
  }))
}

/** Throws `BUNDLE_NOT_FOUND`. */
export function findBundle(state: DemoState, id: string | undefined): DemoBundle {
  const bundle = state.bundles.find(({ bundleId }) => bundleId === id)
  if (!bundle) throw new DemoError(404, 'BUNDLE_NOT_FOUND', 'There is no such bundle.')
  return bundle
}

export const bundlePath = ({ bundleId }: DemoBundle): string => `AgentBundles/${bundleId}`

interface Wanted {
  readonly topicid: string
  readonly book: Book
  readonly segments: readonly Segment[]
}

/** Merges overlapping segments, in page order; gaps stay. */
export function mergedSegments(segments: readonly Segment[]): Segment[] {
  const merged: Segment[] = []
  for (const one of [...segments].sort((a, b) => a.startPage - b.startPage)) {
    const last = merged.at(-1)
    if (!last || one.startPage > last.endPage) merged.push({ ...one })
    else merged[merged.length - 1] = { ...last, endPage: Math.max(last.endPage, one.endPage) }
  }
  return merged
}

/** A new bundle whose pages are read step by step; `done` resolves when it has ended, in whatever state. */
export function prepareBundle(
  state: DemoState,
  { topicid, book, segments }: Wanted,
): { bundle: DemoBundle; done: Promise<void> } {
  const pages = segments.flatMap(({ startPage, endPage }) =>
    Array.from({ length: endPage - startPage + 1 }, (_, at) => startPage + at),
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
    running: true,
    error: null,
    version: 0,
    imported: null,
    files,
  }
  state.bundles.unshift(bundle)
  const done = new Promise<void>((resolve) => {
    const timer = setInterval(
      () => {
        const page = pages[bundle.progress.pagesDone]
        if (bundle.state !== 'preparing' || page === undefined) {
          clearInterval(timer)
          bundle.running = false
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
