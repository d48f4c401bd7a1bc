import { trimEndChars } from '../format/trim-chars.ts'
import type { JsonFindingList } from './findings.ts'
import { toPointerStep } from './pointer.ts'
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  decodeJsonString,
  MemberCursor,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  findStringEnd,
  findValueEnd,
} from './token-cursor.ts'

/** `JSON.parse` copes with deeper values, but structured clone and the views do not. */
export const MAX_JSON_DEPTH = 1000
/** Keeps the path short although a name may be as long as the response. */
const MAX_PATH_CHARS = 4000
/** An object with more names keeps them in a set, which is faster to search. */
const MAX_LISTED_NAMES = 32

const bidi = /[\u202A-\u202E\u2066-\u2069]/
const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/**
 * Scans JSON text once and reports what parsing would silently change: numbers that a double
 * cannot hold, repeated names, lone surrogates, bidi controls. Never throws; findings in text
 * that is not JSON are meaningless.
 * @returns false if the text is nested more deeply than `MAX_JSON_DEPTH`
 */
export function scanJson(text: string, findings: JsonFindingList): boolean {
  const frames: ScanFrame[] = []
  let depth = 0
  let top: ScanFrame | undefined
  let isNameNext = false
  const findStrange = createStrangeTextFinder(text)
  let nextStrange = findStrange(0)
  // This loop does not use `TokenCursor`, which would take half as long again for every response.
  for (let offset = 0; offset < text.length; offset += 1) {
    const code = text.charCodeAt(offset)
    if (code === QUOTE) {
      const start = offset
      if (isNameNext && top) {
        offset = top.readName(text, start)
        if (top.isRepeated) reportRepetition(text, top, start, frames, depth, findings)
      } else offset = findStringEnd(text, start)
      isNameNext = false
      if (nextStrange < offset) {
        if (nextStrange > start) reportStrange(text.slice(start + 1, offset), start, frames, depth, findings)
        nextStrange = findStrange(offset)
      }
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      if (depth >= MAX_JSON_DEPTH) {
        findings.add(() => ({ kind: 'too-deep', depth: MAX_JSON_DEPTH + 1 }))
        return false
      }
      isNameNext = code === OPEN_OBJECT
      top = frames[depth] ??= new ScanFrame()
      top.open(isNameNext, offset)
      depth += 1
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      top?.close()
      depth = Math.max(0, depth - 1)
      top = depth === 0 ? undefined : frames[depth - 1]
      isNameNext = false
    } else if (code === COMMA) {
      if (top?.isObject) isNameNext = true
      else if (top) top.index += 1
    } else if (code === 45 || (code >= 48 && code <= 57)) {
      const end = findValueEnd(text, offset)
      // `JSON.parse` reads up to 15 characters without loss, unless there is an exponent.
      if (end - offset > 15 || hasExponent(text, offset, end)) {
        reportNumber(text.slice(offset, end), offset, frames, depth, findings)
      }
      offset = end - 1
    }
  }
  return true
}

function hasExponent(text: string, start: number, end: number): boolean {
  for (let index = start + 1; index < end; index += 1) if ((text.charCodeAt(index) | 32) === 101) return true
  return false
}

type Frames = readonly ScanFrame[]

function reportNumber(raw: string, offset: number, frames: Frames, depth: number, findings: JsonFindingList): void {
  if (isExactDouble(raw)) return
  const rounded = String(Number(raw))
  findings.add(() => ({
    kind: 'unsafe-number',
    path: pathOf(frames, depth),
    raw: truncatePath(raw),
    rounded,
    offset: offset,
  }))
}

function reportStrange(raw: string, offset: number, frames: Frames, depth: number, findings: JsonFindingList): void {
  const value = decodeJsonString(raw)
  if (bidi.test(value)) findings.add(() => ({ kind: 'bidi-control', path: pathOf(frames, depth), offset: offset }))
  if (loneSurrogate.test(value))
    findings.add(() => ({ kind: 'lone-surrogate', path: pathOf(frames, depth), offset: offset }))
}

function reportRepetition(
  text: string,
  { start, name }: ScanFrame,
  offset: number,
  frames: Frames,
  depth: number,
  findings: JsonFindingList,
): void {
  findings.add(() => {
    const member = new MemberCursor(text, start)
    while (member.next() && member.name !== name);
    return {
      kind: 'duplicate-key',
      path: pathOf(frames, depth),
      key: truncatePath(name),
      offsets: [member.nameStart, offset],
    }
  })
}

