import { stringEnd } from './text.ts'

/** One open object or array of a scan. Frames are reused: one per depth. */
export interface ScanFrame {
  object: boolean
  /** Where it opens in the text. */
  start: number
  /** Index of an array's current element. */
  index: number
  /**
   * Names of the previous object at this depth, without repetition. Most objects in an answer have the same names in the same order, and
   * comparing with them needs neither a slice nor a lookup in a set.
   */
  template: string[]
  /** How many names have matched the template's so far; -1 once this object differs. */
  matched: number
  names: string[]
  /** Takes over from `names` if there are many. */
  set: Set<string> | null
  repeats: boolean
  /** The current name. */
  key: string
}

const QUOTE = 34
const MANY = 32

export const newFrame = (): ScanFrame => ({
  object: false,
  start: 0,
  index: 0,
  template: [],
  matched: 0,
  names: [],
  set: null,
  repeats: false,
  key: '',
})

export function openFrame(frame: ScanFrame, object: boolean, start: number): void {
  frame.object = object
  frame.start = start
  frame.index = 0
  frame.matched = 0
  frame.set = null
  frame.repeats = false
  frame.key = ''
}

/** Remembers the names of a finished object for the next one at its depth. */
export function closeFrame(frame: ScanFrame): void {
  if (frame.object && frame.matched < 0 && !frame.repeats && frame.set === null) frame.template = frame.names
}

/** Reads the name whose opening quote is at `at`: where it ends, and whether its object already has it. */
export function takeName(frame: ScanFrame, text: string, at: number): { end: number; repeated: boolean } {
  const expected = frame.matched < 0 ? undefined : frame.template[frame.matched]
  if (expected !== undefined && text.startsWith(expected, at + 1)) {
    const end = at + 1 + expected.length
    if (text.charCodeAt(end) === QUOTE) {
      frame.matched += 1
      frame.key = expected
      return { end, repeated: false }
    }
  }
  const end = stringEnd(text, at)
  return { end, repeated: !remember(frame, text.slice(at + 1, end)) }
}

function remember(frame: ScanFrame, raw: string): boolean {
  if (frame.matched >= 0) {
    frame.names = frame.template.slice(0, frame.matched)
    frame.matched = -1
  }
  const name = decodeString(raw)
  frame.key = name
  // A name with escapes could not be recognised by its text, so such an object is no template.
  if (name !== raw) frame.repeats = true
  if (frame.set ? frame.set.has(name) : frame.names.includes(name)) {
    frame.repeats = true
    return false
  }
  if (frame.set) frame.set.add(name)
  else {
    frame.names.push(name)
    if (frame.names.length > MANY) frame.set = new Set(frame.names)
  }
  return true
}

/** The string between two quotes. */
export function decodeString(raw: string): string {
  if (!raw.includes('\\')) return raw
  try {
    return JSON.parse(`"${raw}"`) as string
  } catch {
    return raw
  }
}
