import { limits } from '../../../shared/bridge/limits.ts'
import { bookOf, type DemoState, type Routes } from '../context.ts'
import type { ExcerptRecord, Page } from '../library/model.ts'
import { partContent } from '../media/content.ts'
import { badParameter, DemoError, json } from '../reply.ts'

/** Segments that stand at the same position in more than one record. */
function duplicatesOf(items: readonly ExcerptRecord[]): object[] {
  const groups = new Map<string, ExcerptRecord[]>()
  for (const item of items) {
    const key = `${item.page}/${item.startpos}/${item.endpos}`
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => ({
      page: group[0]?.page,
      startpos: group[0]?.startpos,
      endpos: group[0]?.endpos,
      noteids: group.map((item) => item.noteid),
      cardNoteIds: group.map((item) => item.cardNoteId),
    }))
}

function pageOf(state: DemoState, params: Readonly<Record<string, string>>): Page {
  const page = bookOf(state, params['bookmd5']).pages[Number(params['index']) - 1]
  if (!page) throw new DemoError(404, 'PAGE_NOT_FOUND', 'The document has no such page.')
  return page
}

/** Documents, their pages and excerpts; bundles, search and synchronisation. */
export const documentRoutes: Routes = {
  'documents.excerpts'(state, { params, query }) {
    const book = bookOf(state, params['bookmd5'])
    const all = state.library.excerpts.get(book.bookmd5) ?? []
    const inScope = query['studySet'] === undefined ? all : all.filter((item) => item.topicid === query['studySet'])
    const shown = query['duplicatesOnly'] === '1' ? [] : inScope.slice(0, state.excerptLimit)
    return json({
      bookmd5: book.bookmd5,
      title: book.title,
      total: inScope.length,
      topicCount: new Set(inScope.map((item) => item.topicid)).size,
      duplicates: duplicatesOf(inScope),
      items: shown,
      truncated: inScope.length > state.excerptLimit,
    })
  },

  'documents.outline'(state, { params }) {
    const book = bookOf(state, params['bookmd5'])
    return json({ segments: book.outline, hasToc: book.outline.length > 0, pageCount: book.pages.length })
  },

  'documents.toc'(state, { params, body }) {
    const book = bookOf(state, params['bookmd5'])
    const segments = (body['segments'] ?? []) as { title?: unknown; page?: unknown; depth?: unknown }[]
    book.outline = segments.map(({ title, page, depth }) => ({
      title: String(title ?? ''),
      page: Number(page ?? 1),
      depth: Number(depth ?? 0),
    }))
    return json({ persisted: true, count: book.outline.length })
  },

  'documents.pages'(state, { params, query }) {
    const book = bookOf(state, params['bookmd5'])
    const start = Number(query['start'] ?? 1)
    const end = Math.min(Number(query['end'] ?? start + 9), book.pages.length)
    if (end - start + 1 > limits.documentPages)
      throw badParameter('end', `gives more than ${limits.documentPages} pages.`)
    const pages = book.pages.slice(start - 1, end).map(({ text }, at) => ({
      page: start + at,
      text,
      ...(query['blocks'] === '1' ? { blocks: text.split('\n').map((line, n) => ({ index: n, text: line })) } : {}),
    }))
    return json({ pages })
  },

  'documents.pageParts'(state, { params, query }) {
    const page = pageOf(state, params)
    const base = `/documents/${params['bookmd5'] ?? ''}/pages/${params['index'] ?? ''}/content/`
    return json({
      parts: page.parts.map(({ contentId, mimeType, kind }) => ({
        contentId,
        contentPath: base + contentId,
        mimeType,
        kind,
        topicid: query['studySet'] ?? state.open.topicid,
      })),
      blanks: page.parts
        .filter((part) => part.kind === 'blank_image')
        .map(({ contentId }, seq) => ({
          contentIds: [contentId],
          segments: [{ seq, height: 240 }],
          mapBacked: page.mapBacked,
        })),
      topicFilteringApplied: false,
    })
  },

  'documents.pageContent'(state, { params, query }) {
    const part = pageOf(state, params).parts.find((one) => one.contentId === params['contentId'])
    if (!part) throw new DemoError(404, 'CONTENT_NOT_FOUND', 'The page has no such content.')
    return { kind: 'bytes', ...partContent(part, 'composite', Number(query['maxEdge'] ?? limits.maxEdge.default)) }
  },

  'documents.syncStatus'(state, { params, query }) {
    const book = bookOf(state, params['bookmd5'])
    const here = book.sourceState === 'normal'
    return json({
      state: here ? 'in-step' : 'missing_file',
      pageCount: book.pages.length,
      ...(query['verifyHash'] === '1' ? { hashMatches: here } : {}),
    })
  },

  'search.get'(state, { query }) {
    const scope = query['scope'] ?? 'all'
    const needle = (query['q'] ?? '').toLowerCase()
    const has = (text: string): boolean => text.toLowerCase().includes(needle)
    const hits: object[] = []
    const wants = (kind: string): boolean => scope === 'all' || scope === kind
    if (wants('studysets')) {
      for (const set of state.library.sets)
        if (has(set.title)) hits.push({ kind: 'studyset', topicid: set.topicid, title: set.title })
    }
    if (wants('documents')) {
      for (const book of state.library.books.values()) {
        if (has(book.title)) hits.push({ kind: 'document', bookmd5: book.bookmd5, title: book.title })
      }
    }
    if (wants('notes')) {
      for (const card of state.library.cards.values()) {
        if (has(card.title)) hits.push({ kind: 'note', noteid: card.noteid, topicid: card.topicid, title: card.title })
      }
    }
    return json({ hits: hits.slice(0, 200), scanned: state.library.cards.size, truncated: hits.length > 200 })
  },

  'bundles.list': () =>
    json({
      bundles: ['prepared', 'preparing', 'failed'].map((bundleState, at) => ({
        bundleId: `bundle-${at + 1}`,
        state: bundleState,
        progress: { pagesDone: [24, 7, 3][at], pagesTotal: 24 },
        files: ['manifest.json', 'pages/1.txt'],
      })),
    }),

  'bundles.files'(_state, { params, query }) {
    if (!/^bundle-[123]$/.test(params['bundleId'] ?? ''))
      throw new DemoError(404, 'BUNDLE_NOT_FOUND', 'There is no such bundle.')
    const files: Readonly<Record<string, string>> = {
      'manifest.json': '{"version":1,"pages":24}',
      'pages/1.txt': 'Page 1\nThe result follows directly from the definition.\n',
    }
    const path = query['path'] ?? ''
    if (!Object.hasOwn(files, path)) throw new DemoError(404, 'FILE_NOT_FOUND', 'The bundle has no such file.')
    return {
      kind: 'bytes',
      mimeType: path.endsWith('.json') ? 'application/json' : 'text/plain; charset=utf-8',
      bytes: Buffer.from(files[path] ?? ''),
    }
  },

  'bundles.submit': (_state, { params }) => json({ persisted: true, bundleId: params['bundleId'], state: 'imported' }),
  'sync.status': () => json({ state: 'idle', lastSequence: 42, pending: 0 }),

  'sync.events'(_state, { query }) {
    const after = Number(query['afterSequence'] ?? 0)
    const limit = Number(query['limit'] ?? limits.syncEvents.default)
    const events = Array.from({ length: Math.max(0, Math.min(limit, 42 - after)) }, (_, at) => ({
      sequence: after + at + 1,
      kind: 'push',
      at: '2026-10-30T08:00:00Z',
    }))
    const last = after + events.length
    return json({ events, lastSequence: 42, hasMore: last < 42, historyTruncated: false })
  },
}
