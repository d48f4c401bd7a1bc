// Parses, filters and groups excerpts for the table in `renderer/places/excerpts`. Read this file
// first, then recognized-ids.ts.

import type { Excerpt } from '../../../shared/bridge/resources/documents.ts'
import { foldText } from '../../../shared/format/text-folding.ts'

/** A member not sent as the contract says is empty or null; see `hasInvalidMembers`. */
export interface ExcerptRow {
  readonly kind: 'excerpt'
  /** Position in the host's list. */
  readonly index: number
  readonly text: string
  readonly page: number | null
  readonly startpos: number | null
  readonly endpos: number | null
  /** Id of the excerpt in the document's notebook. */
  readonly noteid: string
  /** Id of the card on the mind map, to which plugins attach their state (spec §2). */
  readonly cardNoteId: string
  readonly topicid: string
  readonly hasInvalidMembers: boolean
}

interface GroupRow {
  readonly kind: 'group'
  readonly key: string
  readonly label: string
  readonly count: number
  readonly isOpen: boolean
}
export type ExcerptGridRow = ExcerptRow | GroupRow

export function toExcerptRows(items: readonly Excerpt[]): ExcerptRow[] {
  return items.map((item, index) => {
    const { noteid, cardNoteId, topicid, page, startpos, endpos, text } = item
    const row: ExcerptRow = {
      kind: 'excerpt',
      index,
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
 * Rows whose text or ids contain every word, ignoring case; a word such as `p12` selects the page,
 * `p12-15` these pages.
 * @param texts the search text of each row (`buildSearchText`)
 */
export function filterExcerptRows(
  rows: readonly ExcerptRow[],
  texts: readonly string[],
  text: string,
): readonly ExcerptRow[] {
  const words = foldText(text).split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter((row, index) =>
    words.every((word) => {
      const [, from, to = from] = /^p(\d+)(?:-(\d+))?$/.exec(word) ?? []
      if (from === undefined) return texts[index]?.includes(word) === true
      return row.page !== null && row.page >= Number(from) && row.page <= Number(to)
    }),
  )
}

/** Higher page numbers are likely an error of the host; the page strip ignores them. */
const MAX_PAGES = 100_000

export function countExcerptsByPage(rows: readonly ExcerptRow[]): readonly number[] {
  const counts: number[] = []
  for (const { page } of rows) {
    if (page === null || !Number.isInteger(page) || page < 1 || page > MAX_PAGES) continue
    while (counts.length < page) counts.push(0)
    counts[page - 1] = (counts[page - 1] ?? 0) + 1
  }
  return counts
}

export function buildSearchText({ text, noteid, cardNoteId, topicid }: ExcerptRow): string {
  return foldText(`${text}\n${noteid}\n${cardNoteId}\n${topicid}`)
}

export type ExcerptGrouping = 'none' | 'page' | 'studySet'

/**
 * Groups the rows: pages in ascending order, study sets in the order of their first rows. Rows keep
 * their order within a group. A collapsed group consists of its heading.
 * @param labelOf returns the label of a group for the group's key
 */
export function groupExcerptRows(
  rows: readonly ExcerptRow[],
  groupBy: ExcerptGrouping,
  collapsedKeys: ReadonlySet<string>,
  labelOf: (key: string) => string,
): readonly ExcerptGridRow[] {
  if (groupBy === 'none') return rows
  const groups = new Map<string, ExcerptRow[]>()
  for (const row of rows) {
    const key = groupBy === 'page' ? String(row.page ?? '') : row.topicid
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  const ordered =
    groupBy === 'page' ? [...groups].sort(([a], [b]) => toSortablePage(a) - toSortablePage(b)) : [...groups]
  return ordered.flatMap(([key, members]): ExcerptGridRow[] => {
    const isOpen = !collapsedKeys.has(key)
    const heading: GroupRow = { kind: 'group', key, label: labelOf(key), count: members.length, isOpen }
    return isOpen ? [heading, ...members] : [heading]
  })
}

/** Rows without a page come last. */
const toSortablePage = (key: string): number => (key === '' ? Number.MAX_VALUE : Number(key))
