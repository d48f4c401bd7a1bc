import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  TokenCursor,
} from '../../../shared/json/token-cursor.ts'

/**
 * Pretty-prints JSON text without going through values: numbers, escapes and repeated names stay exactly as the host sent them. Text that
 * is not JSON keeps the same tokens in the same order. Stops soon after `maxChars` characters of output and says so with `isTruncated`.
 */
export function formatJson(text: string, maxChars = Number.POSITIVE_INFINITY): { text: string; isTruncated: boolean } {
  const tokens = new TokenCursor(text)
  const out: string[] = []
  let size = 0
  /** Kind and depth of the token before. */
  let last = 0
  let lastDepth = 0
  let isAfterValue = false
  while (tokens.next()) {
    if (size > maxChars) return { text: out.join(''), isTruncated: true }
    const { kind, start, end, depth } = tokens
    let piece = text.slice(start, end)
    const isOpening = kind === OPEN_OBJECT || kind === OPEN_LIST
    const isClosing = kind === CLOSE_OBJECT || kind === CLOSE_LIST
    const isFirst = last === OPEN_OBJECT || last === OPEN_LIST
    const isValue = !isOpening && !isClosing && kind !== COMMA && kind !== COLON
    if (kind === COMMA) piece += newLine(depth)
    else if (kind === COLON) piece = ': '
    // Two strings, numbers or words must not run together.
    else if (isValue && isAfterValue) piece = ` ${piece}`
    else if (isClosing && kind !== last + 2) piece = newLine(depth) + piece
    if (isFirst && kind !== last + 2) piece = newLine(lastDepth) + piece
    out.push(piece)
    size += piece.length
    last = kind
    lastDepth = depth
    isAfterValue = isValue
  }
  return { text: out.join(''), isTruncated: false }
}

const breaks: string[] = []
/** Two spaces per level, up to a hundred levels: otherwise the text would grow with the square of the depth. */
function newLine(depth: number): string {
  const level = Math.min(depth, 100)
  return (breaks[level] ??= `\n${'  '.repeat(level)}`)
}
