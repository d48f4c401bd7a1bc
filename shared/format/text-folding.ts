const ASCII_PATTERN = /^[\0-\x7f]*$/

/**
 * Folds a text for filters and searches, so that texts that look or read the same are equal: in
 * any letter case by rules of no language, composed or not, in full or half width (NFKC). The
 * length may change; `findFolded` returns offsets in the original.
 */
export function foldText(text: string): string {
  if (ASCII_PATTERN.test(text)) return text.toLowerCase()
  // Lower case makes two characters of the dotted capital I, has another sigma at the end of a
  // word, and keeps a sharp s, of which upper case makes two letters.
  return text.normalize('NFKC').toLowerCase().replaceAll('i\u0307', 'i').replaceAll('ς', 'σ').replaceAll('ß', 'ss')
}

/** Offsets of the start and the end of a folded text in `text`; null without a match. */
export function findFolded(text: string, needle: string): readonly [start: number, end: number] | null {
  if (needle === '') return null
  if (ASCII_PATTERN.test(text)) {
    const start = text.toLowerCase().indexOf(needle)
    return start < 0 ? null : [start, start + needle.length]
  }
  let foldedText = ''
  /** The character of `text` from which each unit of `foldedText` comes. */
  const sources: { readonly index: number; readonly end: number }[] = []
  for (const { segment, index } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    const foldedSegment = foldText(segment)
    foldedText += foldedSegment
    const source = { index, end: index + segment.length }
    for (let unit = 0; unit < foldedSegment.length; unit += 1) sources.push(source)
  }
  const position = foldedText.indexOf(needle)
  const [first, last] = [sources[position], sources[position + needle.length - 1]]
  return first && last ? [first.index, last.end] : null
}
