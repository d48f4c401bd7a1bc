import { toStep } from '../../../shared/json/pointer.ts'
/** A container that is open where a text is looked at: the member it is at, or the index of the element. */
interface Open {
  readonly list: boolean
  name: string
  index: number
  /** A name was read and its value is still to come, or is being read. */
  named: boolean
}

/**
 * JSON pointer (RFC 6901) to the value that stands at `offset` of a JSON text, or to the object or list around it; empty for the whole.
 * Reads the text up to there once, and never throws: of text that is not JSON it says what can be said.
 */
export function pointerAt(text: string, offset: number): string {
  const open: Open[] = []
  const end = Math.min(offset, text.length)
  for (let at = 0; at < end; at += 1) {
    const char = text.charCodeAt(at)
    const top = open.at(-1)
    if (char === QUOTE) {
      const close = endOfString(text, at)
      if (top && !top.list && !top.named) {
        top.name = nameOf(text.slice(at, close + 1))
        top.named = true
        // Inside the name itself, the member is meant.
      }
      at = close
    } else if (char === BRACE || char === BRACKET) {
      open.push({ list: char === BRACKET, name: '', index: 0, named: false })
    } else if (char === END_BRACE || char === END_BRACKET) {
      open.pop()
    } else if (char === COMMA && top) {
      top.index += 1
      top.named = false
    }
  }
  return open.map((one) => stepOf(one, text, end)).join('')
}

const QUOTE = 0x22
const COMMA = 0x2c
const BRACE = 0x7b
const END_BRACE = 0x7d
const BRACKET = 0x5b
const END_BRACKET = 0x5d

/** Place of the closing quote; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === 0x5c) at += 1
    else if (char === QUOTE) return at
  }
  return text.length
}

function nameOf(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted.slice(1, -1)
  }
}

/** At the very start of an object or list, or behind its last comma, nothing in it is meant yet: the first name that follows is. */
function stepOf({ list, name, index, named }: Open, text: string, end: number): string {
  if (list) return `/${index}`
  if (named) return toStep(name)
  const next = /^\s*("(?:[^"\\]|\\.)*")/.exec(text.slice(end, end + 2000))?.[1]
  return next === undefined ? '' : toStep(nameOf(next))
}
