import { isContainerStart, MemberCursor, skipWhiteSpace, findValueEnd } from '../../../../shared/json/token-cursor.ts'

/** Limits for the part of a JSON value that is built. */
export interface JsonBudget {
  /** Down to this depth each container keeps its first entries, even if they are large. */
  readonly shallowDepth: number
  /** Total number of values below the shallow levels. */
  readonly maxValues: number
  /** Total number of text characters below the shallow levels. */
  readonly maxChars: number
  /** Maximum characters of one text at any depth. */
  readonly maxTextChars: number
  readonly maxDepth: number
}

/** Maximum entries of one container in the shallow levels. */
const MAX_ENTRIES = 200

/**
 * Parses the value at the beginning of a JSON text up to the budget; the rest is skipped without
 * being built. A text that breaks off is parsed as far as it goes. Never throws and takes linear
 * time.
 * @returns `value` is undefined if nothing could be parsed.
 */
export function parseBoundedJson(text: string, budget: JsonBudget): { value: unknown; isTruncated: boolean } {
  let isTruncated = false
  let { maxValues: remainingValues, maxChars: remainingChars } = budget

  /** Parses the value at `start`, inside `depth` containers. `end` is the index after it. */
  function parseValue(start: number, depth: number): { value: unknown; end: number } {
    if (isContainerStart(text, start)) return parseContainer(start, depth)
    const end = findValueEnd(text, start)
    const raw = text.slice(start, end)
    return { value: text[start] === '"' ? parseText(raw, depth) : parseLiteral(raw), end }
  }

  function parseContainer(start: number, depth: number): { value: unknown; end: number } {
    const isList = text[start] === '['
    const value: unknown[] | Record<string, unknown> = isList ? [] : {}
    if (depth >= budget.maxDepth) {
      isTruncated = true
      return { value, end: findValueEnd(text, start) }
    }
    const isShallow = depth < budget.shallowDepth
    const member = new MemberCursor(text, start)
    while (member.next()) {
      const fits = isShallow ? member.index < MAX_ENTRIES : remainingValues > 0
      isTruncated ||= !fits
      if (!fits) continue
      if (!isShallow) remainingValues -= 1
      const name = isList
        ? member.index
        : parseText(text.slice(member.nameStart, findValueEnd(text, member.nameStart)), depth + 1)
      const inner = parseValue(member.start, depth + 1)
      member.end = inner.end
      // Assigning would not work for a member named `__proto__`.
      const property = { value: inner.value, enumerable: true, writable: true, configurable: true }
      if (inner.value !== undefined) Object.defineProperty(value, name, property)
    }
    isTruncated ||= !member.isClosed
    return { value, end: member.close }
  }

  /** The text of a string, which may break off in the middle of an escape. */
  function parseText(raw: string, depth: number): string {
    const isClosed = raw.length > 1 && raw.endsWith('"')
    const decodedText = decodeString(raw.slice(1, isClosed ? -1 : undefined))
    const isDeep = depth > budget.shallowDepth
    const shortText = decodedText.slice(0, isDeep ? Math.min(budget.maxTextChars, remainingChars) : budget.maxTextChars)
    if (isDeep) remainingChars -= shortText.length
    isTruncated ||= !isClosed || shortText.length < decodedText.length
    return shortText
  }

  const { value } = parseValue(skipWhiteSpace(text, 0), 0)
  return { value, isTruncated: isTruncated || value === undefined }
}

function decodeString(raw: string): string {
  for (const part of [raw, raw.replace(/\\(?:u[\da-f]{0,3})?$/i, '')]) {
    try {
      const value: unknown = JSON.parse(`"${part}"`)
      if (typeof value === 'string') return value
    } catch {
      // The next try leaves out an incomplete escape; after that the raw text is shown.
    }
  }
  return raw
}

/** Parses a number or a word such as `true`; undefined for the empty text. */
function parseLiteral(raw: string): unknown {
  try {
    return JSON.parse(raw) as unknown
  } catch {
    return raw || undefined
  }
}
