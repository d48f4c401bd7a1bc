/** How many characters of a token are enough to recognise it anywhere. */
export const MIN_UNMISTAKABLE_CHARS = 16
/** Shorter tokens are not secrets, and masking them would riddle every text. */
export const MIN_TOKEN_CHARS = 4

/**
 * How tokens of a host begin (observed-0.49); the part behind it is the secret, and a host may send
 * that back alone.
 */
const KNOWN_BEGINNING = /^mnb0\./i
/** A shorter part behind the beginning is no secret of its own. */
const SHORTEST_SECRET = 8

/** One way to write a token. Letter case does not count. */
export interface TokenForm {
  /** Its bytes, with letters in lower case. */
  readonly bytes: Uint8Array
  /**
   * By length: 1 where that many bytes end between two characters, not inside the escape of one.
   */
  readonly ends: Uint8Array
  /** How many bytes recognise it. */
  readonly minBytes: number
  /**
   * Too short to be unmistakable: it counts only as a whole, with no letter, digit, `_` or `-` next
   * to it.
   */
  readonly isWhole: boolean
  /** Consists of letters only, like the names in the contract. */
  readonly isLetters: boolean
  /** Could appear in JSON outside strings: a number, or part of a list of numbers. */
  readonly isBare: boolean
  /** Holds quotes or backslashes as they are, which inside a string of JSON always are escaped. */
  readonly isOutsideJson: boolean
}

/** Writes one character. */
type Style = (character: string) => string

const asItIs: Style = (character) => character
const json: Style = (character) => JSON.stringify(character).slice(1, -1)
const unicode: Style = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
const percentExcept =
  (kept: RegExp): Style =>
  (character) =>
    kept.test(character) ? character : Buffer.from(character).toString('hex').replace(/../g, '%$&')

const styles: readonly Style[] = [
  asItIs,
  json,
  (character) => (character === '/' ? '\\/' : json(character)),
  (character) => (/[+<>&']/.test(character) ? unicode(character) : json(character)),
  // What `encodeURIComponent`, an encoder of paths, a strict one, and a form leave as it is.
  percentExcept(/[\w.!~*'()-]/),
  percentExcept(/[\w.!~*'()/-]/),
  percentExcept(/[\w.~-]/),
  percentExcept(/[\w.*-]/),
]
/** With every character escaped. */
const fullStyles: readonly Style[] = [unicode, percentExcept(/(?!)/)]

/**
 * Every form in which a token is searched for, and every form of the part behind its known
 * beginning; none if it is too short.
 */
export function getTokenForms(token: string): TokenForm[] {
  const part = token.replace(KNOWN_BEGINNING, '')
  const secrets = part !== token && part.length >= SHORTEST_SECRET ? [token, part] : [token]
  return secrets.filter(({ length }) => length >= MIN_TOKEN_CHARS).flatMap(writtenForms)
}

function writtenForms(secret: string): TokenForm[] {
  const forms = new Map<string, TokenForm>()
  const add = (text: string, style: Style): void => {
    const units = Array.from(text, style)
    const key = units.join('').toLowerCase()
    if (!forms.has(key)) forms.set(key, formOf(units, style === asItIs && /["\\]/.test(text)))
  }
  for (const text of textsOf(secret)) for (const style of styles) add(text, style)
  for (const style of fullStyles) add(secret, style)
  return [...forms.values()]
}

/**
 * The secret itself, its hex (also as a shown buffer), and its base64 in both alphabets, also
 * inside a longer text.
 */
function textsOf(secret: string): Set<string> {
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  const texts = new Set([secret, hex, hex.replace(/..(?=.)/g, '$& ')])
  for (const offset of [0, 1, 2]) {
    for (const encoding of ['base64', 'base64url'] as const) {
      const text = Buffer.concat([Buffer.alloc(offset), bytes])
        .toString(encoding)
        .replace(/=+$/, '')
      // The characters at both ends depend on what surrounds the secret.
      const inner = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
      if (inner.length >= MIN_UNMISTAKABLE_CHARS) texts.add(inner)
      else if (offset === 0) texts.add(text)
    }
  }
  return texts
}

function formOf(units: readonly string[], isOutsideJson: boolean): TokenForm {
  const text = units.join('').toLowerCase()
  const codes = Buffer.from(text)
  const ends = new Uint8Array(codes.length + 1)
  let end = 0
  for (const unit of units) ends[(end += Buffer.byteLength(unit))] = 1
  const isWhole = units.length < MIN_UNMISTAKABLE_CHARS
  return {
    bytes: codes,
    ends,
    minBytes: Buffer.byteLength(units.slice(0, MIN_UNMISTAKABLE_CHARS).join('')),
    isWhole,
    isLetters: /^[a-z]+$/.test(text),
    isBare: /^[\d+\-.,:{}[\]aeflnrstu]+$/.test(text),
    isOutsideJson,
  }
}
