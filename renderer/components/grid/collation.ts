import { mergeSorted, type Compare, type Steps } from './merge.ts'

/** Numbers kept of each text: more tell more texts apart without the collator, and take more memory. */
const WORDS = 8
/** Characters of a text that are looked at: as many as can fit into its words. */
const MOST = 96
/** A longer number is left to the collator. */
const MOST_DIGITS = 30
const LARGEST = 2 ** 53
const ZERO = 0x30
/** Punctuation of set texts and of Chinese. */
const PUNCTUATION: ReadonlySet<number> = new Set(
  Array.from('–—‘’“”、。《》「」『』【】！（），：；？', (char) => char.charCodeAt(0)),
)

/**
 * Has the character one base weight, whatever stands beside it? In English and Chinese that is true of ASCII, of the unified ideographs
 * and of the punctuation above.
 */
const isPlain = (code: number): boolean =>
  (code >= 0x20 && code <= 0x7e) || (code >= 0x4e00 && code <= 0x9fff) || PUNCTUATION.has(code)
const isDigit = (code: number): boolean => code >= ZERO && code <= ZERO + 9

/**
 * Compares texts, by their numbers in the list, as `collator` does (numeric, base letters only; English or Chinese). Because a collator
 * takes a microsecond for two texts, each is first written as a few numbers of the same order: a character counts as its place among
 * those that occur, a number in a text as its length and its digits. What these do not decide the collator does.
 */
export function* textComparison(texts: readonly string[], collator: Intl.Collator): Steps<Compare> {
  const { places, count } = yield* placesOf(texts, collator)
  const base = Math.max(MOST_DIGITS, count) + 1
  let perWord = 1
  while (base ** (perWord + 1) <= LARGEST) perWord += 1
  const words = new Float64Array(texts.length * WORDS)
  /** How many words of a text can be relied on; more than there are if they are all of it. */
  const reliable = new Uint8Array(texts.length)
  const units = new Uint16Array(WORDS * perWord)
  for (let at = 0; at < texts.length; at += 1) {
    const cut = write(texts[at] ?? '', places, units)
    reliable[at] = cut === null ? WORDS + 1 : Math.floor(cut / perWord)
    pack(units, base, words, at * WORDS)
    if (at % 256 === 0) yield
  }
  return (a, b) => {
    const both = Math.min(reliable[a] ?? 0, reliable[b] ?? 0)
    for (let word = 0; word < Math.min(both, WORDS); word += 1) {
      const order = (words[a * WORDS + word] ?? 0) - (words[b * WORDS + word] ?? 0)
      if (order !== 0) return order
    }
    return both > WORDS ? 0 : collator.compare(texts[a] ?? '', texts[b] ?? '')
  }
}

/** The place (from 1) of each plain character that occurs in the order of the collator, where equals share a place, by its code. */
function* placesOf(texts: readonly string[], collator: Intl.Collator): Steps<{ places: Uint16Array; count: number }> {
  const places = new Uint16Array(0x1_00_00)
  places[ZERO] = 1
  for (let at = 0; at < texts.length; at += 1) {
    mark(texts[at] ?? '', places)
    if (at % 256 === 0) yield
  }
  const chars: string[] = []
  for (let code = 0; code < places.length; code += 1) if (places[code] === 1) chars.push(String.fromCharCode(code))
  const compare: Compare = (a, b) => collator.compare(chars[a] ?? '', chars[b] ?? '')
  let count = 0
  let before: number | null = null
  for (const at of yield* mergeSorted(chars.length, compare)) {
    if (before === null || compare(before, at) !== 0) count += 1
    places[chars[at]?.charCodeAt(0) ?? 0] = count
    before = at
  }
  return { places, count }
}

function mark(text: string, places: Uint16Array): void {
  const end = Math.min(text.length, MOST)
  for (let index = 0; index < end; index += 1) {
    const code = text.charCodeAt(index)
    if (places[code] === 0 && isPlain(code) && !isDigit(code)) places[code] = 1
  }
}

/** Packs units, the first of which counts most, into `WORDS` words from `to` on. */
function pack(units: Uint16Array, base: number, words: Float64Array, to: number): void {
  const perWord = units.length / WORDS
  for (let word = 0, unit = 0; word < WORDS; word += 1) {
    let value = 0
    for (const end = unit + perWord; unit < end; unit += 1) value = value * base + (units[unit] ?? 0)
    words[to + word] = value
  }
}

/** Writes a text as units, zeros after it. @returns null, or how many of the units stand, if it goes on in a way that they do not tell. */
function write(text: string, places: Uint16Array, units: Uint16Array): number | null {
  let to = 0
  let from = 0
  /** Where the last character or number begins: what is not plain may belong together with it. */
  let last = 0
  while (from < text.length && from < MOST && to < units.length) {
    const code = text.charCodeAt(from)
    if (!isDigit(code)) {
      const place = places[code] ?? 0
      if (place === 0) return last
      last = to
      units[to] = place
      to += 1
      from += 1
      continue
    }
    while (text.charCodeAt(from) === ZERO && isDigit(text.charCodeAt(from + 1))) from += 1
    let end = from
    while (end - from <= MOST_DIGITS && isDigit(text.charCodeAt(end))) end += 1
    if (end - from > MOST_DIGITS || to + 2 + end - from > units.length) return to
    last = to
    units[to] = places[ZERO] ?? 0
    units[to + 1] = end - from
    to += 2
    for (; from < end; from += 1, to += 1) units[to] = text.charCodeAt(from) - ZERO + 1
  }
  units.fill(0, to)
  if (from >= text.length) return null
  return isPlain(text.charCodeAt(from)) ? to : last
}
