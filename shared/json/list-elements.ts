import {
  skipBlanks,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  scanString,
  scanValue,
  skipToValue,
} from './json-byte-scanner.ts'
import { MAX_JSON_DEPTH } from './scan.ts'
import { hasBom } from './utf8.ts'

/** Only names that contain this separator are ambiguous. */
const PATH_SEPARATOR = '\0'
const YIELD_INTERVAL_BYTES = 65_536

/** Joins the steps to a list or a map inside a response; a single step is a member's name. */
export function toListPath(...steps: readonly string[]): string {
  return steps.join(PATH_SEPARATOR)
}

/** Returns no steps for null, which stands for a response that is the list itself. */
export function parseListPath(path: string | null): readonly string[] {
  return path === null ? [] : path.split(PATH_SEPARATOR)
}

/** The exact text in valid JSON; null if there is none. `path` is as of `toListPath`. */
export function getElementText(text: string, path: string | null, index: number): string | null {
  const bytes = new TextEncoder().encode(text)
  const search = scanElementRanges(bytes, path)
  let step = search.next()
  while (!step.done) step = search.next()
  const [start, end] = [step.value[index * 2], step.value[index * 2 + 1]]
  return start === undefined ? null : new TextDecoder().decode(bytes.subarray(start, end))
}

/**
 * Finds start and end of each element of a list in the bytes of a response, as pairs, without
 * decoding or parsing. It yields about every 64 KiB, so that a large response can be processed in
 * slices.
 * @param bytes valid JSON in UTF-8
 * @param path see `toListPath`
 */
export function* scanElementRanges(bytes: Uint8Array, path: string | null): Generator<void, Uint32Array> {
  const steps = parseListPath(path)
  let ranges: number[] = []
  let nextPause = YIELD_INTERVAL_BYTES

  /** The first `depth` steps lead to `open`. Returns the index after it, or -1. */
  function* scanContainer(open: number, depth: number): Generator<void, number> {
    const isObject = bytes[open] === OPEN_OBJECT
    const isFound = depth === steps.length
    // If a name is repeated, the last member counts, as in `JSON.parse`.
    if (isFound) ranges = []
    let offset = skipBlanks(bytes, open + 1)
    while (offset >= 0 && offset < bytes.length && bytes[offset] !== CLOSE_LIST && bytes[offset] !== CLOSE_OBJECT) {
      const nameStart = offset
      if (isObject) offset = bytes[offset] === QUOTE ? skipToValue(bytes, scanString(bytes, offset + 1)) : -1
      const leadsToList =
        isObject && isContainer(bytes[offset], depth + 1) && parseName(bytes, nameStart) === steps[depth]
      const end = leadsToList ? yield* scanContainer(offset, depth + 1) : scanValue(bytes, offset, -MAX_JSON_DEPTH)
      if (end < 0) return -1
      if (isFound) ranges.push(offset, end)
      if (end >= nextPause) {
        nextPause = end + YIELD_INTERVAL_BYTES
        yield
      }
      offset = skipBlanks(bytes, end)
      if (bytes[offset] === COMMA) offset = skipBlanks(bytes, offset + 1)
    }
    return offset < 0 ? -1 : offset + 1
  }

  /** The last step leads to a list or to a map by id, all others to objects. */
  const isContainer = (byte: number | undefined, depth: number): boolean =>
    byte === OPEN_OBJECT || (depth === steps.length && byte === OPEN_LIST)

  const start = skipBlanks(bytes, hasBom(bytes) ? 3 : 0)
  if (isContainer(bytes[start], 0)) yield* scanContainer(start, 0)
  return Uint32Array.from(ranges)
}

/** Resolves escapes, so that `"it\\u0065ms"` is `items`, as in `JSON.parse`. */
const parseName = (bytes: Uint8Array, start: number): unknown =>
  JSON.parse(new TextDecoder().decode(bytes.subarray(start, scanString(bytes, start + 1))))
