import { isSpace, stringEnd } from '../../../../shared/json/text.ts'

/** How much of a JSON value is built. */
export interface JsonBudget {
  /** Down to this depth, each object or list keeps its first entries, however large each of them is. */
  readonly shallow: number
  /** Total number of values below that. */
  readonly values: number
  /** Total number of text characters below that. */
  readonly characters: number
  /** Characters of one text, wherever it is. */
  readonly text: number
  readonly depth: number
}

/** Entries of one object or list in the upper levels. */
const MOST_ENTRIES = 200

interface Open {
  readonly value: unknown[] | Record<string, unknown>
  entries: number
  /** The name whose value comes next. */
  name: string | null
  /** The next text is a name. */
  nameNext: boolean
}

/**
 * The value at the beginning of a JSON text, as far as the budget goes; the rest is skipped, not built. A text that breaks off is read as
 * far as it goes. `cut` means that something was left out. `value` is undefined if nothing could be read. Never throws, and takes linear
 * time.
 */
export function boundedJson(text: string, budget: JsonBudget): { value: unknown; cut: boolean } {
  const open: Open[] = []
  let root: unknown
  let cut = false
  let { values, characters } = budget
  /** How many levels are being skipped. */
  let passed = 0

  /** Whether there is room for one more entry here; the name of a member without room is forgotten. */
  function room(): boolean {
    const top = open.at(-1)
    if (!top) return root === undefined
    top.entries += 1
    const fits = open.length <= budget.shallow ? top.entries <= MOST_ENTRIES : values > 0
    values -= open.length <= budget.shallow ? 0 : 1
    if (!fits) {
      cut = true
      top.name = null
    }
    return fits
  }

  function put(value: unknown): void {
    const top = open.at(-1)
    if (!top) root = value
    else if (Array.isArray(top.value)) top.value.push(value)
    else {
      // A member may be called `__proto__`.
      Object.defineProperty(top.value, top.name ?? '', { value, enumerable: true, writable: true, configurable: true })
      top.name = null
    }
  }

  function shown(one: string): string {
    const deep = open.length > budget.shallow
    const kept = one.slice(0, deep ? Math.min(budget.text, characters) : budget.text)
    if (deep) characters -= kept.length
    if (kept.length < one.length) cut = true
    return kept
  }

  function enter(list: boolean): void {
    if (passed > 0 || !room()) passed += 1
    else if (open.length >= budget.depth) {
      cut = true
      put(list ? [] : {})
      passed = 1
    } else {
      const value = list ? [] : {}
      put(value)
      open.push({ value, entries: 0, name: null, nameNext: !list })
    }
  }

  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const top = open.at(-1)
    if (code === QUOTE) {
      const end = stringEnd(text, at)
      const closed = end > at && text.charCodeAt(end) === QUOTE
      cut ||= !closed
      const isName = top?.nameNext === true
      if (passed === 0 && (isName || room())) {
        const one = shown(decoded(text.slice(at + 1, closed ? end : end + 1)))
        if (isName) {
          top.name = one
          top.nameNext = false
        } else put(one)
      }
      at = end
    } else if (code === 123 || code === 91) enter(code === 91)
    else if (code === 125 || code === 93) {
      if (passed > 0) passed -= 1
      else open.pop()
    } else if (code === COMMA) {
      if (passed === 0 && top && !Array.isArray(top.value)) top.nameNext = true
    } else if (!isBetween(code)) {
      const end = literalEnd(text, at)
      if (passed === 0 && room()) put(literal(text.slice(at, end)))
      at = end - 1
    }
    if (open.length === 0 && passed === 0 && root !== undefined) return { value: root, cut }
  }
  return { value: root, cut: true }
}

const QUOTE = 34
const COMMA = 44
const isBetween = (code: number): boolean => code === COMMA || code === 58 || isSpace(code)

/** The text of a string without its quotes, which may break off in the middle of an escape. */
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

function literalEnd(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (isBetween(code) || code === QUOTE || code === 123 || code === 91 || code === 125 || code === 93) return end
  }
  return text.length
}

function literal(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
