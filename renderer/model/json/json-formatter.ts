// Formats JSON text, selects from it, finds the cursor in it and completes it, without parsing it
// into values. The parser is in `shared/json`. Read this file first, then cursor.ts.

import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  TokenCursor,
} from '../../../shared/json/token-cursor.ts'
import { parseJsonQuery, selectJson } from './json-query.ts'

export interface FormatOptions {
  /** False for the text as it was sent. */
  readonly isIndented: boolean
  readonly maxChars: number
  /** The values to which a JSON pointer or JSONPath leads, instead of the whole text. */
  readonly query?: string | undefined
}

export interface FormattedText {
  readonly text: string
  /** True if the source is longer than `text`. */
  readonly isTruncated: boolean
  readonly sourceChars: number
  /** How many values the query leads to, and whether there are more than were selected. */
  readonly selection?: { readonly count: number; readonly isTruncated: boolean }
}

/** Formats a text for display. A query that is not understood selects the whole text. */
export function formatText(source: string, { isIndented, maxChars, query }: FormatOptions): FormattedText {
  const jsonQuery = query === undefined ? null : parseJsonQuery(query)
  const selected = jsonQuery && selectJson(source, jsonQuery)
  const text = selected?.text ?? source
  return {
    ...(isIndented
      ? formatJson(text, maxChars)
      : { text: text.slice(0, maxChars), isTruncated: text.length > maxChars }),
    sourceChars: text.length,
    ...(selected ? { selection: { count: selected.matchCount, isTruncated: selected.isTruncated } } : {}),
  }
}

/**
 * Indents JSON text without parsing it into values, so that numbers, escapes and repeated names
 * stay as the host sent them. Text that is not JSON keeps its tokens in order. Stops soon after
 * `maxChars` characters of output.
 */
export function formatJson(text: string, maxChars = Number.POSITIVE_INFINITY): { text: string; isTruncated: boolean } {
  const tokens = new TokenCursor(text)
  const out: string[] = []
  let size = 0
  let lastKind = 0
  let lastDepth = 0
  let isAfterValue = false
  while (tokens.next()) {
    if (size > maxChars) return { text: out.join(''), isTruncated: true }
    const { kind, start, end, depth } = tokens
    let piece = text.slice(start, end)
    const isOpening = kind === OPEN_OBJECT || kind === OPEN_LIST
    const isClosing = kind === CLOSE_OBJECT || kind === CLOSE_LIST
    const isFirst = lastKind === OPEN_OBJECT || lastKind === OPEN_LIST
    const isValue = !isOpening && !isClosing && kind !== COMMA && kind !== COLON
    if (kind === COMMA) piece += getLineBreak(depth)
    else if (kind === COLON) piece = ': '
    // Two strings, numbers or words would become a single token without a space.
    else if (isValue && isAfterValue) piece = ` ${piece}`
    else if (isClosing && kind !== lastKind + 2) piece = getLineBreak(depth) + piece
    if (isFirst && kind !== lastKind + 2) piece = getLineBreak(lastDepth) + piece
    out.push(piece)
    size += piece.length
    lastKind = kind
    lastDepth = depth
    isAfterValue = isValue
  }
  return { text: out.join(''), isTruncated: false }
}

const lineBreaks: string[] = []
/** Indents up to level 100; without a limit, the text would grow with the square of the depth. */
function getLineBreak(depth: number): string {
  const level = Math.min(depth, 100)
  return (lineBreaks[level] ??= `\n${'  '.repeat(level)}`)
}
