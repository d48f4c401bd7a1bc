import { limits } from '../../../shared/bridge/endpoints/limits.ts'
import { bookOf, documentsOf, type Routes } from '../context.ts'
import { assertNotGenerating, candidatesOf, generatedToc, plannedToc } from '../contents.ts'
import { exportFile } from '../exports.ts'
import { badParameter, json } from '../reply.ts'

/** How many pages one request can scan (observed §4: 45 s at about 3 s per page). */
const SCANNED_AT_ONCE = 15
/** Numbers from here on belong to virtual pages, which no page route accepts. */
const FIRST_VIRTUAL = 66_000
/** Number of steps that generating a contents list takes. */
const TOC_STEPS = 4

/** Contents lists of documents, finding a text on a page, and the flat PDF (observed §4). */
export const contentsRoutes = {
  'documents.tocCandidates'(state, { params, query }) {
    const book = bookOf(state, params['bookmd5'])
    const start = Number(query['start'] ?? 1)
    const end = Number(query['end'] ?? start + SCANNED_AT_ONCE - 1)
    if (end < start) throw badParameter('end', 'comes before start.')
    if (end - start >= limits.documentPages)
      throw badParameter('end', `asks for more than ${limits.documentPages} pages.`)
    const last = Math.min(end, book.pages.length)
    const scanned = Math.max(0, Math.min(SCANNED_AT_ONCE, last - start + 1))
    const more = start + scanned <= last
    return json({
      candidates: candidatesOf(book, start, start + scanned - 1),
      pagesScanned: scanned,
      truncated: more,
      ...(more ? { nextStart: start + scanned } : {}),
      hint: scanned === 0 ? 'No page of the document is in this range.' : '',
    })
  },

  'documents.toc'(state, { params, body }) {
    const book = bookOf(state, params['bookmd5'])
    assertNotGenerating(state.generating.get(book.bookmd5))
    if (body['useOriginal'] === true) {
      book.shown = 'original'
      return json({ persisted: true })
    }
    if (body['useAI'] === true) {
      if (book.written === null) {
        book.written = generatedToc(book)
        state.generating.set(book.bookmd5, Date.now() + TOC_STEPS * state.stepMs)
      }
      book.shown = 'written'
      return json({ persisted: true })
    }
    const { entries, adjustedLevels } = plannedToc(book, body)
    book.written = entries
    book.shown = 'written'
    return json({ persisted: true, adjustedLevels })
  },

  'documents.locate'(state, { params, body }) {
    const book = bookOf(state, params['bookmd5'])
    const page = Number(body['page'])
    const text = String(body['text'])
    const there = book.pages[page - 1]?.text ?? ''
    const none = { found: false, page, matchedText: null, algorithm: null, score: 0 }
    if (there === '') return json({ ...none, reason: 'page_unreadable' })
    const exact = there.indexOf(text)
    const at = exact >= 0 ? exact : there.toLowerCase().indexOf(text.toLowerCase())
    if (at < 0 || text === '') return json({ ...none, reason: 'no_match' })
    const found = {
      found: true,
      page,
      matchedText: there.slice(at, at + text.length),
      algorithm: exact >= 0 ? 'exact' : 'case_insensitive',
      score: exact >= 0 ? 1 : 0.9,
    }
    if (body['navigate'] !== true) return json(found)
    if (state.open.bookmd5 !== book.bookmd5) {
      return json({ ...found, navigated: false, reason: 'different_document_open' })
    }
    state.open.page = page
    return json({ ...found, navigated: true })
  },

  'documents.export'(state, { params, body }) {
    const book = bookOf(state, params['bookmd5'])
    documentsOf(state, String(body['topicid']))
    const wanted = body['selectedPageNos'] as readonly number[] | undefined
    if (wanted?.length === 0) throw badParameter('selectedPageNos', 'must not be empty.')
    for (const page of wanted ?? []) {
      if (page >= FIRST_VIRTUAL) throw badParameter('selectedPageNos', 'must hold no virtual page.')
      if (page < 1 || page > book.pages.length)
        throw badParameter('selectedPageNos', 'names a page that does not exist.')
    }
    const pageCount = wanted?.length ?? book.pages.length
    return json({ persisted: true, pageCount, ...exportFile(state, 'DocumentExports', `${book.title}.pdf`) })
  },
} satisfies Routes
