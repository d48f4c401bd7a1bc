import MiniSearch from 'minisearch'
import type { PaletteItem } from '../stores/palette.ts'

/** An item with the heading under which it stands. */
export interface PaletteEntry extends PaletteItem {
  readonly key: string
  readonly section: string
}

const cjk = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]/u

/** Words, and for scripts without spaces single characters and pairs. */
export function tokens(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    if (!cjk.test(word)) return [word]
    const chars = [...word]
    return [...chars, ...chars.slice(1).map((char, at) => `${chars[at] ?? ''}${char}`)]
  })
}

/** A search over the entries that forgives a typing slip; the empty query answers all of them as they came. */
export function createPaletteSearch(entries: readonly PaletteEntry[]): (query: string) => readonly PaletteEntry[] {
  const index = new MiniSearch<PaletteEntry>({
    idField: 'key',
    fields: ['title', 'section', 'detail'],
    tokenize: tokens,
    searchOptions: {
      boost: { title: 4 },
      prefix: true,
      fuzzy: (term) => (term.length > 3 ? 0.2 : false),
      combineWith: 'AND',
    },
  })
  index.addAll(entries)
  const byKey = new Map(entries.map((entry) => [entry.key, entry]))
  return (query) => {
    if (query.trim() === '') return entries
    const found = index.search(query).flatMap(({ id }) => byKey.get(id as string) ?? [])
    // Best first, but whatever belongs together stays together under its heading.
    const sections = [...new Set(found.map(({ section }) => section))]
    return sections.flatMap((section) => found.filter((entry) => entry.section === section))
  }
}
