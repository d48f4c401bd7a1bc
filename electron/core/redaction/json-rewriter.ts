import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  PLAIN_STRING_BYTES,
  QUOTE,
} from '../../../shared/json/json-byte-scanner.ts'
import { isInterfaceName } from './interface-names.ts'
import { ByteList, isDigitsAt, isEqualAt, isUuidAt } from './byte-list.ts'
import { getElementRule, getMemberRule, UNKNOWN_VALUE, type ValueRule } from './value-rules.ts'

/** Deeper values are blanked: no host's data is nested like that. */
const MAX_DEPTH = 10_000
const SPACE = 32
const STAR = 42

/** 1 for each byte that can stand in a number or a word. */
const isWordByte = new Uint8Array(256).fill(1)
for (const byte of [9, 10, 13, SPACE, QUOTE, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT])
  isWordByte[byte] = 0

const LITERAL = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity)$/
const NEEDS_ESCAPE = /[\0-\x1f"\\\ud800-\udfff]/
const WHOLE_NUMBER = /^-?[1-9]\d{0,19}$/
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf'
const MAX_LITERAL_BYTES = 400

/** A member's name is data if nobody gives members such names. */
interface Member {
  readonly rule: ValueRule
  readonly isData: boolean
  /** The name as it stands between the quotes. */
  readonly raw: Uint8Array
}

/** Members by a number that follows from their names. Those of a listing repeat. */
type MemberCache = (Member | undefined)[]
const CACHED_MEMBERS = 64
/** A body that has more different objects is none. */
const MAX_CACHES = 200

/** Decides about names that are data, numbers that are ids, and ids that stay. */
export interface JsonStrings {
  /** Nothing but strings changes. */
  readonly keepsAll: boolean
  readonly mapsIds: boolean
  redactName(name: string): string
  redactId(id: string): string
  /** @returns true if a UUID stays wherever it is; then it was counted */
  passUuid(): boolean
}

/** Handles a string in place of the redactor, for strings that hold JSON or an address. */
export type StringHandler = (text: string, rule: ValueRule) => string

/**
 * Redacts JSON that arrives in pieces. Only strings, names that are data and, if ids are mapped,
 * numbers that are ids change; all other bytes stay as they are, even if the text is no JSON. Words
 * that JSON does not have become stars.
 */
export class JsonRewriter {
  readonly #root: ValueRule
  readonly #strings: JsonStrings
  readonly #handleString: StringHandler
  readonly #output = new ByteList()

  /** Caches of objects in lists, and of other objects, by the rules of these. */
  readonly #listedCaches = new Map<ValueRule, MemberCache>()
  readonly #caches = new Map<ValueRule, MemberCache>()
  #rules: ValueRule[] = []
  #objects: boolean[] = []
  #cache: MemberCache | null = null
  #rule: ValueRule
  #isNameNext = false
  #isBlanking = false

  /** Bytes of the piece before this index are in the output. */
  #writtenEnd = 0
  /** Pieces of a string or word that has not ended yet. */
  #pending: Uint8Array[] = []
  #isInString = false
  #isEscaped = false

  constructor(root: ValueRule, strings: JsonStrings, handleString: StringHandler) {
    this.#root = root
    this.#rule = root
    this.#strings = strings
    this.#handleString = handleString
  }

  /** Returns the bytes that are decided; they are valid until the next call. */
  push(bytes: Uint8Array): Uint8Array {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#output.clear()
    this.#writtenEnd = 0
    this.#output.reserve(piece.length)
    let offset = this.#pending.length > 0 ? this.#continuePending(piece) : 0
    while (offset < piece.length) offset = this.#readToken(piece, offset)
    if (this.#writtenEnd === 0) return piece
    this.#write(piece, piece.length)
    return this.#output.view()
  }

  /** Returns the rest. A string that never closes is redacted as well. */
  end(): Uint8Array {
    this.#output.clear()
    if (this.#pending.length > 0) this.#endPending(this.#isInString)
    return this.#output.view()
  }

  /** Writes the bytes up to an index as they are. */
  #write(piece: Buffer, end: number): void {
    if (end > this.#writtenEnd) this.#output.addBytes(piece.subarray(this.#writtenEnd, end))
    this.#writtenEnd = end
  }

  #continuePending(piece: Buffer): number {
    const end = this.#isInString ? this.#findStringEnd(piece, 0) : findWordEnd(piece, 0)
    const isEnded = this.#isInString ? end > 0 : end < piece.length
    const tokenEnd = isEnded ? end : piece.length
    this.#pending.push(Buffer.from(piece.subarray(0, tokenEnd)))
    if (isEnded) this.#endPending(false)
    this.#writtenEnd = tokenEnd
    return tokenEnd
  }

  #endPending(isCut: boolean): void {
    const token = Buffer.concat(this.#pending)
    this.#pending = []
    this.#writtenEnd = 0
    if (this.#isInString) this.#readString(token, 0, token.length, isCut)
    else this.#readWord(token, 0, token.length)
    this.#write(token, token.length)
  }

  /** Returns the index after the token at `start`. */
  #readToken(piece: Buffer, start: number): number {
    const byte = piece[start] ?? 0
    if (byte === QUOTE) {
      this.#isEscaped = false
      const end = this.#findStringEnd(piece, start + 1)
      if (end === 0) return this.#keepPending(piece, start, true)
      this.#readString(piece, start, end, false)
      return end
    }
    if (isWordByte[byte] === 1) {
      const end = findWordEnd(piece, start)
      if (end === piece.length) return this.#keepPending(piece, start, false)
      this.#readWord(piece, start, end)
      return end
    }
    this.#follow(byte)
    return start + 1
  }

  #keepPending(piece: Buffer, start: number, isInString: boolean): number {
    this.#isInString = isInString
    this.#write(piece, start)
    this.#pending.push(Buffer.from(piece.subarray(start)))
    this.#writtenEnd = piece.length
    return piece.length
  }

  /** Returns the index after the closing quote; 0 if the piece ends before. */
  #findStringEnd(piece: Buffer, start: number): number {
    let offset = start
    if (this.#isEscaped && offset < piece.length) {
      this.#isEscaped = false
      offset += 1
    }
    while (offset < piece.length) {
      const byte = piece[offset] ?? 0
      if (byte === QUOTE) return offset + 1
      if (byte === BACKSLASH) {
        if (offset + 1 >= piece.length) {
          this.#isEscaped = true
          return 0
        }
        offset += 2
      } else {
        offset += 1
        while (PLAIN_STRING_BYTES[piece[offset] ?? QUOTE] === 1) offset += 1
      }
    }
    return 0
  }

  /** Tracks where in the value the next token stands. */
  #follow(byte: number): void {
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#open(byte === OPEN_OBJECT)
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#close()
    else if (byte === COMMA) {
      this.#isNameNext = this.#objects.at(-1) === true
      const container = this.#rules.at(-1)
      if (container && !this.#isNameNext) this.#rule = getElementRule(container)
      if (!container) this.#rule = this.#root
    } else if (byte === COLON) this.#isNameNext = false
  }

  #open(isObject: boolean): void {
    if (this.#rules.length >= MAX_DEPTH) {
      this.#isBlanking = true
      return
    }
    this.#rules.push(this.#rule)
    this.#objects.push(isObject)
    this.#isNameNext = isObject
    if (!isObject) this.#rule = getElementRule(this.#rule)
    this.#cache = null
  }

  #close(): void {
    this.#isNameNext = false
    this.#rules.pop()
    this.#objects.pop()
    this.#cache = null
    // Several values may follow one another, as in lines of JSON.
    if (this.#rules.length === 0) this.#rule = this.#root
  }

  /** @param isCut there is no closing quote */
  #readString(piece: Buffer, start: number, end: number, isCut: boolean): void {
    if (this.#isBlanking) return this.#blank(piece, start, end)
    const from = start + 1
    const to = isCut ? end : end - 1
    if (this.#isNameNext) return this.#readName(piece, from, to)
    const { kind } = this.#rule
    if (kind !== 'secret' && kind !== 'grant' && isUuidAt(piece, from, to) && this.#strings.passUuid()) return
    const text = decodeString(piece, from, to)
    this.#replace(piece, from, to, text, this.#handleString(text, this.#rule))
  }

  #replace(piece: Buffer, start: number, end: number, before: string, after: string): void {
    if (after === before) return
    this.#write(piece, start)
    this.#output.addText(NEEDS_ESCAPE.test(after) ? JSON.stringify(after).slice(1, -1) : after)
    this.#writtenEnd = end
  }

  #blank(piece: Buffer, start: number, end: number): void {
    this.#write(piece, start)
    this.#output.addFilled(SPACE, end - start)
    this.#writtenEnd = end
  }

  #readName(piece: Buffer, start: number, end: number): void {
    this.#cache ??= this.#findCache()
    const place = (end - start + (piece[start] ?? 0) * 7 + (piece[end - 1] ?? 0) * 3) % CACHED_MEMBERS
    const cached = this.#cache[place]
    if (cached && isEqualAt(piece, start, end, cached.raw)) {
      this.#rule = cached.rule
      return
    }
    const name = decodeString(piece, start, end)
    const isInList = this.#objects.at(-2) === false
    const member = describeMember(
      this.#rules.at(-1) ?? UNKNOWN_VALUE,
      isInList,
      name,
      Buffer.from(piece.subarray(start, end)),
    )
    this.#rule = member.rule
    if (member.isData) this.#replace(piece, start, end, name, this.#strings.redactName(name))
    else this.#cache[place] = member
  }

  #findCache(): MemberCache {
    const caches = this.#objects.at(-2) === false ? this.#listedCaches : this.#caches
    const container = this.#rules.at(-1) ?? UNKNOWN_VALUE
    const cache = caches.get(container) ?? []
    if (caches.size < MAX_CACHES) caches.set(container, cache)
    return cache
  }

  #readWord(piece: Buffer, start: number, end: number): void {
    if (this.#isBlanking) return this.#blank(piece, start, end)
    const { kind } = this.#rule
    const mayBeId = this.#strings.mapsIds && !this.#isNameNext && (kind === 'id' || kind === 'looseId')
    if (!mayBeId && (this.#strings.keepsAll || isDigitsAt(piece, start, end))) return
    const isLong = end - start > MAX_LITERAL_BYTES
    const word = piece.toString('latin1', start, isLong ? start + MAX_LITERAL_BYTES : end) + (isLong ? '…' : '')
    const literal = word.startsWith(BYTE_ORDER_MARK) ? word.slice(BYTE_ORDER_MARK.length) : word
    if (mayBeId && WHOLE_NUMBER.test(literal)) {
      this.#replace(piece, start, end, literal, this.#strings.redactId(literal))
    } else if (literal !== '' && !LITERAL.test(literal) && !this.#strings.keepsAll) {
      this.#write(piece, start)
      this.#output.addFilled(STAR, end - start)
      this.#writtenEnd = end
    }
  }
}

function describeMember(container: ValueRule, isInList: boolean, name: string, raw: Uint8Array): Member {
  const rule = getMemberRule(container, name)
  if (container.members?.has(name)) return { rule, isData: false, raw }
  const { unnamedElement: element } = container
  // The entries of a list have the names of an interface, whatever the list is called.
  const isData = !isInterfaceName(name, isInList ? '' : container.name)
  return { rule: element ? { ...rule, element } : rule, isData, raw }
}

function findWordEnd(piece: Buffer, start: number): number {
  let end = start
  while (end < piece.length && isWordByte[piece[end] ?? 0] === 1) end += 1
  return end
}

/** Decodes the text between the quotes. A text with bad escapes is returned as it stands. */
function decodeString(piece: Buffer, start: number, end: number): string {
  const text = piece.toString('utf8', start, end)
  if (!text.includes('\\')) return text
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return text
  }
}
