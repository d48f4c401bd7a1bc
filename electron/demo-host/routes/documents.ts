import { limits } from '../../../shared/bridge/endpoints/limits.ts'
import { bookOf, type DemoState, type Routes } from '../state/context.ts'
import { duplicatesOf, excerptsOf } from './library.ts'
import { tocOf } from './contents.ts'
import type { Page } from '../library/model.ts'
import { badParameter, DemoError, json } from '../state/reply.ts'

function pageOf(state: DemoState, params: Readonly<Record<string, string>>): Page {
  const page = bookOf(state, params['bookmd5']).pages[Number(params['index']) - 1]
  if (!page) throw new DemoError(404, 'PAGE_NOT_FOUND', 'The document has no such page.')
  return page
}

const blocksOf = (text: string): object[] =>
  text.split('\n').map((line, index) => ({ index, text: line, label: index === 0 ? 'title' : 'text' }))

/** Documents, their pages and excerpts. */
export const documentRoutes = {
  'documents.excerpts'(state, { params, query }) {
    const book = bookOf(state, params['bookmd5'])
    const onlyDuplicates = query['duplicatesOnly'] === '1'
    const { total, topicCount, items } = excerptsOf(state, book.bookmd5, query['studySet'] ?? null, state.excerptLimit)
    return json({
      bookmd5: book.bookmd5,
      title: book.title,
      total,
      topicCount,
      duplicates: duplicatesOf(items),
      items: onlyDuplicates ? [] : items,
      truncated: total > state.excerptLimit,
    })
  },

  'documents.outline'(state, { params }) {
    const book = bookOf(state, params['bookmd5'])
    const shown = tocOf(book)
    const segments = shown.map(({ title, page, level }, at) => ({
      title,
      startPage: page,
      endPage: Math.max(page, (shown[at + 1]?.page ?? book.pages.length + 1) - 1),
      level,
    }))
    return json({ segments, hasToc: segments.length > 0, pageCount: book.pages.length })
  },

  'documents.pages'(state, { params, query }) {
    const book = bookOf(state, params['bookmd5'])
    const start = Number(query['start'] ?? 1)
    const end = Number(query['end'] ?? start + 9)
    if (end < start) throw badParameter('end', 'comes before start.')
    if (end - start >= limits.documentPages) {
      throw badParameter('end', `asks for more than ${limits.documentPages} pages.`)
    }
    // A page past the end has no text, which is not an error (observed §4).
    const pages = Array.from({ length: end - start + 1 }, (_, at) => {
      const text = book.pages[start + at - 1]?.text ?? ''
      return { page: start + at, text, ...(query['blocks'] === '1' ? { blocks: blocksOf(text) } : {}) }
    })
    return json({ pages })
  },

  'documents.pageParts'(state, { params, query }) {
    const page = pageOf(state, params)
    const owner = state.library.sets.find((set) => set.documents.includes(params['bookmd5'] ?? ''))?.topicid
    const base = `/documents/${params['bookmd5'] ?? ''}/pages/${params['index'] ?? ''}/content/`
    return json({
      parts: page.parts.map(({ contentId, mimeType, kind }) => ({
        contentId,
        contentPath: base + contentId,
        mimeType,
        kind,
        topicid: owner,
      })),
      blanks: page.parts
        .filter((part) => part.kind === 'blank_image')
        .map(({ contentId }, seq) => ({
          contentIds: [contentId],
          segments: [{ seq, height: 240 }],
          mapBacked: page.mapBacked,
          // The only thing that `studySet` changes: whose legacy mapping comes first (spec §4).
          mapTopicid: query['studySet'] ?? owner,
        })),
      topicFilteringApplied: false,
    })
  },

  async 'documents.pageContent'(state, { params, query }) {
    const part = pageOf(state, params).parts.find((one) => one.contentId === params['contentId'])
    if (!part) throw new DemoError(404, 'CONTENT_NOT_FOUND', 'The page has no such content.')
    // What draws is loaded with the first picture.
    const { partContent } = await import('../media/content.ts')
    return { kind: 'bytes', ...partContent(part, 'composite', Number(query['maxEdge'] ?? limits.maxEdge.default)) }
  },

  'documents.syncStatus'(state, { params, query }) {
    const book = bookOf(state, params['bookmd5'])
    const here = book.sourceState === 'normal'
    return json({
      state: here ? 'available_and_published' : 'waiting_for_icloud_download',
      hasLearningData: anyExcerpts(state, book.bookmd5),
      expectedByCurrentSettings: true,
      remainingUnverifiedMaterializedMappingCount: here && query['verifyHash'] !== '1' ? 1 : 0,
    })
  },
} satisfies Routes

const anyExcerpts = (state: DemoState, bookmd5: string): boolean => excerptsOf(state, bookmd5, null, 0).total > 0
