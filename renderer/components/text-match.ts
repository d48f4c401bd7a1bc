import { findFolded } from '../../shared/format/text-folding.ts'
import { MAX_LINE_CHARS, toSingleLine } from './text-truncation.ts'

/** Splits the first line at the first match of `highlight`, a folded text; null without one. */
export function splitAtMatch(text: string, highlight: string): readonly [string, string, string] | null {
  const match = findFolded(text.slice(0, MAX_LINE_CHARS + highlight.length), highlight)
  if (match === null) return null
  const [start, end] = match
  const line = toSingleLine(text)
  return [line.slice(0, start), line.slice(start, end), line.slice(end)]
}
