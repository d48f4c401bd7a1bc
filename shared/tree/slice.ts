import { stringEnd } from '../json/scan.ts'

/**
 * The exact text of the n-th element of the top-level array `nodes`, as the host sent it: numbers, escapes and repeated names
 * untouched. Null when there is none. `text` must be valid JSON.
 */
export function nodeText(text: string, n: number): string | null {
  let depth = 0
  let inNodes = false
  let expectName = false
  let element = 0
  let start = -1
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (char === '"') {
      const end = stringEnd(text, at)
      if (depth === 1 && expectName) {
        inNodes = text.slice(at, end + 1) === '"nodes"'
        expectName = false
      } else if (depth === 2 && inNodes && start < 0) start = at
      at = end
    } else if (char === '{' || char === '[') {
      if (depth === 2 && inNodes && start < 0) start = at
      depth += 1
      if (depth === 1) expectName = char === '{'
    } else if (char === '}' || char === ']') {
      if (depth === 2 && inNodes && start >= 0 && element === n) return text.slice(start, at).trim()
      depth -= 1
    } else if (char === ',') {
      if (depth === 2 && inNodes) {
        if (element === n && start >= 0) return text.slice(start, at).trim()
        element += 1
        start = -1
      }
      if (depth === 1) expectName = true
    } else if (depth === 2 && inNodes && start < 0 && !/\s/.test(char ?? '')) start = at
  }
  return null
}
