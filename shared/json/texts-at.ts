import { stringEnd } from './text.ts'

/** A piece of an answer exactly as sent, possibly cut. */
export interface SentText {
  readonly text: string
  /** There is more of it. */
  readonly cut: boolean
}

interface Wanted {
  readonly children: Map<string, Wanted>
  pointer: string | null
}

/**
 * The exact texts of the values at these JSON pointers, each at most `maxChars` long, in one pass: numbers, escapes and repeated names
 * are unchanged. If a name appears twice in its object the last one counts, as in a parser. `text` must be valid JSON whose depth was
 * checked.
 */
export function textsAt(text: string, pointers: Iterable<string>, maxChars: number): Map<string, SentText> {
  const root: Wanted = { children: new Map(), pointer: null }
  for (const pointer of pointers) want(root, pointer)
  const found = new Map<string, SentText>()

  /** Goes through the value that begins at or after `from`. Returns the index after it. */
  function value(from: number, wanted: Wanted): number {
    const start = solid(text, from)
    const open = text[start]
    const container = open === '{' || open === '['
    const end = container && wanted.children.size > 0 ? members(start, open === '{', wanted) : skip(text, start)
    if (wanted.pointer !== null) {
      const cut = end - start > maxChars
      found.set(wanted.pointer, { text: text.slice(start, cut ? start + maxChars : end), cut })
    }
    return end
  }

  function members(start: number, named: boolean, wanted: Wanted): number {
    let at = solid(text, start + 1)
    for (let index = 0; at < text.length && text[at] !== '}' && text[at] !== ']'; index += 1) {
      let name = String(index)
      if (named) {
        const end = stringEnd(text, at)
        name = nameIn(text.slice(at, end + 1))
        at = solid(text, end + 1) + 1
      }
      const own = wanted.children.get(name)
      at = solid(text, own ? value(at, own) : skip(text, solid(text, at)))
      if (text[at] === ',') at = solid(text, at + 1)
    }
    return at + 1
  }

  value(0, root)
  return found
}

function want(root: Wanted, pointer: string): void {
  let at = root
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replace(/~1/g, '/').replace(/~0/g, '~')
    const next = at.children.get(name) ?? { children: new Map(), pointer: null }
    at.children.set(name, next)
    at = next
  }
  at.pointer = pointer
}

/** Index after the value that begins at `start`. */
function skip(text: string, start: number): number {
  const open = text[start]
  if (open === '"') return stringEnd(text, start) + 1
  if (open !== '{' && open !== '[') {
    let end = start
    while (end < text.length && !/[\s,\]}]/.test(text[end] ?? '')) end += 1
    return end
  }
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const char = text[at]
    if (char === '"') at = stringEnd(text, at)
    else if (char === '{' || char === '[') depth += 1
    else if (char === '}' || char === ']') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return text.length
}

function solid(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text[at] ?? '')) at += 1
  return at
}

/** A name with its escapes resolved. */
function nameIn(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  const name: unknown = JSON.parse(quoted)
  return String(name)
}
