import { solid, valueEnd } from './members.ts'
import { decodeString } from './names.ts'
import { stringEnd } from './text.ts'
import { parsePointer } from './pointer.ts'

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
    const end = container && wanted.children.size > 0 ? members(start, open === '{', wanted) : valueEnd(text, start)
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
        name = decodeString(text.slice(at + 1, end))
        at = solid(text, end + 1) + 1
      }
      const own = wanted.children.get(name)
      at = solid(text, own ? value(at, own) : valueEnd(text, solid(text, at)))
      if (text[at] === ',') at = solid(text, at + 1)
    }
    return at + 1
  }

  value(0, root)
  return found
}

function want(root: Wanted, pointer: string): void {
  let at = root
  for (const name of parsePointer(pointer)) {
    const next = at.children.get(name) ?? { children: new Map(), pointer: null }
    at.children.set(name, next)
    at = next
  }
  at.pointer = pointer
}
