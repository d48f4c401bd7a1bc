/** True if a value has at most so many levels. Not recursive: deep ones overflow the stack. */
export function isWithinDepth(value: unknown, maxLevels: number): boolean {
  let valuesOfLevel = [value]
  for (let depth = 0; valuesOfLevel.length > 0; depth += 1) {
    if (depth > maxLevels) return false
    valuesOfLevel = valuesOfLevel.flatMap(membersOf)
  }
  return true
}

const membersOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : []
