import { isSpace, stringEnd } from '../../../shared/json/text.ts'

const QUOTE = 34
const COMMA = 44
const COLON = 58

/**
 * Pretty-prints JSON text without going through values: numbers, escapes and repeated names stay exactly as the host sent them. Text that
 * is not JSON keeps the same tokens in the same order. Stops soon after `maxChars` characters of output and says so with `cut`.
 */
export function formatJson(text: string, maxChars = Number.POSITIVE_INFINITY): { text: string; cut: boolean } {
  const out: string[] = []
  let size = 0
  let depth = 0
  /** The last piece was a string, number or word; two of these must not run together. */
  let value = false
  const push = (piece: string, isValue = false): void => {
    if (isValue && value) piece = ` ${piece}`
    out.push(piece)
    size += piece.length
    value = isValue
  }
  let at = nextSolid(text, 0)
  while (at < text.length) {
    if (size > maxChars) return { text: out.join(''), cut: true }
    const code = text.charCodeAt(at)
    let end = at + 1
    if (code === 123 || code === 91) {
      end = nextSolid(text, end)
      if (text.charCodeAt(end) === code + 2) {
        push(code === 123 ? '{}' : '[]')
        end += 1
      } else {
        depth += 1
        push((code === 123 ? '{' : '[') + newLine(depth))
      }
    } else if (code === 125 || code === 93) {
      depth = Math.max(0, depth - 1)
      push(newLine(depth) + (code === 125 ? '}' : ']'))
    } else if (code === COMMA) push(`,${newLine(depth)}`)
    else if (code === COLON) push(': ')
    else {
      end = code === QUOTE ? stringEnd(text, at) + 1 : wordEnd(text, end)
      push(text.slice(at, end), true)
    }
    at = nextSolid(text, end)
  }
  return { text: out.join(''), cut: false }
}

const breaks: string[] = []
/** Two spaces per level, up to a hundred levels: otherwise the text would grow with the square of the depth. */
function newLine(depth: number): string {
  const level = Math.min(depth, 100)
  return (breaks[level] ??= `\n${'  '.repeat(level)}`)
}

function nextSolid(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1
  return at
}

/** End of a number, `true`, `null`, or of whatever is in its place. */
function wordEnd(text: string, from: number): number {
  let at = from
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const ends =
      isSpace(code) || code === QUOTE || code === COMMA || code === COLON || (code | 32) === 123 || (code | 32) === 125
    if (ends) break
  }
  return at
}
