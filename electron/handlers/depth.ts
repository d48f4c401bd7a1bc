const MAX_DEPTH = 32
const MAX_VALUES = 200_000
const MAX_TEXT = 16 * 1024 * 1024

/**
 * Whether foreign input is nested deeper, or holds more, than any valid input could. It is checked before any schema, without recursion and
 * without copying, so that a hostile value exhausts neither the stack nor the heap. Values that are not JSON (a Map, a bigint, bytes:
 * Electron's structured clone carries them) are rejected too: no valid input holds them, and where the contract accepts any value they
 * must not end up being serialised.
 */
export function exceedsLimits(input: unknown): boolean {
  const stack: { value: unknown; depth: number }[] = [{ value: input, depth: 0 }]
  let values = 1
  let text = 0
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value, depth } = next
    if (typeof value === 'string') text += value.length
    else if (typeof value === 'object' && value !== null) {
      // By `length`, not by elements present: one assignment makes an array of four billion holes.
      values += Array.isArray(value) ? value.length : 0
      if (depth >= MAX_DEPTH || values > MAX_VALUES || !isPlain(value)) return true
      for (const name in value) {
        if (!Array.isArray(value)) {
          values += 1
          text += name.length
        }
        if (values > MAX_VALUES) return true
        stack.push({ value: (value as Record<string, unknown>)[name], depth: depth + 1 })
      }
    } else if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') return true
    if (text > MAX_TEXT) return true
  }
  return false
}

/** By tag, because a value may come from another realm. */
function isPlain(value: object): boolean {
  const tag = Object.prototype.toString.call(value)
  return tag === '[object Object]' || tag === '[object Array]'
}
