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
import { isInterfaceName } from '../../../shared/recordings/redaction/interface-names.ts'
import {
  getElementRule,
  getMemberRule,
  UNKNOWN_VALUE,
  type ValueRule,
} from '../../../shared/recordings/redaction/value-rules.ts'

/** What follows a deeper value is blanked: no host's data is nested like that. */
const MAX_DEPTH = 10_000
const SPACE = 32
const STAR = 42

/** 1 for each byte that can stand in a number or a word. */
const isWordByte = new Uint8Array(256).fill(1)
for (const byte of [9, 10, 13, SPACE, QUOTE, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT])
  isWordByte[byte] = 0

const LITERAL = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity)$/
const WHOLE_NUMBER = /^-?[1-9]\d{0,19}$/
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf'

/** What is known of a member by its name, which is data if nobody gives members such names. */
interface Member {
  readonly rule: ValueRule
  readonly isData: boolean
}

/** The names of a listing repeat; a body that has more different names or objects is none. */
const MAX_REMEMBERED = 200

/** Decides about names that are data, and numbers that are ids. */
export interface JsonStrings {
  /** Nothing but strings changes. */
  readonly keepsAll: boolean
  readonly mapsIds: boolean
  redactName(name: string): string
  redactId(id: string): string
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

  /** Members of objects in lists, and of other objects, by the rules of these. */
  readonly #listedMembers = new Map<ValueRule, Map<string, Member>>()
  readonly #members = new Map<ValueRule, Map<string, Member>>()
  #rules: ValueRule[] = []
  #objects: boolean[] = []
  #rule: ValueRule
  #isNameNext = false
  #isBlanking = false

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
  push(piece: Uint8Array): Uint8Array {
    this.#output.clear()
    let offset = this.#pending.length > 0 ? this.#continuePending(piece) : 0
    while (offset < piece.length) offset = this.#readToken(piece, offset)
    return this.#output.view()
  }

  /** Returns the rest. A string that never closes is redacted as well. */
  end(): Uint8Array {
    this.#output.clear()
    if (this.#pending.length > 0) {
      if (this.#isInString) this.#writeString(this.#takePending().subarray(1), false)
      else this.#writeWord(this.#takePending())
    }
    return this.#output.view()
  }

  #continuePending(piece: Uint8Array): number {
    const end = this.#isInString ? this.#findStringEnd(piece, 0) : findWordEnd(piece, 0)
    const isEnded = this.#isInString ? end > 0 : end < piece.length
    this.#pending.push(piece.slice(0, isEnded ? end : piece.length))
    if (!isEnded) return piece.length
    const token = this.#takePending()
    if (this.#isInString) this.#writeString(token.subarray(1, -1), true)
    else this.#writeWord(token)
    return end
  }

  /** Returns the index after the token at `start`. */
  #readToken(piece: Uint8Array, start: number): number {
    const byte = piece[start] ?? 0
    if (byte === QUOTE) {
      this.#isEscaped = false
      const end = this.#findStringEnd(piece, start + 1)
      if (end > 0) this.#writeString(piece.subarray(start + 1, end - 1), true)
      else this.#keepPending(piece.subarray(start), true)
      return end > 0 ? end : piece.length
    }
    if (isWordByte[byte] === 1) {
      const end = findWordEnd(piece, start)
      if (end < piece.length) this.#writeWord(piece.subarray(start, end))
      else this.#keepPending(piece.subarray(start), false)
      return end
    }
    this.#output.addByte(byte)
    this.#follow(byte)
    return start + 1
  }

