/**
 * Scans JSON text without creating values, so that numbers, escapes and repeated names are seen as
 * sent. All functions cope with text that is incomplete or not JSON. They also work on bytes
 * decoded as `latin1`, because JSON's structure is ASCII, and no byte of a longer character looks
 * like ASCII.
 */

export const QUOTE = 34
export const COMMA = 44
export const COLON = 58
export const OPEN_LIST = 91
const BACKSLASH = 92
export const CLOSE_LIST = 93
export const OPEN_OBJECT = 123
export const CLOSE_OBJECT = 125

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9

/** Holds 1 at the code of each character that ends a number or word. */
const endsWord = new Uint8Array(128)
for (const code of [9, 10, 13, 32, QUOTE, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT])
  endsWord[code] = 1

function findWordEnd(text: string, start: number): number {
  let end = start
  while (end < text.length && endsWord[text.charCodeAt(end)] !== 1) end += 1
  return end
}

/** Index of its closing quote; the text's last index if it never closes. */
export function findStringEnd(text: string, start: number): number {
  let end = start
  for (;;) {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length - 1
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1
    if (slashes % 2 === 0) return end
  }
}

/** Decodes the text between the quotes of a JSON string. */
export function decodeJsonString(raw: string): string {
  if (!raw.includes('\\')) return raw
  try {
    return JSON.parse(`"${raw}"`) as string
  } catch {
    return raw
  }
}

/** Returns the text's length if only white space follows. */
export function skipWhiteSpace(text: string, from: number): number {
  let index = from
  while (isSpace(text.charCodeAt(index))) index += 1
  return index
}

/** An object or a list. */
export function isContainerStart(text: string, index: number): boolean {
  return text[index] === '{' || text[index] === '['
}

export function findValueEnd(text: string, start: number): number {
  const open = text.charCodeAt(start)
  if (open === QUOTE) return findStringEnd(text, start) + 1
  if (open !== OPEN_OBJECT && open !== OPEN_LIST) return findWordEnd(text, start)
  let end = start
  let depth = 0
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (code === QUOTE) end = findStringEnd(text, end)
    else if (code === OPEN_OBJECT || code === OPEN_LIST) depth += 1
    else if ((code === CLOSE_OBJECT || code === CLOSE_LIST) && --depth === 0) return end + 1
  }
  return text.length
}

/** Iterates over all tokens; after each `next()` the fields describe the current token. */
export class TokenCursor {
  readonly text: string
  /** Code of a bracket, comma, colon or quote, or of a number's or word's first character. */
  kind = 0
  start = 0
  end = 0
  /** Number of open containers after the token. */
  depth = 0
  isName = false
  #isNameNext = false
  readonly #objects: boolean[] = []

  constructor(text: string, start = 0) {
    this.text = text
    this.end = start
  }

  /** False at the end of the text. */
  next(): boolean {
    const { text } = this
    let offset = this.end
    let code = text.charCodeAt(offset)
    while (isSpace(code)) code = text.charCodeAt((offset += 1))
    this.start = offset
    this.kind = code
    this.isName = false
    if (code === QUOTE) {
      this.isName = this.#isNameNext
      offset = findStringEnd(text, offset)
    } else if (code === COMMA) {
      this.#isNameNext = this.depth > 0 && this.#objects[this.depth - 1] === true
    } else if (code === COLON) this.#isNameNext = false
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      this.#isNameNext = this.#objects[this.depth] = code === OPEN_OBJECT
      this.depth += 1
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      this.#isNameNext = false
      if (this.depth > 0) this.depth -= 1
    } else {
      if (offset >= text.length) return false
      offset = findWordEnd(text, offset + 1) - 1
    }
    this.end = offset + 1
    return true
  }
}

/** `end` is the index after the value. */
export interface TextSpan {
  readonly start: number
  readonly end: number
}

/** An element of a list has its index as its name. */
export interface JsonMember extends TextSpan {
  readonly name: string
  readonly nameStart: number
}

/** Walks an object or a list; after each `next()` the fields describe the current member. */
export class MemberCursor implements JsonMember {
  readonly #text: string
  readonly #isObject: boolean
  #offset: number
  #end = -1
  index = -1
  nameStart = 0
  start = 0

  constructor(text: string, open: number) {
    this.#text = text
    this.#isObject = text.charCodeAt(open) === OPEN_OBJECT
    this.#offset = skipWhiteSpace(text, open + 1)
  }

  /** Returns false after the last member; `close` is then the index after the container. */
  next(): boolean {
    const text = this.#text
    let offset = this.#offset
    if (this.index >= 0) {
      offset = skipWhiteSpace(text, this.end)
      if (text.charCodeAt(offset) === COMMA) offset = skipWhiteSpace(text, offset + 1)
    }
    this.#offset = offset
    const code = text.charCodeAt(offset)
    if (offset >= text.length || code === CLOSE_OBJECT || code === CLOSE_LIST) return false
    this.index += 1
    this.nameStart = offset
    if (this.#isObject) {
      offset = skipWhiteSpace(text, findValueEnd(text, offset))
      if (text.charCodeAt(offset) === COLON) offset = skipWhiteSpace(text, offset + 1)
    }
    this.start = offset
    this.#end = -1
    // A name at the end of incomplete text does not count as a member.
    if (offset >= text.length) this.#offset = offset
    return offset < text.length
  }

  get name(): string {
    if (!this.#isObject) return String(this.index)
    return decodeJsonString(this.#text.slice(this.nameStart + 1, findStringEnd(this.#text, this.nameStart)))
  }

  get end(): number {
    if (this.#end < 0) this.end = findValueEnd(this.#text, this.start)
    return this.#end
  }

  /** Callers that scan the value themselves set its end, so that it is not searched for twice. */
  set end(end: number) {
    // The cursor must advance even over invalid text.
    this.#end = Math.max(end, this.nameStart + 1)
  }

  get close(): number {
    return Math.min(this.#offset + 1, this.#text.length)
  }

  /** False if the text ends inside the container. Read it after the last `next()`, like `close`. */
  get isClosed(): boolean {
    return this.#offset < this.#text.length
  }
}

/** Lists the members of the container that opens at `open`, in order, repeated names included. */
export function listMembers(text: string, open: number): JsonMember[] {
  const all: JsonMember[] = []
  for (const cursor = new MemberCursor(text, open); cursor.next();) {
    const { name, nameStart, start, end } = cursor
    all.push({ name, nameStart, start, end })
  }
  return all
}
