import type { Excerpt } from '../../../shared/bridge/resources/documents.ts'
import { foldText } from '../../../shared/format/text-folding.ts'

/** An excerpt as a table shows it; a field that the host did not send as promised is empty or null, and `odd` is set. */
export interface ExcerptRow {
  readonly kind: 'excerpt'
  /** Place in the list. */
  readonly index: number
  readonly text: string
  readonly page: number | null
  readonly startpos: number | null
  readonly endpos: number | null
  /** Record in the document notebook. */
  readonly noteid: string
  /** Card on the mind map: what a plugin attaches its state to (spec §2). */
  readonly cardNoteId: string
  readonly topicid: string
  readonly hasInvalidMembers: boolean
}

/** The heading of a group of rows. */
interface GroupRow {
  readonly kind: 'group'
  readonly key: string
  readonly label: string
  readonly count: number
  readonly isOpen: boolean
}
export type ExcerptGridRow = ExcerptRow | GroupRow

export function toExcerptRows(items: readonly Excerpt[]): ExcerptRow[] {
  return items.map((item, at) => {
    const { noteid, cardNoteId, topicid, page, startpos, endpos, text } = item
    const row: ExcerptRow = {
      kind: 'excerpt',
      index: at,
      text: text ?? '',
      page: page ?? null,
      startpos: startpos ?? null,
      endpos: endpos ?? null,
      noteid: noteid ?? '',
      cardNoteId: cardNoteId ?? '',
      topicid: topicid ?? '',
      hasInvalidMembers: [noteid, cardNoteId, topicid, page, startpos, endpos, text].includes(undefined),
    }
    return row
  })
}

/**
 * Rows whose text or ids contain every word, ignoring case; a word such as `p12` means the page, `p12-15` these pages. `texts` holds each row's `searchedText`.
 */
export function filterRows(rows: readonly ExcerptRow[], texts: readonly string[], text: string): readonly ExcerptRow[] {
  const words = foldText(text).split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter((row, at) =>
    words.every((one) => {
      const [, from, to = from] = /^p(\d+)(?:-(\d+))?$/.exec(one) ?? []
      if (from === undefined) return texts[at]?.includes(one) === true
      return row.page !== null && row.page >= Number(from) && row.page <= Number(to)
    }),
  )
}

/** Pages of a document that a strip can show; a page number beyond it is more likely an error of the host than a page. */
const MAX_PAGES = 100_000

/** How many rows each page has, from page 1 to the last one with any. */
export function countRowsByPage(rows: readonly ExcerptRow[]): readonly number[] {
  const counts: number[] = []
  for (const { page } of rows) {
    if (page === null || !Number.isInteger(page) || page < 1 || page > MAX_PAGES) continue
    while (counts.length < page) counts.push(0)
    counts[page - 1] = (counts[page - 1] ?? 0) + 1
  }
  return counts
}

export const buildSearchText = ({ text, noteid, cardNoteId, topicid }: ExcerptRow): string =>
  foldText(`${text}\n${noteid}\n${cardNoteId}\n${topicid}`)

export type GroupBy = 'none' | 'page' | 'studySet'

/**
 * Groups the rows: pages in order, study sets in order of first appearance; rows keep their order within a group. A collapsed group shows
 * only its heading. `labelOf` names a group by its key.
 */
export function groupRows(
  rows: readonly ExcerptRow[],
  by: GroupBy,
  folded: ReadonlySet<string>,
  labelOf: (key: string) => string,
): readonly ExcerptGridRow[] {
  if (by === 'none') return rows
  const groups = new Map<string, ExcerptRow[]>()
  for (const row of rows) {
    const key = by === 'page' ? String(row.page ?? '') : row.topicid
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  const ordered = by === 'page' ? [...groups].sort(([a], [b]) => pageOf(a) - pageOf(b)) : [...groups]
  return ordered.flatMap(([key, members]): ExcerptGridRow[] => {
    const open = !folded.has(key)
    const head: GroupRow = { kind: 'group', key, label: labelOf(key), count: members.length, isOpen: open }
    return open ? [head, ...members] : [head]
  })
}

/** Rows without a page come last. */
const pageOf = (key: string): number => (key === '' ? Number.MAX_VALUE : Number(key))
