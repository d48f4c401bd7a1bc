import type { Book, TocEntry } from './library/model.ts'
import { badParameter, DemoError } from './reply.ts'

type Body = Readonly<Record<string, unknown>>

/** Deepest level of a contents list. */
const MOST_LEVEL = 7

/** The contents list that is shown. */
export const tocOf = (book: Book): readonly TocEntry[] =>
  book.shown === 'written' ? (book.written ?? []) : book.original

/** The contents list as it would be written, and which of its levels had to be changed. */
interface PlannedToc {
  readonly entries: readonly TocEntry[]
  readonly adjustedLevels: readonly { readonly index: number; readonly from: number; readonly to: number }[]
}

/**
 * The entries of a body. Throws 422 for pages that are not ascending or not in the document; a level that skips one is clamped (observed
 * §4).
 */
export function plannedToc(book: Book, body: Body): PlannedToc {
  const given = (body['entries'] ?? []) as TocEntry[]
  const adjustedLevels: { index: number; from: number; to: number }[] = []
  let page = 1
  let above = -1
  const entries = given.map((entry, index) => {
    if (entry.page < page) throw badParameter(`entries[${index}].page`, 'comes before the one above it.')
    if (entry.page > book.pages.length) throw badParameter(`entries[${index}].page`, 'is not in the document.')
    page = entry.page
    const level = Math.min(Math.max(0, entry.level), above + 1, MOST_LEVEL)
    if (level !== entry.level) adjustedLevels.push({ index, from: entry.level, to: level })
    above = level
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

/** Lines in a range of pages that may be headings: the first of a page, and short ones. */
export function candidatesOf(book: Book, start: number, end: number): Candidate[] {
  const found: Candidate[] = []
  for (let page = start; page <= Math.min(end, book.pages.length); page += 1) {
    const lines = book.pages[page - 1]?.text.split('\n') ?? []
    lines.forEach((text, line) => {
      if (text !== '' && (line === 0 || text.length < 30)) {
        found.push({ page, text, height: line === 0 ? 24 : 14, anchor: { page, line } })
      }
    })
  }
  return found
}

/** The contents list that the host generates. */
export const generatedToc = (book: Book): TocEntry[] =>
  candidatesOf(book, 1, book.pages.length)
    .filter(({ anchor, page }) => anchor.line === 0 && page % 4 === 1)
    .map(({ text, page }) => ({ title: text, page, level: 0 }))

/** Throws `TOC_GENERATION_IN_PROGRESS` while the host is generating one. */
export function assertNotGenerating(until: number | undefined): void {
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
