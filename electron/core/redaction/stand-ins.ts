import { hash, randomBytes } from 'node:crypto'
import { isInterfaceName } from './interface-names.ts'

const DIGITS = '0123456789'
const HEX_DIGITS = '0123456789abcdef'
const SMALL = 'abcdefghijklmnopqrstuvwxyz'
const CAPITALS = SMALL.toUpperCase()
const LETTERS = SMALL + CAPITALS + DIGITS
/** Used once no stand-in of letters is free for a short text: Hangul, ideographs, Yi and others. */
const MORE_CHARACTERS = [
  [0xac00, 11_172],
  [0x4e00, 20_992],
  [0x3400, 6_592],
  [0xa000, 1_165],
  [0xe000, 6_400],
  [0x0100, 12_000],
]
  .map(([first = 0, length = 0]) => Array.from({ length }, (_, index) => String.fromCharCode(first + index)).join(''))
  .join('')
/** Pictographs, and ideographs of plane 2, as first code point and count. */
const PICTOGRAPHS = [0x1f300, 768] as const
const MORE_PAIRS = [0x20000, 42_720] as const

const BITS_PER_LETTER = 5.9
const BITS_PER_PAIR = 9.5
/** With as many bits, two of some million texts do not get the same stand-in by chance. */
const SAFE_BITS = 64
/** Attempts to find a stand-in that is not in use, for each alphabet. */
const MAX_ATTEMPTS = 40
/** More texts than that are not remembered; then stand-ins use larger alphabets instead. */
const MAX_REMEMBERED = 400_000
/** As many letters have more bits than two different texts need. */
const REPEATED_CHARS = 24
/** A stand-in of as many letters ends in a digit, so that it is no name of an interface. */
const MIN_MARKED_CHARS = 4

/** Length of the stand-in of a text that is dropped where something has to stand. */
export const DROPPED_TEXT_CHARS = 12

/** Block of SHA-256. */
const KEY_BYTES = 64
const DIGEST_BYTES = 32
/** Letters of an alphabet of this size come from a byte each. */
const MAX_BYTE_LETTERS = 62
/** Bytes of seven bits are one byte each in UTF-8, so that the key can stand before a text. */
export function createStandInKey(): Uint8Array {
  return randomBytes(KEY_BYTES).map((byte) => byte & 0x7f)
}

/** The key has 64 bytes of seven bits. For short texts `createHmac` takes twice the time. */
function createKeyedHash(key: Uint8Array): (text: string) => string {
  const toPad = (byte: number): Buffer => Buffer.from(key.map((value) => value ^ byte))
  const inner = toPad(0x36).toString('latin1')
  const outer = Buffer.concat([toPad(0x5c), Buffer.alloc(DIGEST_BYTES)])
  return (text) => {
    // All lone surrogates are one character in UTF-8.
    const unique = text.isWellFormed() ? text : JSON.stringify(text)
    outer.write(hash('sha256', inner + unique, 'binary'), KEY_BYTES, 'latin1')
    return hash('sha256', outer, 'binary')
  }
}

/**
 * Replaces texts and ids. Equal ones get equal stand-ins, different ones different stand-ins, and
 * without the key nothing leads back. A text keeps its number of characters, an id its form.
 */
export class StandIns {
  readonly #hash: (text: string) => string
  readonly #texts = new UniqueStandIns()
  readonly #ids = new UniqueStandIns()
  /** Source of random numbers: the text that is hashed, its hash, and how much of it is used. */
  #source = ''
  #digest = ''
  #offset = 0

  /** @param key a random key that nobody keeps */
  constructor(key: Uint8Array) {
    this.#hash = createKeyedHash(key)
  }

  replaceText(text: string): string {
    if (text === '') return text
    const pairs = countPairs(text)
    const letters = text.length - pairs * 2
    if (letters * BITS_PER_LETTER + pairs * BITS_PER_PAIR >= SAFE_BITS) {
      this.#seedFrom(`text ${text}`)
      return this.#takePairs(pairs, PICTOGRAPHS) + this.#takeWords(letters)
    }
    return this.#texts.get(text, (isFree) => this.#findFreeText(text, letters, pairs, isFree))
  }

  /** Replaces a text that leaves not even its length behind. */
  replaceDroppedText(text: string): string {
    if (text === '') return text
    this.#seedFrom(`drop ${text}`)
    return this.#takeWords(DROPPED_TEXT_CHARS)
  }

