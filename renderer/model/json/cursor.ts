import { parsePointer, toPointerStep } from '../../../shared/json/pointer.ts'
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

/** Position of the cursor in JSON text, and whether a name or a value comes next. */
export interface JsonCursor {
  readonly path: readonly string[]
  readonly expects: 'name' | 'value'
  /** Names before the cursor in the same object. */
  readonly usedNames: readonly string[]
  /** Start of the token that is being typed. */
  readonly startOffset: number
}

/** A container that is not closed before the cursor. */
interface Frame {
  readonly isObject: boolean
  readonly usedNames: string[]
  /** Name of the current member; null before the name was read. */
  name: string | null
  index: number
  /** True if a name comes next, false if a value does. */
  isNaming: boolean
}

/** Containers open at the cursor, and the start of the string around it. May be incomplete. */
function findFrames(text: string, cursor: number): { frames: Frame[]; string: number | null } {
  const frames: Frame[] = []
  // The added quote closes a string that is still being typed.
  const tokens = new TokenCursor(`${text}"`)
  while (tokens.next() && tokens.start < cursor) {
    const { kind, start, end } = tokens
    const top = frames.at(-1)
    if (tokens.isName && top) {
      top.name = decodeJsonString(tokens.text.slice(start + 1, end - 1))
      if (end <= cursor) top.usedNames.push(top.name)
    }
    if (kind === QUOTE && end > cursor) return { frames, string: start }
    if (kind === OPEN_OBJECT || kind === OPEN_LIST) {
      const isObject = kind === OPEN_OBJECT
      frames.push({ isObject, usedNames: [], name: null, index: 0, isNaming: isObject })
    } else if (kind === CLOSE_OBJECT || kind === CLOSE_LIST) frames.pop()
    else if (kind === COMMA && top) {
      top.index += 1
      top.name = null
      top.isNaming = top.isObject
    } else if (kind === COLON && top) top.isNaming = false
  }
  return { frames, string: null }
}

/** Describes the position of the cursor in JSON text, which may be incomplete. */
export function locateJsonCursor(text: string, cursor: number): JsonCursor {
  const { frames, string } = findFrames(text, cursor)
  const wordLength = /[\w.+-]{0,60}$/.exec(text.slice(Math.max(0, cursor - 60), cursor))?.[0].length ?? 0
  const startOffset = string ?? cursor - wordLength
  const top = frames.at(-1)
  const path = frames.map(({ isObject, name, index }) => (isObject ? (name ?? '') : String(index)))
  return top?.isNaming
    ? { path: path.slice(0, -1), expects: 'name', usedNames: top.usedNames, startOffset }
    : { path, expects: 'value', usedNames: [], startOffset }
}

/**
 * Finds the JSON pointer (RFC 6901) to the value at `offset`, or to the object or list around
 * `offset`; empty for the whole text. Never throws: for invalid text, the pointer leads to the last
 * value that could be read.
 */
export function findPointerAtOffset(text: string, offset: number): string {
  // At the start of an object or after a comma, the pointer leads to the member that follows.
  const nextName = /^\s*"((?:[^"\\]|\\.)*)"/.exec(text.slice(offset, offset + 2000))?.[1]
  return findFrames(text, offset)
    .frames.map(({ isObject, name, index }) => {
      if (!isObject) return toPointerStep(index)
      const member = name ?? (nextName === undefined ? null : decodeJsonString(nextName))
      return member === null ? '' : toPointerStep(member)
    })
    .join('')
}

/**
 * Finds where a value begins in JSON text, or the name of its member. The step `*` stands for any
 * entry of a list, `{key}` for any member of an object. If there is no such value, the innermost
 * value on the way to it is found.
 */
export function findOffsetOfPointer(text: string, pointer: string): number {
  const steps = parsePointer(pointer)
  /** The containers around the token. The way to each of them fits the first steps if `fits`. */
  const frames: {
    readonly isObject: boolean
    readonly fits: boolean
    name: string
    nameOffset: number
    index: number
  }[] = []
  const tokens = new TokenCursor(text)
  let foundOffset = 0
  let foundDepth = -1
  while (tokens.next()) {
    const { kind, start, end } = tokens
    const top = frames.at(-1)
    if (tokens.isName && top) {
      top.name = decodeJsonString(text.slice(start + 1, end - 1))
      top.nameOffset = start
    } else if (kind === COMMA) {
      if (top) top.index += 1
    } else if (kind === CLOSE_OBJECT || kind === CLOSE_LIST) frames.pop()
    else if (kind !== COLON) {
      const depth = frames.length
      const step = steps[depth - 1]
      const fits =
        !top ||
        (top.fits &&
          (top.isObject ? step === top.name || step === '{key}' : step === String(top.index) || step === '*'))
      if (fits && depth > foundDepth) {
        foundDepth = depth
        foundOffset = top?.isObject ? top.nameOffset : start
        if (depth === steps.length) return foundOffset
      }
      if (kind === OPEN_OBJECT || kind === OPEN_LIST)
        frames.push({ isObject: kind === OPEN_OBJECT, fits, name: '', nameOffset: start, index: 0 })
    }
  }
  return foundOffset
}
