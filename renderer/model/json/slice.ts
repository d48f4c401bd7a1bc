import { listSteps } from '../../../shared/json/list-path.ts'
import { stringEnd } from '../../../shared/json/scan.ts'

/** The exact text of the n-th node of a tree page. */
export const nodeText = (text: string, n: number): string | null => elementText(text, 'nodes', n)

/**
 * The exact text of the n-th element of an array as the host sent it: numbers, escapes and repeated names unchanged. `member` is the
 * array's path (`listPath`); null if the answer itself is the array. Null if there is no such element. `text` must be valid JSON.
 */
export function elementText(text: string, member: string | null, n: number): string | null {
  const steps = listSteps(member).map((step) => JSON.stringify(step))
  /** Depth of the elements. */
  const level = steps.length + 1
  let depth = 0
  /** Steps of the path that lead here. */
  let reached = 0
  const named: boolean[] = []
  let expectName = false
  let element = 0
  let start = -1
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    const here = depth === level && reached === steps.length
    if (char === '"') {
      const end = stringEnd(text, at)
      if (depth < level && expectName) {
        if (reached >= depth - 1) reached = text.slice(at, end + 1) === steps[depth - 1] ? depth : depth - 1
        expectName = false
      } else if (here && start < 0) start = at
      at = end
    } else if (char === '{' || char === '[') {
      if (here && start < 0) start = at
      depth += 1
      if (depth < level) named[depth] = expectName = char === '{'
    } else if (char === '}' || char === ']') {
      if (here && start >= 0 && element === n) return text.slice(start, at).trim()
      depth -= 1
      reached = Math.min(reached, depth)
    } else if (char === ',') {
      if (here) {
        if (element === n && start >= 0) return text.slice(start, at).trim()
        element += 1
        start = -1
      }
      if (depth < level) expectName = named[depth] === true
    } else if (here && start < 0 && !/\s/.test(char ?? '')) start = at
  }
  return null
}
