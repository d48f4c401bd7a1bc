import MiniSearch from 'minisearch'
import { foldText } from '../../shared/format/text-folding.ts'
import type { PaletteItem } from '../stores/palette.ts'

export interface PaletteEntry extends PaletteItem {
  readonly key: string
  readonly section: string
  /** The title in the other language, which is searched but not shown. */
  readonly otherTitle?: string
}

const cjk = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]/u

/** Scripts without spaces are split into single characters and pairs. */
function tokenize(text: string): string[] {
  return (foldText(text).match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    if (!cjk.test(word)) return [word]
    const chars = [...word]
    return [...chars, ...chars.slice(1).map((char, index) => `${chars[index] ?? ''}${char}`)]
  })
}

/** Tolerates a typo; an empty query returns all entries in their original order. */
export function createPaletteSearch(entries: readonly PaletteEntry[]): (query: string) => readonly PaletteEntry[] {
  const index = new MiniSearch<PaletteEntry>({
    idField: 'key',
    fields: ['title', 'otherTitle', 'section', 'detail'],
    tokenize: tokenize,
    searchOptions: {
      boost: { title: 4, otherTitle: 4 },
      prefix: true,
      fuzzy: (term) => (term.length > 3 ? 0.2 : false),
      combineWith: 'AND',
    },
  })
  index.addAll(entries)
  const entriesByKey = new Map(entries.map((entry) => [entry.key, entry]))
  return (query) => {
    if (query.trim() === '') return entries
    const matches = index.search(query).flatMap(({ id }) => entriesByKey.get(id as string) ?? [])
    // The best entries come first, but entries stay together under their heading.
    const sections = [...new Set(matches.map(({ section }) => section))]
    return sections.flatMap((section) => matches.filter((entry) => entry.section === section))
  }
}
