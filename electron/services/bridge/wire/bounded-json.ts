import { isContainerStart, MemberCursor, skipWhiteSpace, findValueEnd } from '../../../../shared/json/token-cursor.ts'

/** How much of a JSON value is built. */
export interface JsonBudget {
  /** Down to this depth, each object or list keeps its first entries, however large each of them is. */
  readonly shallowDepth: number
  /** Total number of values below that. */
  readonly maxValues: number
  /** Total number of text characters below that. */
  readonly maxChars: number
  /** Characters of one text, wherever it is. */
  readonly maxTextChars: number
  readonly maxDepth: number
}

/** Entries of one object or list in the upper levels. */
const MAX_ENTRIES = 200

/**
 * The value at the beginning of a JSON text, as far as the budget goes; the rest is skipped, not built. A text that breaks off is read as
 * far as it goes. `cut` means that something was left out. `value` is undefined if nothing could be read. Never throws, and takes linear
 * time.
 */
export function parseBoundedJson(text: string, budget: JsonBudget): { value: unknown; isTruncated: boolean } {
  let cut = false
  let { maxValues: values, maxChars: characters } = budget

  /** The value at `start`, inside of `depth` containers, and the index after it. */
  function read(start: number, depth: number): { value: unknown; end: number } {
    if (isContainerStart(text, start)) return container(start, depth)
    const end = findValueEnd(text, start)
    const raw = text.slice(start, end)
    return { value: text[start] === '"' ? shortened(raw, depth) : literal(raw), end }
  }

  function container(start: number, depth: number): { value: unknown; end: number } {
    const isList = text[start] === '['
    const value: unknown[] | Record<string, unknown> = isList ? [] : {}
    if (depth >= budget.maxDepth) {
      cut = true
      return { value, end: findValueEnd(text, start) }
    }
    const isShallow = depth < budget.shallowDepth
    const member = new MemberCursor(text, start)
    while (member.next()) {
      const fits = isShallow ? member.index < MAX_ENTRIES : values > 0
      cut ||= !fits
      if (!fits) continue
      if (!isShallow) values -= 1
      const name = isList
        ? member.index
        : shortened(text.slice(member.nameStart, findValueEnd(text, member.nameStart)), depth + 1)
      const inner = read(member.start, depth + 1)
      member.end = inner.end
      // A member may be called `__proto__`.
      const property = { value: inner.value, enumerable: true, writable: true, configurable: true }
      if (inner.value !== undefined) Object.defineProperty(value, name, property)
    }
    cut ||= !member.isClosed
    return { value, end: member.close }
  }

  /** The text of a string, which may break off in the middle of an escape. */
  function shortened(raw: string, depth: number): string {
    const isClosed = raw.length > 1 && raw.endsWith('"')
    const whole = decoded(raw.slice(1, isClosed ? -1 : undefined))
    const isDeep = depth > budget.shallowDepth
    const kept = whole.slice(0, isDeep ? Math.min(budget.maxTextChars, characters) : budget.maxTextChars)
    if (isDeep) characters -= kept.length
    cut ||= !isClosed || kept.length < whole.length
    return kept
  }

  const { value } = read(skipWhiteSpace(text, 0), 0)
  return { value, isTruncated: cut || value === undefined }
}

function decoded(raw: string): string {
  for (const part of [raw, raw.replace(/\\(?:u[\da-f]{0,3})?$/i, '')]) {
    try {
      const value: unknown = JSON.parse(`"${part}"`)
      if (typeof value === 'string') return value
    } catch {
      // Tried again without its end, and otherwise shown as it was sent.
    }
  }
  return raw
}

/** A number or word; undefined if there is nothing. */
function literal(raw: string): unknown {
  try {
    return JSON.parse(raw) as unknown
  } catch {
    return raw || undefined
  }
}
