import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { isInterfaceName } from '../../../shared/recordings/redaction/interface-names.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const DIGITS = '0123456789'
const HEX_DIGITS = '0123456789abcdef'
const SMALL = LETTERS.slice(0, 26)
const CAPITALS = LETTERS.slice(26, 52)

/** Ranges of characters that are used once all shorter stand-ins of a length are in use. */
const MORE_CHARACTERS: readonly (readonly [first: number, count: number])[] = [
  [0xac00, 11_172],
  [0x4e00, 20_992],
  [0x3400, 6_592],
  [0xa000, 1_165],
  [0xe000, 6_400],
  [0x0100, 12_000],
]
/** Pictographs, and then ideographs of plane 2. */
const PAIR_RANGES: readonly (readonly [first: number, count: number])[] = [
  [0x1f300, 768],
  [0x20000, 42_720],
]

const BITS_PER_LETTER = 5.95
const BITS_PER_PAIR = 9.5
/** With as many bits, two of some million texts do not get the same stand-in by chance. */
const SAFE_BITS = 64
/** Attempts to find a stand-in that is not in use, for each alphabet. */
const MAX_ATTEMPTS = 40
/** More texts than that are not remembered; then stand-ins use larger alphabets instead. */
const MAX_REMEMBERED = 400_000
/** Characters at the end of a long stand-in that follow from those before them. */
const CHECK_CHARS = 8
const MIN_CHECKED_CHARS = 24
/** Shorter stand-ins are replaced once more if they are redacted again. */
const MIN_RECOGNIZED_CHARS = 9

/** Length of the stand-in of a text that is dropped where something has to stand. */
export const DROPPED_TEXT_CHARS = 12

const KEY_BYTES = 32
export const createStandInKey = (): KeyObject => createSecretKey(randomBytes(KEY_BYTES))

/**
 * Replaces texts and ids. Equal ones get equal stand-ins, different ones different stand-ins, and
 * without the key nothing leads back. A text keeps its number of characters, an id its form.
 */
export class StandIns {
  readonly #key: KeyObject
  readonly #shortTexts = new Map<string, string>()
  readonly #issuedTexts = new Set<string>()
  readonly #shortIds = new Map<string, string>()
  readonly #issuedIds = new Set<string>()
  #seed = new Int32Array(4)

  /** @param key a random key that nobody keeps */
  constructor(key: KeyObject) {
    this.#key = key
  }

  /** A text that this method returned before stays as it is, unless it is short. */
  replaceText(text: string): string {
    if (text === '' || this.#isStandIn(text)) return text
    const pairs = countPairs(text)
    const letters = text.length - pairs * 2
    if (letters * BITS_PER_LETTER + pairs * BITS_PER_PAIR >= SAFE_BITS)
      return this.#replaceLongText(text, letters, pairs)
    const earlier = this.#shortTexts.get(text)
    if (earlier !== undefined) return earlier
    const isRemembered = this.#shortTexts.size < MAX_REMEMBERED
    const standIn = this.#findUnusedText(text, letters, pairs, isRemembered)
    if (isRemembered) {
      this.#shortTexts.set(text, standIn)
      this.#issuedTexts.add(standIn)
    }
    return standIn
  }

  /** Replaces a text that leaves not even its length behind. */
  replaceDroppedText(text: string): string {
    if (text === '') return text
    const standIn = this.#buildLetters(`drop ${text}`, DROPPED_TEXT_CHARS)
    return text.length === DROPPED_TEXT_CHARS && this.#issuedTexts.has(text) ? text : this.#remember(standIn)
  }

  /** Letters, digits and hexadecimal digits become others of their kind; the rest stays. */
  replaceId(id: string): string {
    if (!/[0-9A-Za-z]/.test(id)) return id
    const alphabets = listAlphabets(id)
    const bits = alphabets.reduce((sum, alphabet) => sum + Math.log2(Math.max(1, alphabet.length)), 0)
    if (bits >= SAFE_BITS) return this.#buildId(id, alphabets, 0)
    const earlier = this.#shortIds.get(id)
    if (earlier !== undefined) return earlier
    for (let attempt = 0; ; attempt += 1) {
      const standIn = attempt < MAX_ATTEMPTS ? this.#buildId(id, alphabets, attempt) : this.#findNextId(id, alphabets)
      if (attempt < MAX_ATTEMPTS && this.#issuedIds.has(standIn)) continue
      if (this.#shortIds.size < MAX_REMEMBERED) {
        this.#shortIds.set(id, standIn)
        this.#issuedIds.add(standIn)
      }
      return standIn
    }
  }

  #isStandIn(text: string): boolean {
    // A shorter text of the library may be equal to a stand-in by chance.
    if (text.length >= MIN_RECOGNIZED_CHARS && this.#issuedTexts.has(text)) return true
    if (text.length < MIN_CHECKED_CHARS || !/^[A-Za-z0-9]+$/.test(text.slice(-CHECK_CHARS))) return false
    const body = text.slice(0, -CHECK_CHARS)
    return text.endsWith(this.#buildLetters(`check ${body}`, CHECK_CHARS))
  }

  #replaceLongText(text: string, letters: number, pairs: number): string {
    this.#seedFrom(`text ${text}`)
    const pictures = this.#takePairs(pairs, PAIR_RANGES[0])
    if (letters < MIN_CHECKED_CHARS) {
      const standIn = pictures + this.#takeWords(letters)
      return this.#remember(isInterfaceName(standIn, '') ? `${standIn.slice(0, -1)}0` : standIn)
    }
    const body = pictures + this.#takeWords(letters - CHECK_CHARS)
    return body + this.#buildLetters(`check ${body}`, CHECK_CHARS)
  }

  #findUnusedText(text: string, letters: number, pairs: number, isRemembered: boolean): string {
    this.#seedFrom(`text ${text}`)
    if (!isRemembered) return this.#takePairs(pairs, PAIR_RANGES[1]) + this.#takeCharacters(letters, MORE_CHARACTERS[0])
    // A reader could not tell whether a member with such a name was replaced.
    const isUsable = (standIn: string): boolean =>
      !this.#issuedTexts.has(standIn) && standIn !== text && !isInterfaceName(standIn, '')
    const hasRoom = LETTERS.length ** letters > this.#shortTexts.size || pairs > 0
    for (let attempt = 0; hasRoom && attempt < MAX_ATTEMPTS; attempt += 1) {
      const standIn = this.#takePairs(pairs, PAIR_RANGES[0]) + this.#takeFrom(LETTERS, letters)
      if (isUsable(standIn)) return standIn
    }
    for (const range of MORE_CHARACTERS) {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const standIn = this.#takePairs(pairs, PAIR_RANGES[1]) + this.#takeCharacters(letters, range)
        if (isUsable(standIn)) return standIn
      }
    }
    // Only texts of one character use up all that.
    return listCharacters().find(isUsable) ?? text
  }

