import { parsePointer } from './pointer.ts'
import { isContainerStart, MemberCursor, skipWhiteSpace, findValueEnd } from './token-cursor.ts'

/** A part of a response exactly as sent. */
export interface RawText {
  readonly text: string
  readonly isTruncated: boolean
}

interface PointerTree {
  readonly children: Map<string, PointerTree>
  pointer: string | null
}

/**
 * Extracts the exact texts of the values at these JSON pointers, each at most `maxChars` long, in
 * one pass. Numbers, escapes and repeated names are unchanged. If a name is repeated in its object,
 * the last member counts, as in `JSON.parse`. `text` must be valid JSON whose depth was checked.
 */
export function extractRawTexts(text: string, pointers: Iterable<string>, maxChars: number): Map<string, RawText> {
  const root: PointerTree = { children: new Map(), pointer: null }
  for (const pointer of pointers) addPointer(root, pointer)
  const rawTexts = new Map<string, RawText>()

  /** Returns the index after the value at `start`. */
  function visit(start: number, node: PointerTree): number {
    const end =
      node.children.size > 0 && isContainerStart(text, start) ? visitMembers(start, node) : findValueEnd(text, start)
    if (node.pointer !== null) {
      const isTruncated = end - start > maxChars
      rawTexts.set(node.pointer, { text: text.slice(start, isTruncated ? start + maxChars : end), isTruncated })
    }
    return end
  }

  function visitMembers(open: number, { children }: PointerTree): number {
    const member = new MemberCursor(text, open)
    while (member.next()) {
      const child = children.get(member.name)
      if (child) member.end = visit(member.start, child)
    }
    return member.close
  }

  visit(skipWhiteSpace(text, 0), root)
  return rawTexts
}

function addPointer(root: PointerTree, pointer: string): void {
  let node = root
  for (const name of parsePointer(pointer)) {
    const next = node.children.get(name) ?? { children: new Map(), pointer: null }
    node.children.set(name, next)
    node = next
  }
  node.pointer = pointer
}