  #keepPending(bytes: Uint8Array, isInString: boolean): void {
    this.#isInString = isInString
    this.#pending.push(bytes.slice())
  }

  #takePending(): Uint8Array {
    const parts = this.#pending
    this.#pending = []
    const [only] = parts
    if (parts.length === 1 && only) return only
    const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
    let offset = 0
    for (const part of parts) {
      joined.set(part, offset)
      offset += part.length
    }
    return joined
  }

  /** Returns the index after the closing quote; 0 if the piece ends before. */
  #findStringEnd(piece: Uint8Array, start: number): number {
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
  }

  #close(): void {
    this.#isNameNext = false
    this.#rules.pop()
    this.#objects.pop()
    // Several values may follow one another, as in lines of JSON.
    if (this.#rules.length === 0) this.#rule = this.#root
  }

  #writeString(raw: Uint8Array, isClosed: boolean): void {
    if (this.#isBlanking) return this.#output.addFilled(SPACE, raw.length + 2)
    const text = decodeString(raw)
    const redacted = this.#isNameNext ? this.#redactName(text) : this.#handleString(text, this.#rule)
    this.#output.addByte(QUOTE)
    if (redacted === text) this.#output.addBytes(raw)
    else this.#output.addText(JSON.stringify(redacted).slice(1, -1))
    if (isClosed) this.#output.addByte(QUOTE)
  }

  #redactName(name: string): string {
    const container = this.#rules.at(-1) ?? UNKNOWN_VALUE
    const { rule, isData } = this.#findMember(container, this.#objects.at(-2) === false, name)
    this.#rule = rule
    return isData ? this.#strings.redactName(name) : name
  }

  #findMember(container: ValueRule, isInList: boolean, name: string): Member {
    const membersByRule = isInList ? this.#listedMembers : this.#members
    let members = membersByRule.get(container)
    const earlier = members?.get(name)
    if (earlier) return earlier
    const member = describeMember(container, isInList, name)
    if (!members && membersByRule.size < MAX_REMEMBERED) membersByRule.set(container, (members = new Map()))
    if (members && members.size < MAX_REMEMBERED) members.set(name, member)
    return member
  }

  #writeWord(raw: Uint8Array): void {
    if (this.#isBlanking) return this.#output.addFilled(SPACE, raw.length)
    const word = toLatin1(raw)
    const literal = word.startsWith(BYTE_ORDER_MARK) ? word.slice(BYTE_ORDER_MARK.length) : word
    if (literal !== '' && !LITERAL.test(literal) && !this.#strings.keepsAll) this.#output.addFilled(STAR, raw.length)
    else if (this.#isMappedNumber(literal)) this.#output.addText(this.#strings.redactId(literal))
    else this.#output.addBytes(raw)
  }

  #isMappedNumber(literal: string): boolean {
    const { kind } = this.#rule
    return (
      this.#strings.mapsIds && !this.#isNameNext && (kind === 'id' || kind === 'looseId') && WHOLE_NUMBER.test(literal)
    )
  }
}

function describeMember(container: ValueRule, isInList: boolean, name: string): Member {
  const rule = getMemberRule(container, name)
  if (container.members?.has(name)) return { rule, isData: false }
  const { unnamedElement: element } = container
  // The entries of a list have the names of an interface, whatever the list is called.
  const isData = !isInterfaceName(name, isInList ? '' : container.name)
  return { rule: element ? { ...rule, element } : rule, isData }
}

function findWordEnd(piece: Uint8Array, start: number): number {
  let end = start
  while (end < piece.length && isWordByte[piece[end] ?? 0] === 1) end += 1
  return end
}

const MAX_SPELLED_CHARS = 64
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

function toLatin1(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes.subarray(0, 400)) text += String.fromCharCode(byte)
  return bytes.length > 400 ? `${text}…` : text
}

/** Decodes the text between the quotes. A text with bad escapes is returned as it stands. */
function decodeString(raw: Uint8Array): string {
  let isPlain = raw.length <= MAX_SPELLED_CHARS
  let text = ''
  for (let index = 0; isPlain && index < raw.length; index += 1) {
    const byte = raw[index] ?? 0
    isPlain = byte < 128 && byte !== BACKSLASH
    text += String.fromCharCode(byte)
  }
  if (isPlain) return text
  text = utf8.decode(raw)
  if (!text.includes('\\')) return text
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return text
  }
}

/** Bytes that grow. */
class ByteList {
  #bytes = new Uint8Array(1_024)
  #length = 0
  readonly #encoder = new TextEncoder()

  clear(): void {
    this.#length = 0
  }

  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  addByte(byte: number): void {
    this.#reserve(1)
    this.#bytes[this.#length] = byte
    this.#length += 1
  }

  addBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  addFilled(byte: number, count: number): void {
    this.#reserve(count)
    this.#bytes.fill(byte, this.#length, this.#length + count)
    this.#length += count
  }

  addText(text: string): void {
    this.#reserve(text.length * 3)
    // Most stand-ins are plain letters, and calling the encoder takes longer than copying them.
    let index = 0
    for (; index < text.length && text.charCodeAt(index) < 128; index += 1)
      this.#bytes[this.#length + index] = text.charCodeAt(index)
    if (index === text.length) this.#length += index
    else this.#length += this.#encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}
