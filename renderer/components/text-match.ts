import { foldText } from '../../shared/format/text-folding.ts'
import { MAX_LINE_CHARS, toSingleLine } from './text-truncation.ts'

/**
 * The first match of a text (already `folded`) in another as three parts: before, match, after, as far as one line shows them; null if there
 * is none so far.
 */
export function splitAtMatch(text: string, highlight: string): readonly [string, string, string] | null {
  const at = highlight === '' ? -1 : foldText(text.slice(0, MAX_LINE_CHARS + highlight.length)).indexOf(highlight)
  if (at < 0) return null
  const end = at + highlight.length
  const line = toSingleLine(text)
  return [line.slice(0, at), line.slice(at, end), line.slice(end)]
}
