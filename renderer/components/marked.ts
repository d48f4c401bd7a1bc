import { folded } from '../../shared/format/fold.ts'
import { LINE, oneLine } from './one-line.ts'

/**
 * The first match of a text (already `folded`) in another as three parts: before, match, after, as far as one line shows them; null if there
 * is none so far.
 */
export function markedParts(text: string, highlight: string): readonly [string, string, string] | null {
  const at = highlight === '' ? -1 : folded(text.slice(0, LINE + highlight.length)).indexOf(highlight)
  if (at < 0) return null
  const end = at + highlight.length
  const line = oneLine(text)
  return [line.slice(0, at), line.slice(at, end), line.slice(end)]
}
