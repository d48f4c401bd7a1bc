/** Whether a parsed value is nested no deeper than so many levels. Without recursion: writing or copying a deeper one ends the stack. */
export function isShallow(value: unknown, levels: number): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return false
    level = level.flatMap(membersOf)
  }
  return true
}

const membersOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : []
