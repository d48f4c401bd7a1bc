import { parsePointer } from './pointer.ts'
import { isOpening, Members, solid, valueEnd } from './tokens.ts'

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

  /** Goes through the value that begins at `start`. Returns the index after it. */
  function visit(start: number, wanted: Wanted): number {
    const end = wanted.children.size > 0 && isOpening(text, start) ? visitMembers(start, wanted) : valueEnd(text, start)
    if (wanted.pointer !== null) {
      const cut = end - start > maxChars
      found.set(wanted.pointer, { text: text.slice(start, cut ? start + maxChars : end), cut })
    }
    return end
  }

  function visitMembers(open: number, { children }: Wanted): number {
    const member = new Members(text, open)
    while (member.next()) {
      const wanted = children.get(member.name)
      if (wanted) member.end = visit(member.start, wanted)
    }
    return member.close
  }

  visit(solid(text, 0), root)
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