/** JSON pointer (RFC 6901) of the value that is being scanned. */
function pathOf(frames: Frames, depth: number): string {
  let path = ''
  for (const { isObject, name, index } of frames.slice(0, depth)) {
    path += toPointerStep(isObject ? name : index)
    if (path.length > MAX_PATH_CHARS) break
  }
  return truncatePath(path)
}

/** An open object or list of a scan. Frames are reused at the same depth. */
class ScanFrame {
  isObject = false
  start = 0
  /** Index of a list's current element. */
  index = 0
  /** The current name; `isRepeated` if the object already had a member of this name. */
  name = ''
  isRepeated = false
  /**
   * Names of the previous object at this depth, without repetition. Most objects in a response have
   * the same names in the same order, and comparing with them needs neither a slice nor a lookup in
   * a set.
   */
  #template: string[] = []
  /** Number of names that match the template so far; -1 once this object differs. */
  #matched = 0
  #names: string[] = []
  /** Replaces `#names` if there are many. */
  #set: Set<string> | null = null
  #isTemplate = true

  open(isObject: boolean, start: number): void {
    this.isObject = isObject
    this.start = start
    this.index = 0
    this.name = ''
    this.#matched = 0
    this.#set = null
    this.#isTemplate = true
  }

  /** Keeps the names of a finished object as the template of the next object at its depth. */
  close(): void {
    if (this.isObject && this.#matched < 0 && this.#isTemplate && this.#set === null) this.#template = this.#names
  }

  /** Reads from the quote at `start`. Returns the index of its closing quote. */
  readName(text: string, start: number): number {
    this.isRepeated = false
    const expected = this.#matched < 0 ? undefined : this.#template[this.#matched]
    if (expected !== undefined && text.startsWith(expected, start + 1)) {
      const end = start + 1 + expected.length
      if (text.charCodeAt(end) === QUOTE) {
        this.#matched += 1
        this.name = expected
        return end
      }
    }
    const end = findStringEnd(text, start)
    this.#remember(text.slice(start + 1, end))
    return end
  }

  #remember(raw: string): void {
    if (this.#matched >= 0) {
      this.#names = this.#template.slice(0, this.#matched)
      this.#matched = -1
    }
    const name = (this.name = decodeJsonString(raw))
    this.isRepeated = this.#set?.has(name) ?? this.#names.includes(name)
    // Names with escapes cannot be compared as text, so such an object is no template.
    if (this.isRepeated || name !== raw) this.#isTemplate = false
    if (this.#set) this.#set.add(name)
    else if (!this.isRepeated) {
      this.#names.push(name)
      if (this.#names.length > MAX_LISTED_NAMES) this.#set = new Set(this.#names)
    }
  }
}

/** The patterns are separate, because one combined pattern takes several times as long. */
const strangePatterns = [/[\u202A-\u202E\u2066-\u2069]/g, /\\u(?:202[A-Ea-e]|206[6-9]|[Dd][89A-Fa-f])/g]

/** Finds the next bidi control, surrogate or escape of one; to be called with rising indexes. */
function createStrangeTextFinder(text: string): (from: number) => number {
  const patterns = text.isWellFormed() ? strangePatterns : [...strangePatterns, new RegExp(loneSurrogate, 'g')]
  const next = patterns.map(() => -1)
  return (from) => {
    patterns.forEach((pattern, n) => {
      if ((next[n] ?? -1) >= from) return
      pattern.lastIndex = from
      next[n] = pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY
    })
    return Math.min(...next)
  }
}

const truncatePath = (text: string): string =>
  text.length > MAX_PATH_CHARS ? `${text.slice(0, MAX_PATH_CHARS)}…` : text

/** Significant digits and decimal exponent, so that `1.0e3` and `1000` are equal. */
function normalizeNumber(raw: string): string {
  const [, sign = '', integerDigits = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(raw) ?? []
  const digits = `${integerDigits}${fraction}`.replace(/^0+/, '')
  const trimmed = trimEndChars(digits, '0')
  if (trimmed === '') return '0'
  return `${sign}${trimmed}e${Number(exponent) - fraction.length + (digits.length - trimmed.length)}`
}

/** `raw` is the number's text. Fifteen significant digits always survive. */
export function isExactDouble(raw: string): boolean {
  if (raw.length <= 15 && !/[eE]/.test(raw)) return true
  const value = Number(raw)
  if (!Number.isFinite(value)) return false
  return normalizeNumber(raw) === normalizeNumber(String(value))
}
