import type { FindingList } from './findings.ts'
import { closeFrame, decodeString, newFrame, openFrame, takeName, type ScanFrame } from './names.ts'
import { isExact } from './number.ts'
import { stringEnd } from './text.ts'
import { toStep } from './pointer.ts'

export { stringEnd } from './text.ts'

/** Depth beyond which a value is refused: `JSON.parse` copes with more, but structured clone and the views do not. */
export const MAX_DEPTH = 1000
/** Maximum characters of a path: names may be as long as the answer. */
const MAX_PATH = 4000

const QUOTE = 34
const COMMA = 44

const bidi = /[\u202A-\u202E\u2066-\u2069]/
const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/**
 * Scans JSON text once and reports what parsing would silently change: numbers that a double cannot hold, repeated names, lone
 * surrogates, bidi controls. Returns false if the text is nested more deeply than `MAX_DEPTH`. Never throws; findings in text that is not
 * JSON mean nothing.
 */
export function scanJson(text: string, findings: FindingList): boolean {
  const stack: ScanFrame[] = []
  let depth = 0
  let top: ScanFrame | undefined
  let nameNext = false
  const strange = strangeThings(text)
  let nextStrange = strange(0)
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const opened = at
      if (nameNext && top !== undefined) {
        const { end, repeated } = takeName(top, text, at)
        if (repeated) reportRepetition(text, top, stack, depth, at, findings)
        at = end
      } else at = stringEnd(text, at)
      nameNext = false
      if (nextStrange < at) {
        if (nextStrange > opened) reportStrange(text.slice(opened + 1, at), stack, depth, opened, findings)
        nextStrange = strange(at)
      }
    } else if (code === 123 || code === 91) {
      if (depth >= MAX_DEPTH) {
        findings.add(() => ({ kind: 'too-deep', depth: MAX_DEPTH + 1 }))
        return false
      }
      top = stack[depth] ??= newFrame()
      depth += 1
      nameNext = code === 123
      openFrame(top, nameNext, at)
    } else if (code === 125 || code === 93) {
      if (top !== undefined) closeFrame(top)
      depth = Math.max(0, depth - 1)
      top = depth === 0 ? undefined : stack[depth - 1]
      nameNext = false
    } else if (code === COMMA) {
      if (top?.object === true) nameNext = true
      else if (top !== undefined) top.index += 1
    } else if (code === 45 || (code >= 48 && code <= 57)) {
      const end = numberEnd(text, at)
      // Fifteen characters always survive unless they include an exponent.
      if (end - at > 15 || hasExponent) reportNumber(text.slice(at, end), stack, depth, at, findings)
      at = end - 1
    }
  }
  return true
}

let hasExponent = false

function numberEnd(text: string, at: number): number {
  hasExponent = false
  let end = at + 1
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (code >= 48 && code <= 57) continue
    if (code === 69 || code === 101) hasExponent = true
    else if (code !== 46 && code !== 43 && code !== 45) break
  }
  return end
}

/** Each finds one kind of thing: a pattern with all of them in it takes several times as long as they do one after the other. */
const strangePatterns = [/[\u202A-\u202E\u2066-\u2069]/g, /\\u(?:202[A-Ea-e]|206[6-9]|[Dd][89A-Fa-f])/g]

/** Returns a function that finds, from an index on, the next character or escape worth reporting in a string. Ask in ascending order. */
function strangeThings(text: string): (from: number) => number {
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

function reportNumber(
  raw: string,
  stack: readonly ScanFrame[],
  depth: number,
  at: number,
  findings: FindingList,
): void {
  if (isExact(raw)) return
  findings.add(() => ({
    kind: 'unsafe-number',
    path: pointer(stack, depth),
    raw: clip(raw),
    rounded: String(Number(raw)),
    at,
  }))
}

function reportStrange(
  raw: string,
  stack: readonly ScanFrame[],
  depth: number,
  at: number,
  findings: FindingList,
): void {
  const value = decodeString(raw)
  if (bidi.test(value)) findings.add(() => ({ kind: 'bidi-control', path: pointer(stack, depth), at }))
  if (loneSurrogate.test(value)) findings.add(() => ({ kind: 'lone-surrogate', path: pointer(stack, depth), at }))
}

function reportRepetition(
  text: string,
  frame: ScanFrame,
  stack: readonly ScanFrame[],
  depth: number,
  at: number,
  findings: FindingList,
): void {
  findings.add(() => ({
    kind: 'duplicate-key',
    path: pointer(stack, depth),
    key: clip(frame.key),
    offsets: [firstOffset(text, frame, at), at],
  }))
}

/** Where the current name first appears in its object; looked up, because it is hardly ever needed. */
function firstOffset(text: string, frame: ScanFrame, before: number): number {
  let depth = 0
  let nameNext = false
  for (let at = frame.start; at < before; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = stringEnd(text, at)
      if (nameNext && depth === 1 && decodeString(text.slice(at + 1, end)) === frame.key) return at
      nameNext = false
      at = end
    } else if (code === 123 || code === 91) {
      depth += 1
      nameNext = depth === 1
    } else if (code === 125 || code === 93) depth -= 1
    else if (code === COMMA) nameNext = depth === 1
  }
  return before
}

/** JSON pointer (RFC 6901) of the value that is being scanned. */
function pointer(stack: readonly ScanFrame[], depth: number): string {
  let path = ''
  for (const frame of stack.slice(0, depth)) {
    path += toStep(frame.object ? frame.key : frame.index)
    if (path.length > MAX_PATH) return `${path.slice(0, MAX_PATH)}…`
  }
  return path
}

const clip = (text: string): string => (text.length > MAX_PATH ? `${text.slice(0, MAX_PATH)}…` : text)
