import type { DemoState } from './context.ts'
import type { ExcerptRecord } from './library/model.ts'

/** How many excerpts, of how many study sets (or of the named one), a document has, and the first `most`. */
export function excerptsOf(
  state: DemoState,
  bookmd5: string,
  studySet: string | null,
  most: number,
): { total: number; topicCount: number; items: ExcerptRecord[] } {
  if (state.generated.books.includes(bookmd5)) {
    const elsewhere = studySet !== null && studySet !== state.generated.topicid
    const { total, items } = state.generated.excerpts(bookmd5, elsewhere ? 0 : most)
    return elsewhere ? { total: 0, topicCount: 0, items } : { total, topicCount: Math.min(1, total), items }
  }
  const all = state.library.excerpts.get(bookmd5) ?? []
  const items = studySet === null ? all : all.filter(({ topicid }) => topicid === studySet)
  const topicCount = new Set(items.map((item) => item.topicid)).size
  return { total: items.length, topicCount, items: items.slice(0, most) }
}

/** Segments at the same position in more than one record; the spec does not show their shape. */
export function duplicatesOf(items: readonly ExcerptRecord[]): object[] {
  const groups = new Map<string, ExcerptRecord[]>()
  for (const item of items) {
    const key = `${item.page}/${item.startpos}/${item.endpos}`
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
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