  #buildId(id: string, alphabets: readonly string[], attempt: number): string {
    this.#seedFrom(`id ${attempt} ${id}`)
    let standIn = ''
    for (let index = 0; index < id.length; index += 1) {
      const alphabet = alphabets[index] ?? ''
      standIn += alphabet === '' ? (id[index] ?? '') : (alphabet[this.#take() % alphabet.length] ?? '')
    }
    return standIn
  }

  /** Counts on from a stand-in that is in use, like an odometer, until one is free. */
  #findNextId(id: string, alphabets: readonly string[]): string {
    const characters = [...this.#buildId(id, alphabets, 0)]
    for (let round = 0; round < MAX_REMEMBERED; round += 1) {
      for (let index = characters.length - 1; index >= 0; index -= 1) {
        const alphabet = alphabets[index] ?? ''
        if (alphabet === '') continue
        const next = alphabet.indexOf(characters[index] ?? '') + 1
        characters[index] = alphabet[next % alphabet.length] ?? ''
        if (next < alphabet.length) break
      }
      if (!this.#issuedIds.has(characters.join(''))) break
    }
    return characters.join('')
  }

  #remember(standIn: string): string {
    if (this.#issuedTexts.size < MAX_REMEMBERED * 2) this.#issuedTexts.add(standIn)
    return standIn
  }

  #buildLetters(text: string, count: number): string {
    this.#seedFrom(text)
    return this.#takeFrom(LETTERS, count)
  }

  #seedFrom(text: string): void {
    const hash = createHmac('sha256', this.#key).update(text, 'utf16le').digest()
    for (let index = 0; index < 4; index += 1) this.#seed[index] = hash.readInt32LE(index * 4)
    // This generator (xoshiro128++) must not begin with zeros only.
    this.#seed[0] = (this.#seed[0] ?? 0) | 1
  }

  #take(): number {
    const seed = this.#seed
    const s0 = seed[0] ?? 0
    const s1 = seed[1] ?? 0
    const sum = (s0 + (seed[3] ?? 0)) | 0
    const result = (((sum << 7) | (sum >>> 25)) + s0) | 0
    const t2 = (seed[2] ?? 0) ^ s0
    const t3 = (seed[3] ?? 0) ^ s1
    seed[1] = s1 ^ t2
    seed[0] = s0 ^ t3
    seed[2] = t2 ^ (s1 << 9)
    seed[3] = (t3 << 11) | (t3 >>> 21)
    return result >>> 0
  }

  #takeFrom(alphabet: string, count: number): string {
    let text = ''
    for (let index = 0; index < count; index += 1) text += alphabet.charAt(this.#take() % alphabet.length)
    return text
  }

  /** Letters with a space now and then, so that a long text can be broken into lines. */
  #takeWords(count: number): string {
    if (count < MIN_CHECKED_CHARS) return this.#takeFrom(LETTERS, count)
    let text = ''
    let wordEnd = 3 + (this.#take() % 8)
    for (let index = 0; index < count; index += 1) {
      const isSpace = index === wordEnd && index < count - 1
      text += isSpace ? ' ' : LETTERS.charAt(this.#take() % LETTERS.length)
      if (isSpace) wordEnd = index + 4 + (this.#take() % 8)
    }
    return text
  }

  #takeCharacters(count: number, range: readonly [number, number] | undefined): string {
    const [first, size] = range ?? [0x4e00, 1]
    let text = ''
    for (let index = 0; index < count; index += 1) text += String.fromCharCode(first + (this.#take() % size))
    return text
  }

  #takePairs(count: number, range: readonly [number, number] | undefined): string {
    const [first, size] = range ?? [0x20000, 1]
    let text = ''
    for (let index = 0; index < count; index += 1) text += String.fromCodePoint(first + (this.#take() % size))
    return text
  }
}

/** All characters of one unit that can be seen. */
const listCharacters = (): string[] =>
  Array.from({ length: 0xfffd - 0x21 }, (_, index) => String.fromCharCode(index + 0x21)).filter((character) =>
    character.isWellFormed(),
  )

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

/** For each character of an id those that may replace it; empty if it stays. */
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
