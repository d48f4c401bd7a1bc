import MiniSearch from 'minisearch'
import { foldText } from '../../shared/format/text-folding.ts'
import type { PaletteItem } from '../stores/palette.ts'

/** An item with its heading. */
export interface PaletteEntry extends PaletteItem {
  readonly key: string
  readonly section: string
}

const cjk = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]/u

/** Splits into words, and for scripts without spaces into single characters and pairs. */
function tokens(text: string): string[] {
  return (foldText(text).match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    if (!cjk.test(word)) return [word]
    const chars = [...word]
    return [...chars, ...chars.slice(1).map((char, at) => `${chars[at] ?? ''}${char}`)]
  })
}

/** A search over the entries that tolerates a typo; an empty query returns all of them in original order. */
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
    // Best first, but entries stay together under their heading.
    const sections = [...new Set(found.map(({ section }) => section))]
    return sections.flatMap((section) => found.filter((entry) => entry.section === section))
  }
}