  /** Letters, digits and hexadecimal digits become others of their kind; the rest stays. */
  replaceId(id: string): string {
    if (!/[0-9A-Za-z]/.test(id)) return id
    const alphabets = listAlphabets(id)
    const bits = alphabets.reduce((sum, alphabet) => sum + Math.log2(Math.max(1, alphabet.length)), 0)
    if (bits >= SAFE_BITS) return this.#buildId(id, alphabets, 0)
    return this.#ids.get(id, (isFree) => {
      for (let attempt = 0; isFree && attempt < MAX_ATTEMPTS; attempt += 1) {
        const standIn = this.#buildId(id, alphabets, attempt)
        if (isFree(standIn)) return standIn
      }
      return findNextId(this.#buildId(id, alphabets, 0), alphabets, isFree ?? (() => true))
    })
  }

  #findFreeText(text: string, letters: number, pairs: number, isFree: IsFree | null): string {
    this.#seedFrom(`text ${text}`)
    if (isFree === null) return this.#takePairs(pairs, MORE_PAIRS) + this.#takeFrom(MORE_CHARACTERS, letters)
    // A reader could not tell whether a member with such a name was replaced.
    const isUsable = (standIn: string): boolean => standIn !== text && isFree(standIn) && !isInterfaceName(standIn, '')
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const standIn = this.#takePairs(pairs, PICTOGRAPHS) + this.#takeWords(letters)
      if (isUsable(standIn)) return standIn
    }
    for (let attempt = 0; attempt < MAX_ATTEMPTS * 4; attempt += 1) {
      const standIn = this.#takePairs(pairs, MORE_PAIRS) + this.#takeFrom(MORE_CHARACTERS, letters)
      if (isUsable(standIn)) return standIn
    }
    // Only texts of one character use up all that.
    return [...MORE_CHARACTERS].find(isUsable) ?? text
  }

  #buildId(id: string, alphabets: readonly string[], attempt: number): string {
    this.#seedFrom(`id ${attempt} ${id}`)
    let standIn = ''
    for (let index = 0; index < id.length; index += 1) {
      const alphabet = alphabets[index] ?? ''
      standIn += alphabet === '' ? (id[index] ?? '') : alphabet.charAt(this.#take(alphabet.length))
    }
    return standIn
  }

  #seedFrom(text: string): void {
    this.#source = text
    this.#digest = this.#hash(text)
    this.#offset = 0
  }

  /** Returns a number below `size`; the first 32 bytes follow from one hash. */
  #take(size: number): number {
    const bytes = size <= MAX_BYTE_LETTERS ? 1 : 3
    if (this.#offset + bytes > DIGEST_BYTES) this.#seedFrom(`more ${this.#source}`)
    let value = 0
    for (let index = 0; index < bytes; index += 1) value = value * 256 + this.#digest.charCodeAt(this.#offset + index)
    this.#offset += bytes
    return value % size
  }

  #takeFrom(alphabet: string, count: number): string {
    let text = ''
    for (let index = 0; index < count; index += 1) text += alphabet.charAt(this.#take(alphabet.length))
    return text
  }

  /** A long text repeats its first letters, so that it costs little and can be packed well. */
  #takeWords(count: number): string {
    const isLong = count > REPEATED_CHARS
    const letters = this.#takeFrom(LETTERS, isLong ? REPEATED_CHARS : count)
    const spaced = isLong ? `${letters.slice(0, 7)} ${letters.slice(8, 13)} ${letters.slice(14)} ` : letters
    const text = isLong ? spaced.repeat(Math.ceil(count / spaced.length)) : letters
    if (count < MIN_MARKED_CHARS) return text
    return text.slice(0, count - 1) + DIGITS.charAt(this.#take(DIGITS.length))
  }

  #takePairs(count: number, [first, size]: readonly [number, number]): string {
    let text = ''
    for (let index = 0; index < count; index += 1) text += String.fromCodePoint(first + this.#take(size))
    return text
  }
}

type IsFree = (standIn: string) => boolean

/** Stand-ins that are too short to be different by chance. */
class UniqueStandIns {
  readonly #standIns = new Map<string, string>()
  readonly #issued = new Set<string>()

  /** @param find gets null if no more are remembered */
  get(text: string, find: (isFree: IsFree | null) => string): string {
    const earlier = this.#standIns.get(text)
    if (earlier !== undefined) return earlier
    if (this.#standIns.size >= MAX_REMEMBERED) return find(null)
    const standIn = find((candidate) => !this.#issued.has(candidate))
    this.#standIns.set(text, standIn)
    this.#issued.add(standIn)
    return standIn
  }
}

/** Counts on from a stand-in that is in use, like an odometer, until one is free. */
function findNextId(start: string, alphabets: readonly string[], isFree: IsFree): string {
  const characters = [...start]
  for (let round = 0; round < MAX_REMEMBERED; round += 1) {
    for (let index = characters.length - 1; index >= 0; index -= 1) {
      const alphabet = alphabets[index] ?? ''
      if (alphabet === '') continue
      const next = alphabet.indexOf(characters[index] ?? '') + 1
      characters[index] = alphabet[next % alphabet.length] ?? ''
      if (next < alphabet.length) break
    }
    if (isFree(characters.join(''))) break
  }
  return characters.join('')
}

/** Counts the characters that take two UTF-16 units. */
function countPairs(text: string): number {
  let pairs = 0
  for (let index = 0; index + 1 < text.length; index += 1) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xd800 || (text.charCodeAt(index + 1) & 0xfc00) !== 0xdc00) continue
    pairs += 1
    index += 1
  }
  return pairs
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const UUID_VERSION_INDEX = 14
const UUID_VARIANT_INDEX = 19
const HEX = /^(?=.*[a-f])(?:[0-9a-f]{12,})$/

/** Lists for each character of an id those that may replace it; empty if it stays. */
function listAlphabets(id: string): string[] {
  const isUuid = UUID.test(id)
  const isHex = isUuid || HEX.test(id.toLowerCase())
  const isUpper = id === id.toUpperCase()
  const hexDigits = isUpper ? HEX_DIGITS.toUpperCase() : HEX_DIGITS
  return Array.from(id, (character, index) => {
    if (isUuid && (index === UUID_VERSION_INDEX || index === UUID_VARIANT_INDEX)) return ''
    if (isHex && character !== '-') return hexDigits
    if (/[0-9]/.test(character)) return isLeadingDigit(id, index) ? DIGITS.slice(1) : DIGITS
    if (/[a-z]/.test(character)) return SMALL
    return /[A-Z]/.test(character) ? CAPITALS : ''
  })
}

/** A number of several digits must not begin with 0. */
const isLeadingDigit = (id: string, index: number): boolean =>
  /^-?[1-9]\d+$/.test(id) && index === (id.startsWith('-') ? 1 : 0)
