import type { FindingList } from './findings.ts'
import { isExact } from './number.ts'

/** Depth from which a value is refused: `JSON.parse` copes with more, structured clone and the views do not. */
export const MAX_DEPTH = 1000

const QUOTE = 34
const BACKSLASH = 92
const COMMA = 44
const COLON = 58

/** One open object or array while scanning. */
interface Frame {
  readonly object: boolean
  /** Index of the current element of an array. */
  index: number
  /** Raw text of the current member's name. */
  key: string
  /** Raw names seen so far; null in an array. */
  names: string[] | null
  /** Takes over from `names` when there are many. */
  set: Set<string> | null
}

const bidi = /[\u202A-\u202E\u2066-\u2069]/
const bidiEscape = /\\u(?:202[a-eA-E]|206[6-9])/
const surrogate = /[\uD800-\uDFFF]|\\u[dD][89a-fA-F]/

/**
 * One pass over valid JSON text that reports what a parse would change silently: numbers that a double cannot hold, repeated
 * names, lone surrogates, bidi controls. Returns false where the text is nested deeper than `MAX_DEPTH`.
 */
export function scanJson(text: string, findings: FindingList): boolean {
  const stack: Frame[] = []
  let top: Frame | null = null
  let expectName = false
  const strange = bidi.test(text) || bidiEscape.test(text) || surrogate.test(text)
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = stringEnd(text, at)
      if (top?.object && expectName) {
        noteName(top, text.slice(at + 1, end), stack, findings)
        expectName = false
      } else if (strange) inspectString(text.slice(at, end + 1), stack, findings)
      at = end
    } else if (code === 123 || code === 91) {
      if (stack.length >= MAX_DEPTH) {
        findings.add({ kind: 'too-deep', depth: stack.length + 1 })
        return false
      }
      top = { object: code === 123, index: 0, key: '', names: code === 123 ? [] : null, set: null }
      stack.push(top)
      expectName = top.object
    } else if (code === 125 || code === 93) {
      stack.pop()
      top = stack[stack.length - 1] ?? null
      expectName = false
    } else if (code === COMMA) {
      if (top?.object) expectName = true
      else if (top) top.index += 1
    } else if (code === COLON) {
      expectName = false
    } else if (code === 45 || (code >= 48 && code <= 57)) {
      const end = numberEnd(text, at)
      if (end - at > 15 || hasExponent(text, at, end)) {
        const raw = text.slice(at, end)
        if (!isExact(raw)) {
          findings.add({ kind: 'unsafe-number', path: pointer(stack), raw, rounded: String(Number(raw)) })
        }
      }
      at = end - 1
    }
  }
  return true
}

/** Index of the closing quote of the string that opens at `at`. */
export function stringEnd(text: string, at: number): number {
  let end = at
  for (;;) {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length - 1
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1
    if (slashes % 2 === 0) return end
  }
}

function numberEnd(text: string, at: number): number {
  let end = at + 1
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    const inNumber =
      (code >= 48 && code <= 57) || code === 46 || code === 43 || code === 45 || code === 69 || code === 101
    if (!inNumber) break
  }
  return end
}

function hasExponent(text: string, at: number, end: number): boolean {
  for (let index = at; index < end; index += 1) {
    const code = text.charCodeAt(index)
    if (code === 69 || code === 101) return true
  }
  return false
}

function noteName(frame: Frame, name: string, stack: readonly Frame[], findings: FindingList): void {
  frame.key = name
  const names = frame.names ?? []
  const known = frame.set ? frame.set.has(name) : names.includes(name)
  if (known) {
    findings.add({ kind: 'duplicate-key', path: pointer(stack), key: decodeName(name) })
    return
  }
  if (frame.set) frame.set.add(name)
  else {
    names.push(name)
    if (names.length > 32) frame.set = new Set(names)
  }
}

function inspectString(raw: string, stack: readonly Frame[], findings: FindingList): void {
  if (!bidi.test(raw) && !bidiEscape.test(raw) && !surrogate.test(raw)) return
  const value = decodeName(raw.slice(1, -1))
  if (bidi.test(value)) findings.add({ kind: 'bidi-control', path: pointer(stack) })
  if (/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(value)) {
    findings.add({ kind: 'lone-surrogate', path: pointer(stack) })
  }
}

function decodeName(raw: string): string {
  try {
    return JSON.parse(`"${raw}"`) as string
  } catch {
    return raw
  }
}

/** JSON pointer (RFC 6901) of the value that is being scanned. */
function pointer(stack: readonly Frame[]): string {
  return stack
    .map((frame) =>
      frame.object ? `/${decodeName(frame.key).replace(/~/g, '~0').replace(/\//g, '~1')}` : `/${frame.index}`,
    )
    .join('')
}
