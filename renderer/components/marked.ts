import { folded } from '../../shared/format/fold.ts'

/** The first match of a text (already `folded`) in another as three parts: before, match, after; null if there is none. */
export function markedParts(text: string, highlight: string): readonly [string, string, string] | null {
  const at = highlight === '' ? -1 : folded(text).indexOf(highlight)
  if (at < 0) return null
  const end = at + highlight.length
  return [text.slice(0, at), text.slice(at, end), text.slice(end)]
}
