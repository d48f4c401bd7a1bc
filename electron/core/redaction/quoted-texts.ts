import { decodePercent } from '../../../shared/bridge/endpoints/path-template.ts'
import { addToGroup } from '../add-to-group.ts'
import { contractNames, contractWords } from './member-kinds.ts'

/** A longer beginning of a text is a quotation of it, if the message leaves its end out. */
const QUOTATION_CHARS = 8
/** A shorter text is a word like others. Scripts without spaces say more with a character. */
const MIN_TEXT_CHARS = 4
const MIN_DENSE_CHARS = 2
/** So many characters of messages are searched; more of them count as texts of the library. */
const MAX_MESSAGE_CHARS = 200_000
const MAX_QUOTED_TEXTS = 20_000
/** Messages and texts may repeat a character without end, and begin alike in each place. */
const MAX_QUOTATION_CHARS = 1_000
const MAX_TEXTS_WITH_A_START = 100
/** So many characters of texts and messages are compared. */
const MAX_COMPARED_CHARS = 50_000_000
const START_CHARS = [QUOTATION_CHARS, MIN_TEXT_CHARS, MIN_DENSE_CHARS] as const
const LETTER = /[\p{L}\p{N}]/u
/** A part of an address that may be encoded. */
const ENCODABLE = /[\w.~!*+%-]+/g

/**
 * The texts of a library that messages of hosts and panels quote. All messages are noted first,
 * then all texts are shown to it, and then it replaces them in the messages.
 */
export class QuotedTexts {
  readonly #messages = new Set<string>()
  /** All messages, and in them the places of what a text may begin with. */
  #all = ''
  readonly #places = new Map<string, number[]>()
  /** Keyed by the beginnings of the texts; the longest text comes first. */
  readonly #texts = new Map<string, string[]>()
  #textCount = 0
  #comparedChars = 0
  #isTooAlike = false

  get hasMessages(): boolean {
    return this.#messages.size > 0 && !this.isFull
  }

  get isFull(): boolean {
    return (
      this.#all.length > MAX_MESSAGE_CHARS ||
      this.#textCount > MAX_QUOTED_TEXTS ||
      this.#comparedChars > MAX_COMPARED_CHARS ||
      this.#isTooAlike
    )
  }

  knows(message: string): boolean {
    return !this.isFull && this.#messages.has(message)
  }

  noteMessage(message: string): void {
    for (const text of new Set([message, decodePercent(message)])) {
      if (text === '' || this.isFull || this.#messages.has(text)) continue
      this.#messages.add(text)
      const offset = this.#all.length
      this.#all += `${text.slice(0, MAX_MESSAGE_CHARS)}\n`
      for (let start = offset; start < this.#all.length; start += 1)
        for (const length of START_CHARS) addToGroup(this.#places, this.#all.slice(start, start + length), start)
    }
  }

  /** Notes a text of the library if a message quotes it, or a long beginning of it. */
  showText(text: string): void {
    const places = text.length < MIN_DENSE_CHARS ? undefined : this.#places.get(getStart(text))
    if (places === undefined || this.isFull) return
    for (const place of places) {
      if (this.isFull) return
      let end = Math.min(text.length, QUOTATION_CHARS)
      this.#comparedChars += end
      if (!this.#all.startsWith(text.slice(0, end), place)) continue
      while (end < text.length && end <= MAX_QUOTATION_CHARS && this.#all[place + end] === text[end]) end += 1
      this.#comparedChars += end
      this.#isTooAlike ||= end > MAX_QUOTATION_CHARS
      this.#addText(text.slice(0, end))
    }
  }

  #addText(text: string): void {
    const isTooShort = text.length < QUOTATION_CHARS && (text.length < getMinChars(text) || isWord(text))
    const start = getStart(text)
    if (isTooShort || contractWords.has(text) || this.#texts.get(start)?.includes(text) === true) return
    const texts = addToGroup(this.#texts, start, text).sort((first, second) => second.length - first.length)
    this.#textCount += 1
    this.#isTooAlike ||= texts.length > MAX_TEXTS_WITH_A_START
  }

  /** The name of a file or folder may be encoded. Any may hold a text that was not noted. */
  holdsText(name: string): boolean {
    return this.isFull || this.replace(name, () => '') !== name
  }

  /** @param redact returns what stands in place of a text */
  replace(message: string, redact: (text: string) => string): string {
    if (this.#textCount === 0) return message
    const decoded = message.replace(ENCODABLE, (encoded) => {
      if (!encoded.includes('%')) return encoded
      const replaced = this.#replacePlain(decodePercent(encoded), redact)
      return replaced === decodePercent(encoded) ? encoded : encodeURIComponent(replaced)
    })
    return this.#replacePlain(decoded, redact)
  }

  #replacePlain(message: string, redact: (text: string) => string): string {
    let output = ''
    let offset = 0
    while (offset < message.length) {
      const text = this.#findText(message, offset)
      output += text === null ? message.charAt(offset) : redact(text)
      offset += text?.length ?? 1
    }
    return output
  }

  #findText(message: string, offset: number): string | null {
    for (const length of START_CHARS) {
      const texts = this.#texts.get(message.slice(offset, offset + length))
      const text = texts?.find((candidate) => standsAt(message, candidate, offset))
      if (text !== undefined) return text
    }
    return null
  }
}

const getStart = (text: string): string =>
  text.slice(0, START_CHARS.find((length) => text.length >= length) ?? MIN_DENSE_CHARS)

const getMinChars = (text: string): number => (/^[\0-\u024f]*$/.test(text) ? MIN_TEXT_CHARS : MIN_DENSE_CHARS)
/** Such a word is in messages for what it means. */
const isWord = (text: string): boolean => contractWords.has(text) || contractNames.has(text)

/** True if the text is there as a whole: its letters are no part of a longer word. */
function standsAt(message: string, text: string, offset: number): boolean {
  const isPart = (inner: string, outer: string): boolean =>
    /^[\0-\u024f]*$/.test(inner + outer) && LETTER.test(inner) && LETTER.test(outer)
  if (isPart(text.charAt(0), message.charAt(offset - 1)) || !message.startsWith(text, offset)) return false
  return !isPart(text.charAt(text.length - 1), message.charAt(offset + text.length))
}
