import { foldText } from '../../shared/format/text-folding.ts'
import { MAX_LINE_CHARS, toSingleLine } from './text-truncation.ts'

/**
 * Splits the first line of a text at the first match of `highlight`, which is folded: before,
 * match, after; null without one.
 */
export function splitAtMatch(text: string, highlight: string): readonly [string, string, string] | null {
  const start = highlight === '' ? -1 : foldText(text.slice(0, MAX_LINE_CHARS + highlight.length)).indexOf(highlight)
  if (start < 0) return null
  const end = start + highlight.length
  const line = toSingleLine(text)
  return [line.slice(0, start), line.slice(start, end), line.slice(end)]
}
