import { toPointer } from '../../shared/json/pointer.ts'

const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN_LIST = 91
const BACKSLASH = 92
const CLOSE_LIST = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/** 1 for the bytes that end a number or a word: blanks and the signs above. */
const isDelimiter = new Uint8Array(256)
for (const byte of [9, 10, 13, 32, QUOTE, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT])
  isDelimiter[byte] = 1

/** The places of the values of a JSON text: `count` pairs of begin and end. */
export interface ValueSpans {
  readonly count: number
  readonly offsets: Uint32Array
}

/**
 * Finds the values in JSON text: each string with its quotes that is no name of a member, and each
 * number and word. It is defined for any bytes, so that two readers never disagree.
 */
export function findValues(bytes: Uint8Array): ValueSpans {
  let offsets = new Uint32Array(256)
  let count = 0
  /** 1 for an object, 0 for a list. */
  let levels = new Uint8Array(64)
  let depth = 0
  let isName = false
  let index = 0

  const addValue = (start: number, end: number): void => {
    if (count * 2 === offsets.length) offsets = grow(offsets, new Uint32Array(offsets.length * 2))
    offsets[count * 2] = start
    offsets[count * 2 + 1] = end
    count += 1
  }
  const open = (level: 0 | 1): void => {
    if (depth === levels.length) levels = grow(levels, new Uint8Array(levels.length * 2))
    levels[depth] = level
    depth += 1
    isName = level === 1
  }

  while (index < bytes.length) {
    const byte = bytes[index] ?? 0
    const start = index
    index += 1
    if (byte === QUOTE) {
      index = skipString(bytes, index)
      if (!isName) addValue(start, index)
    } else if (byte === OPEN_OBJECT) open(1)
    else if (byte === OPEN_LIST) open(0)
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth = Math.max(0, depth - 1)
      isName = false
    } else if (byte === COMMA) isName = depth > 0 && levels[depth - 1] === 1
    else if (byte === COLON) isName = false
    else if (isDelimiter[byte] === 0) {
      while (index < bytes.length && isDelimiter[bytes[index] ?? 0] === 0) index += 1
      addValue(start, index)
    }
  }
  return { count, offsets: offsets.subarray(0, count * 2) }
}

/** Starts after the opening quote, and returns the index after the closing one. */
function skipString(bytes: Uint8Array, start: number): number {
  let index = start
  while (index < bytes.length) {
    const byte = bytes[index]
    if (byte === QUOTE) return index + 1
    index += byte === BACKSLASH ? 2 : 1
  }
  return bytes.length
}

function grow<T extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(array: T, larger: T): T {
  larger.set(array)
  return larger
}

/** The bytes between the values: two texts with the same ones differ in values only. */
export function getSkeleton(bytes: Uint8Array, { count, offsets }: ValueSpans): Uint8Array {
  let valueBytes = 0
  for (let value = 0; value < count; value += 1) valueBytes += (offsets[value * 2 + 1] ?? 0) - (offsets[value * 2] ?? 0)
  // A zero byte stands for each value, so that values cannot move along the skeleton.
  const skeleton = new Uint8Array(bytes.length - valueBytes + count)
  let target = 0
  let source = 0
  for (let value = 0; value < count; value += 1) {
    const gap = bytes.subarray(source, offsets[value * 2])
    skeleton.set(gap, target)
    target += gap.length + 1
    source = offsets[value * 2 + 1] ?? 0
  }
  skeleton.set(bytes.subarray(source), target)
  return skeleton
}

/**
 * Returns the JSON pointers of all values of `findValues`, in the same order. Like that function it
 * is defined for any bytes; of what is no JSON the pointers mean nothing.
 */
export function findPointers(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const trail: (string | number)[] = []
  const pointers: string[] = []
  let isName = false
  let index = 0
  while (index < bytes.length) {
    const byte = bytes[index] ?? 0
    const start = index
    index += 1
    if (byte === QUOTE) {
      index = skipString(bytes, index)
      if (isName) trail[trail.length - 1] = decodeName(text.toString('utf8', start, index))
      else pointers.push(toPointer(trail.map(String)))
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      trail.push(byte === OPEN_OBJECT ? '' : 0)
      isName = byte === OPEN_OBJECT
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      trail.pop()
      isName = false
    } else if (byte === COMMA) {
      const last = trail.at(-1)
      if (typeof last === 'number') trail[trail.length - 1] = last + 1
      isName = typeof last === 'string'
    } else if (byte === COLON) isName = false
    else if (isDelimiter[byte] === 0) {
      while (index < bytes.length && isDelimiter[bytes[index] ?? 0] === 0) index += 1
      pointers.push(toPointer(trail.map(String)))
    }
  }
  return pointers
}

function decodeName(literal: string): string {
  try {
    return String(JSON.parse(literal))
  } catch {
    return literal
  }
}
