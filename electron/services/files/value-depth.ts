/**
 * Whether a parsed value has at most this many levels. Not recursive, because deep values overflow
 * the stack when they are written or copied.
 */
export function isWithinDepth(value: unknown, levels: number): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return false
    level = level.flatMap(membersOf)
  }
  return true
}

const membersOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : []
