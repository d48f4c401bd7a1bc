import { toPointerStep } from '../../../shared/json/pointer.ts'
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  decodeJsonString,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  TokenCursor,
} from '../../../shared/json/token-cursor.ts'

/** Where the cursor is in JSON text: names and indexes that lead there, and whether a name or a value is written. */
export interface JsonCursor {
  readonly path: readonly string[]
  readonly expects: 'name' | 'value'
  /** Names that stand before it in the same object. */
  readonly usedNames: readonly string[]
  /** Where what is being written begins. */
  readonly startOffset: number
}

/** A container that is open at the cursor. */
interface Frame {
  readonly isObject: boolean
  readonly taken: string[]
  /** The member that the cursor is at, once its name was read. */
  name: string | null
  index: number
  /** A name comes next, and no value. */
  isNaming: boolean
}

/** The containers that are open at the cursor, and the string that it is in. The text need not be complete. */
function framesAt(text: string, cursor: number): { frames: Frame[]; string: number | null } {
  const frames: Frame[] = []
  // A string that is still being written is closed behind everything.
  const tokens = new TokenCursor(`${text}"`)
  while (tokens.next() && tokens.start < cursor) {
    const { kind, start, end } = tokens
    const top = frames.at(-1)
    if (tokens.isName && top) {
      top.name = decodeJsonString(tokens.text.slice(start + 1, end - 1))
      if (end <= cursor) top.taken.push(top.name)
    }
    if (kind === QUOTE && end > cursor) return { frames, string: start }
    if (kind === OPEN_OBJECT || kind === OPEN_LIST) {
      const isObject = kind === OPEN_OBJECT
      frames.push({ isObject, taken: [], name: null, index: 0, isNaming: isObject })
    } else if (kind === CLOSE_OBJECT || kind === CLOSE_LIST) frames.pop()
    else if (kind === COMMA && top) {
      top.index += 1
      top.name = null
      top.isNaming = top.isObject
    } else if (kind === COLON && top) top.isNaming = false
  }
  return { frames, string: null }
}

/** Where the cursor is in JSON text, which need not be complete. */
export function locateJsonCursor(text: string, cursor: number): JsonCursor {
  const { frames, string } = framesAt(text, cursor)
  const word = /[\w.+-]*$/.exec(text.slice(Math.max(0, cursor - 60), cursor))?.[0].length ?? 0
  const from = string ?? cursor - word
  const top = frames.at(-1)
  const trail = frames.map(({ isObject, name, index }) => (isObject ? (name ?? '') : String(index)))
  return top?.isNaming
    ? { path: trail.slice(0, -1), expects: 'name', usedNames: top.taken, startOffset: from }
    : { path: trail, expects: 'value', usedNames: [], startOffset: from }
}

/**
 * JSON pointer (RFC 6901) to the value that stands at `offset` of a JSON text, or to the object or list around it; empty for the whole.
 * Reads the text up to there once, and never throws: of text that is not JSON it says what can be said.
 */
export function findPointerAtOffset(text: string, offset: number): string {
  // At the very start of an object, or behind its last comma, the first name that follows is meant.
  const next = /^\s*"((?:[^"\\]|\\.)*)"/.exec(text.slice(offset, offset + 2000))?.[1]
  return framesAt(text, offset)
    .frames.map(({ isObject, name, index }) => {
      if (!isObject) return toPointerStep(index)
      const member = name ?? (next === undefined ? null : decodeJsonString(next))
      return member === null ? '' : toPointerStep(member)
    })
    .join('')
}
