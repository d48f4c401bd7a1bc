import { documentedLimits } from '../../../shared/bridge/documented-limits.ts'
import { getBook, getDocumentIds, type RouteTable, type DemoState } from '../state/context.ts'
import { createParameterError, createJsonReply, DemoError } from '../state/reply.ts'
import type { DemoBook, TocEntry } from '../library/model.ts'

type Body = Readonly<Record<string, unknown>>

const MAX_LEVEL = 7

export function getShownToc(book: DemoBook): readonly TocEntry[] {
  return book.shownToc === 'written' ? (book.writtenToc ?? []) : book.originalToc
}

/** Lowers levels more than one deeper (observed §4). @throws 422 for pages out of order or range */
export function planToc(book: DemoBook, body: Body) {
  const bodyEntries = (body['entries'] ?? []) as TocEntry[]
  const adjustedLevels: { index: number; from: number; to: number }[] = []
  let page = 1
  let previousLevel = -1
  const entries = bodyEntries.map((entry, index) => {
    if (entry.page < page) throw createParameterError(`entries[${index}].page`, 'comes before the one above it.')
    if (entry.page > book.pages.length) throw createParameterError(`entries[${index}].page`, 'is not in the document.')
    page = entry.page
    const level = Math.min(Math.max(0, entry.level), previousLevel + 1, MAX_LEVEL)
    if (level !== entry.level) adjustedLevels.push({ index, from: entry.level, to: level })
    previousLevel = level
    return { title: entry.title, page, level }
  })
  return { entries, adjustedLevels }
}

interface Candidate {
  readonly page: number
  readonly text: string
  readonly height: number
  readonly anchor: { readonly page: number; readonly line: number }
}

/** Finds lines that may be headings: the first line of each page, and short lines. */
function listCandidates(book: DemoBook, start: number, end: number): Candidate[] {
  const candidates: Candidate[] = []
  for (let page = start; page <= Math.min(end, book.pages.length); page += 1) {
    const lines = book.pages[page - 1]?.text.split('\n') ?? []
    lines.forEach((text, line) => {
      if (text !== '' && (line === 0 || text.length < 30)) {
        candidates.push({ page, text, height: line === 0 ? 24 : 14, anchor: { page, line } })
      }
    })
  }
  return candidates
}

const generateToc = (book: DemoBook): TocEntry[] =>
  listCandidates(book, 1, book.pages.length)
    .filter(({ anchor, page }) => anchor.line === 0 && page % 4 === 1)
    .map(({ text, page }) => ({ title: text, page, level: 0 }))

/** @throws TOC_GENERATION_IN_PROGRESS before `until`, epoch time in ms */
function assertNotGenerating(until: number | undefined): void {
  if (until === undefined || Date.now() >= until) return
  throw new DemoError(
    409,
    'TOC_GENERATION_IN_PROGRESS',
    'A contents list is being generated. Wait, then read the outline.',
    {
      retryable: true,
      details: { retryAfterSeconds: Math.ceil((until - Date.now()) / 1000) },
    },
  )
}

/** The number of background steps for exporting one file. */
const EXPORT_STEPS = 2

/** The file is only listed, not written to the disk. @throws EXPORT_BUSY during another export */
export function recordExportedFile(
  { exports, stepMs }: DemoState,
  folder: string,
  name: string,
): { fileName: string; path: string } {
  const remainingMs = exports.busyUntil - Date.now()
  if (remainingMs > 0) {
    throw new DemoError(429, 'EXPORT_BUSY', 'Another export is being written.', {
      details: { retryAfterSeconds: Math.max(1, Math.ceil(remainingMs / 1000)) },
    })
  }
  exports.busyUntil = Date.now() + EXPORT_STEPS * stepMs
  const fileName = name.replace(/\.pdf$/i, '').replace(/[/\\:]/g, '_') + '.pdf'
  const path = `${folder}/${fileName}`
  exports.files.push(path)
  return { fileName, path }
}

/** The maximum number of pages that one request scans (observed §4: 45 s at about 3 s per page). */
const MAX_SCANNED_PAGES = 15
/** Page numbers from here on belong to virtual pages, which no route accepts. */
const FIRST_VIRTUAL_PAGE = 66_000
const TOC_STEPS = 4

