import { stringEnd } from '../../../shared/json/scan.ts'

/** The exact text of the n-th node of a tree page. */
export const nodeText = (text: string, n: number): string | null => elementText(text, 'nodes', n)

/**
 * The exact text of the n-th element of a top-level array as the host sent it: numbers, escapes and repeated names unchanged. With
 * `member` null the answer itself is the array. Null if there is no such element. `text` must be valid JSON.
 */
export function elementText(text: string, member: string | null, n: number): string | null {
  const name = JSON.stringify(member)
  /** Depth of the elements. */
  const level = member === null ? 1 : 2
  let depth = 0
  let inNodes = member === null
  let expectName = false
  let element = 0
  let start = -1
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (char === '"') {
      const end = stringEnd(text, at)
      if (member !== null && depth === 1 && expectName) {
        inNodes = text.slice(at, end + 1) === name
        expectName = false
      } else if (depth === level && inNodes && start < 0) start = at
      at = end
    } else if (char === '{' || char === '[') {
      if (depth === level && inNodes && start < 0) start = at
      depth += 1
      if (depth === 1) expectName = char === '{'
    } else if (char === '}' || char === ']') {
      if (depth === level && inNodes && start >= 0 && element === n) return text.slice(start, at).trim()
      depth -= 1
    } else if (char === ',') {
      if (depth === level && inNodes) {
        if (element === n && start >= 0) return text.slice(start, at).trim()
        element += 1
        start = -1
      }
      if (depth === 1) expectName = true
    } else if (depth === level && inNodes && start < 0 && !/\s/.test(char ?? '')) start = at
  }
  return null
}
