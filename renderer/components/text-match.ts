import { findFolded } from '../../shared/format/text-folding.ts'
import { MAX_LINE_CHARS, toSingleLine } from './text-truncation.ts'

/**
 * Splits the first line of a text into the parts before, in and after the first match; null if
 * there is no match.
 * @param highlight the folded search text
 */
export function splitAtMatch(text: string, highlight: string): readonly [string, string, string] | null {
  const match = findFolded(text.slice(0, MAX_LINE_CHARS + highlight.length), highlight)
  if (match === null) return null
  const [start, end] = match
  const line = toSingleLine(text)
  return [line.slice(0, start), line.slice(start, end), line.slice(end)]
}
