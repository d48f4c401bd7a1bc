import { documentedLimits } from '../../../shared/bridge/documented-limits.ts'
import { getBook, getDocumentIds, listStudySets, type DemoState, type RouteTable } from '../state/context.ts'
import { findDuplicateExcerpts, getExcerpts } from './library.ts'
import { getShownToc } from './toc.ts'
import type { DemoPage } from '../library/model.ts'
import { createParameterError, DemoError, createJsonReply } from '../state/reply.ts'

function getPage(state: DemoState, params: Readonly<Record<string, string>>): DemoPage {
  const page = getBook(state, params['bookmd5']).pages[Number(params['index']) - 1]
  if (!page) throw new DemoError(404, 'PAGE_NOT_FOUND', 'The document has no such page.')
  return page
}

const splitBlocks = (text: string): object[] =>
  text.split('\n').map((line, index) => ({ index, text: line, label: index === 0 ? 'title' : 'text' }))

export const documentRoutes = {
  'documents.excerpts'(state, { params, query }) {
    const book = getBook(state, params['bookmd5'])
    const isDuplicatesOnly = query['duplicatesOnly'] === '1'
    const { total, topicCount, items } = getExcerpts(state, book.bookmd5, query['studySet'] ?? null, state.excerptLimit)
    return createJsonReply({
      bookmd5: book.bookmd5,
      title: book.title,
      total,
      topicCount,
      duplicates: findDuplicateExcerpts(items),
      items: isDuplicatesOnly ? [] : items,
      truncated: total > state.excerptLimit,
    })
  },

  'documents.outline'(state, { params }) {
    const book = getBook(state, params['bookmd5'])
    const toc = getShownToc(book)
    const segments = toc.map(({ title, page, level }, index) => ({
      title,
      startPage: page,
      endPage: Math.max(page, (toc[index + 1]?.page ?? book.pages.length + 1) - 1),
      level,
    }))
    return createJsonReply({ segments, hasToc: segments.length > 0, pageCount: book.pages.length })
  },

  'documents.pages'(state, { params, query }) {
    const book = getBook(state, params['bookmd5'])
    const start = Number(query['start'] ?? 1)
    const end = Number(query['end'] ?? start + 9)
    if (end < start) throw createParameterError('end', 'comes before start.')
    if (end - start >= documentedLimits.documentPages) {
      throw createParameterError('end', `asks for more than ${documentedLimits.documentPages} pages.`)
    }
    // A page after the document's last one has no text, which is not an error (observed §4).
    const pages = Array.from({ length: end - start + 1 }, (_, index) => {
      const text = book.pages[start + index - 1]?.text ?? ''
      return { page: start + index, text, ...(query['blocks'] === '1' ? { blocks: splitBlocks(text) } : {}) }
    })
    return createJsonReply({ pages })
  },

  'documents.pageParts'(state, { params, query }) {
    const page = getPage(state, params)
    const owner = listStudySets(state).find(({ topicid }) =>
      getDocumentIds(state, topicid).includes(params['bookmd5'] ?? ''),
    )?.topicid
    const base = `/documents/${params['bookmd5'] ?? ''}/pages/${params['index'] ?? ''}/content/`
    return createJsonReply({
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
          // `studySet` only decides whose legacy mapping comes first. See spec §4.
          mapTopicid: query['studySet'] ?? owner,
        })),
      topicFilteringApplied: false,
    })
  },

  async 'documents.pageContent'(state, { params, query }) {
    const part = getPage(state, params).parts.find((entry) => entry.contentId === params['contentId'])
    if (!part) throw new DemoError(404, 'CONTENT_NOT_FOUND', 'The page has no such content.')
    // The module that draws pictures is loaded only when the first picture is requested.
    const { getPartContent } = await import('../media/part-content.ts')
    return {
      kind: 'bytes',
      ...getPartContent(part, 'composite', Number(query['maxEdge'] ?? documentedLimits.maxEdge.default)),
    }
  },

  'documents.syncStatus'(state, { params, query }) {
    const book = getBook(state, params['bookmd5'])
    const isAvailable = book.sourceState === 'normal'
    return createJsonReply({
      state: isAvailable ? 'available_and_published' : 'waiting_for_icloud_download',
      hasLearningData: hasExcerpts(state, book.bookmd5),
      expectedByCurrentSettings: true,
      remainingUnverifiedMaterializedMappingCount: isAvailable && query['verifyHash'] !== '1' ? 1 : 0,
    })
  },
} satisfies RouteTable

const hasExcerpts = (state: DemoState, bookmd5: string): boolean => getExcerpts(state, bookmd5, null, 0).total > 0
