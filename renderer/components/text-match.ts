import { findFolded } from '../../shared/format/text-folding.ts'
import { MAX_LINE_CHARS, toSingleLine } from './text-truncation.ts'

/** The first line before, in and after the first match of folded `highlight`; null without. */
export function splitAtMatch(text: string, highlight: string): readonly [string, string, string] | null {
  const match = findFolded(text.slice(0, MAX_LINE_CHARS + highlight.length), highlight)
  if (match === null) return null
  const [start, end] = match
  const line = toSingleLine(text)
  return [line.slice(0, start), line.slice(start, end), line.slice(end)]
}
