import { decodeString } from './names.ts'
import { isSpace, stringEnd } from './text.ts'

/** Where a value stands in a text: `end` is the index after it. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A member of an object, or an element of a list with its index as its name. `from` is where its name, or an element itself, begins. */
export interface Member extends Span {
  readonly name: string
  readonly from: number
}

/** Index of the first character at or after `from` that is no white space. */
export function solid(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1
  return at
}

/** Where the value that begins at `start` ends. The text must be valid JSON. */
export function valueEnd(text: string, start: number): number {
  const open = text[start]
  if (open === '"') return stringEnd(text, start) + 1
  let at = start
  if (open !== '{' && open !== '[') {
    while (at < text.length && !/[\s,\]}]/.test(text[at] ?? '')) at += 1
    return at
  }
  let depth = 0
  for (; at < text.length; at += 1) {
    const char = text[at]
    if (char === '"') at = stringEnd(text, at)
    else if (char === '{' || char === '[') depth += 1
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1
  }
  return text.length
}

/** The members of the object or list that begins at `start`, in order, repeated names included. The text must be valid JSON. */
export function membersAt(text: string, start: number): Member[] {
  const named = text[start] === '{'
  const members: Member[] = []
  let at = solid(text, start + 1)
  while (at < text.length && text[at] !== '}' && text[at] !== ']') {
    const from = at
    let name = String(members.length)
    if (named) {
      const end = stringEnd(text, at)
      name = decodeString(text.slice(at + 1, end))
      at = solid(text, solid(text, end + 1) + 1)
    }
    const end = valueEnd(text, at)
    members.push({ name, from, start: at, end })
    at = solid(text, end)
    if (text[at] === ',') at = solid(text, at + 1)
  }
  return members
}
