const MAX_DEPTH = 32
const MAX_VALUES = 200_000
const MAX_TEXT = 16 * 1024 * 1024

/**
 * Whether foreign input is nested deeper, or holds more, than any input of the contract could. Asked before a schema looks at
 * it, without recursion, so that a hostile value costs neither the stack nor the heap.
 */
export function tooDeep(input: unknown): boolean {
  const stack: { value: unknown; depth: number }[] = [{ value: input, depth: 0 }]
  let values = 0
  let text = 0
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value, depth } = next
    if (typeof value === 'string') text += value.length
    else if (typeof value === 'object' && value !== null) {
      if (depth >= MAX_DEPTH) return true
      if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return true
      for (const member of Object.values(value)) stack.push({ value: member, depth: depth + 1 })
    }
    values += 1
    if (values + stack.length > MAX_VALUES || text > MAX_TEXT) return true
  }
  return false
}
