import { Decoder } from './decode.ts'

/** How many characters of a form are enough to recognise it anywhere. */
export const KNOWN_BY = 16
/** Shorter tokens are not secrets, and masking them would riddle every text. */
export const SHORTEST = 4

/** One way to write a token, as the characters that `Decoder` produces for it. */
export interface Form {
  readonly codes: Uint8Array
  /** Too short to be unmistakable: it counts only as a whole, with no letter, digit, `_` or `-` next to it. */
  readonly alone: boolean
  /** Consists of letters only, like the names in the contract. */
  readonly letters: boolean
  /** Could appear in JSON outside strings: a number, or part of a list of numbers. */
  readonly bare: boolean
}

/** How tokens of a host begin (observed-0.49); the part behind it is the secret, and a host may send that back alone. */
const KNOWN_BEGINNING = /^mnb0\./i
/** A shorter part behind the beginning is no secret of its own. */
const SHORTEST_SECRET = 8

/** The part of a token behind its known beginning; null if it has none, or nothing worth hiding behind it. */
function secretPartOf(token: string): string | null {
  const part = token.replace(KNOWN_BEGINNING, '')
  return part !== token && part.length >= SHORTEST_SECRET ? part : null
}

/**
 * The token itself, its hex (also byte by byte), and its base64 in both alphabets, also inside a longer text, and the same of the part
 * behind its known beginning; none if it is too short.
 */
export function formsOf(token: string): Form[] {
  const part = secretPartOf(token)
  return [...writtenForms(token), ...(part === null ? [] : writtenForms(part))]
}

function writtenForms(token: string): Form[] {
  if (token.length < SHORTEST) return []
  const bytes = Buffer.from(token)
  const texts = new Set([token, bytes.toString('hex')])
  for (const between of [' ', ':', ',']) texts.add(bytes.toString('hex').replace(/..(?=.)/g, `$&${between}`))
  for (const offset of [0, 1, 2]) {
    for (const encoding of ['base64', 'base64url'] as const) {
      const text = Buffer.concat([Buffer.alloc(offset), bytes])
        .toString(encoding)
        .replace(/=+$/, '')
      // The characters at both ends depend on what surrounds the token.
      const inner = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
      if (inner.length >= KNOWN_BY) texts.add(inner)
      else if (offset === 0) texts.add(text)
    }
  }
  const forms = new Map<string, Form>()
  for (const text of texts) {
    const codes = canonical(text)
    if (codes.length >= SHORTEST) forms.set(codes.join(), formOf(codes))
  }
  return [...forms.values()]
}

function formOf(codes: Uint8Array): Form {
  const text = String.fromCharCode(...codes)
  return {
    codes,
    alone: codes.length < KNOWN_BY,
    letters: /^[a-z]+$/.test(text),
    bare: /^[\d+\-.,:{}[\]aeflnrstu]+$/.test(text),
  }
}

/** Decodes the form as well, because the text that holds the token is read the same way. */
function canonical(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  const decoder = new Decoder(text.includes('\\'))
  const count = decoder.run(bytes, 0, bytes.length, false)
  return decoder.codes.slice(0, count)
}

/** Letters, digits, `_` and `-`: next to one of these, a short token is part of a word. */
export const isWord = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95 || code === 45