/** Routes for contents lists, for finding text on a page, and for the flat PDF (observed §4). */
export const tocRoutes = {
  'documents.tocCandidates'(state, { params, query }) {
    const book = getBook(state, params['bookmd5'])
    const start = Number(query['start'] ?? 1)
    const end = Number(query['end'] ?? start + MAX_SCANNED_PAGES - 1)
    if (end < start) throw createParameterError('end', 'comes before start.')
    if (end - start >= documentedLimits.documentPages)
      throw createParameterError('end', `asks for more than ${documentedLimits.documentPages} pages.`)
    const last = Math.min(end, book.pages.length)
    const scanned = Math.max(0, Math.min(MAX_SCANNED_PAGES, last - start + 1))
    const hasMore = start + scanned <= last
    return createJsonReply({
      candidates: listCandidates(book, start, start + scanned - 1),
      pagesScanned: scanned,
      truncated: hasMore,
      ...(hasMore ? { nextStart: start + scanned } : {}),
      hint: scanned === 0 ? 'No page of the document is in this range.' : '',
    })
  },

  'documents.toc'(state, { params, body }) {
    const book = getBook(state, params['bookmd5'])
    assertNotGenerating(state.tocGenerations.get(book.bookmd5))
    if (body['useOriginal'] === true) {
      book.shownToc = 'original'
      return createJsonReply({ persisted: true })
    }
    if (body['useAI'] === true) {
      if (book.writtenToc === null) {
        book.writtenToc = generateToc(book)
        state.tocGenerations.set(book.bookmd5, Date.now() + TOC_STEPS * state.stepMs)
      }
      book.shownToc = 'written'
      return createJsonReply({ persisted: true })
    }
    const { entries, adjustedLevels } = planToc(book, body)
    book.writtenToc = entries
    book.shownToc = 'written'
    return createJsonReply({ persisted: true, adjustedLevels })
  },

  'documents.locate'(state, { params, body }) {
    const book = getBook(state, params['bookmd5'])
    const page = Number(body['page'])
    const text = String(body['text'])
    const pageText = book.pages[page - 1]?.text ?? ''
    const noMatch = { found: false, page, matchedText: null, algorithm: null, score: 0 }
    if (pageText === '') return createJsonReply({ ...noMatch, reason: 'page_unreadable' })
    const exact = pageText.indexOf(text)
    const offset = exact >= 0 ? exact : pageText.toLowerCase().indexOf(text.toLowerCase())
    if (offset < 0 || text === '') return createJsonReply({ ...noMatch, reason: 'no_match' })
    const match = {
      found: true,
      page,
      matchedText: pageText.slice(offset, offset + text.length),
      algorithm: exact >= 0 ? 'exact' : 'case_insensitive',
      score: exact >= 0 ? 1 : 0.9,
    }
    if (body['navigate'] !== true) return createJsonReply(match)
    if (state.openState.bookmd5 !== book.bookmd5) {
      return createJsonReply({ ...match, navigated: false, reason: 'different_document_open' })
    }
    state.openState.page = page
    return createJsonReply({ ...match, navigated: true })
  },

  'documents.export'(state, { params, body }) {
    const book = getBook(state, params['bookmd5'])
    getDocumentIds(state, String(body['topicid']))
    const pageNumbers = body['selectedPageNos'] as readonly number[] | undefined
    if (pageNumbers?.length === 0) throw createParameterError('selectedPageNos', 'must not be empty.')
    for (const page of pageNumbers ?? []) {
      if (page >= FIRST_VIRTUAL_PAGE) throw createParameterError('selectedPageNos', 'must hold no virtual page.')
      if (page < 1 || page > book.pages.length)
        throw createParameterError('selectedPageNos', 'names a page that does not exist.')
    }
    const pageCount = pageNumbers?.length ?? book.pages.length
    return createJsonReply({
      persisted: true,
      pageCount,
      ...recordExportedFile(state, 'DocumentExports', `${book.title}.pdf`),
    })
  },
} satisfies RouteTable
