/** Characters of a token that are enough to recognise it anywhere. */
export const MIN_UNMISTAKABLE_CHARS = 16
/** Shorter tokens are not treated as secrets: masking them would hide parts of ordinary words. */
export const MIN_TOKEN_CHARS = 4

/** Beginning of a token (observed-0.49). A host may send the secret after it back alone. */
const KNOWN_PREFIX = /^mnb0\./i
/** A shorter part after the prefix is not searched for by itself. */
const MIN_SECRET_CHARS = 8

/** One encoding of a token. Letter case does not count. */
export interface TokenForm {
  /** The encoded bytes, with letters in lower case. */
  readonly bytes: Uint8Array
  /** Indexed by length: 1 if that many bytes end between two characters, not inside an escape. */
  readonly ends: Uint8Array
  /** Number of bytes that are enough to recognise the form. */
  readonly minBytes: number
  /** A short form counts only if no letter, digit, `_` or `-` is next to it. */
  readonly isWhole: boolean
  /** True if all characters are letters, as in the names of the contract. */
  readonly isLetters: boolean
  /** Could appear in JSON outside strings: a number, or part of a list of numbers. */
  readonly isBare: boolean
  /** Contains quotes or backslashes unescaped, which cannot occur inside a string of JSON. */
  readonly isOutsideJson: boolean
}

type CharacterEncoder = (character: string) => string

const encodePlain: CharacterEncoder = (character) => character
const encodeJson: CharacterEncoder = (character) => JSON.stringify(character).slice(1, -1)
const encodeUnicode: CharacterEncoder = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
const createPercentEncoder =
  (unescaped: RegExp): CharacterEncoder =>
  (character) =>
    unescaped.test(character) ? character : Buffer.from(character).toString('hex').replace(/../g, '%$&')

const ENCODERS: readonly CharacterEncoder[] = [
  encodePlain,
  encodeJson,
  (character) => (character === '/' ? '\\/' : encodeJson(character)),
  (character) => (/[+<>&']/.test(character) ? encodeUnicode(character) : encodeJson(character)),
  // Left unescaped by `encodeURIComponent`, encoders of paths, strict ones and form encoders.
  createPercentEncoder(/[\w.!~*'()-]/),
  createPercentEncoder(/[\w.!~*'()/-]/),
  createPercentEncoder(/[\w.~-]/),
  createPercentEncoder(/[\w.*-]/),
]
/** These encoders escape every character. */
const FULL_ENCODERS: readonly CharacterEncoder[] = [encodeUnicode, createPercentEncoder(/(?!)/)]

/** Returns forms of a token and of the part after its prefix; none if it is too short. */
export function getTokenForms(token: string): TokenForm[] {
  const withoutPrefix = token.replace(KNOWN_PREFIX, '')
  const secrets = withoutPrefix !== token && withoutPrefix.length >= MIN_SECRET_CHARS ? [token, withoutPrefix] : [token]
  return secrets.filter(({ length }) => length >= MIN_TOKEN_CHARS).flatMap(buildForms)
}

function buildForms(secret: string): TokenForm[] {
  const forms = new Map<string, TokenForm>()
  const addForm = (text: string, encode: CharacterEncoder): void => {
    const units = Array.from(text, encode)
    const key = units.join('').toLowerCase()
    if (!forms.has(key)) forms.set(key, buildForm(units, encode === encodePlain && /["\\]/.test(text)))
  }
  for (const text of listEncodedTexts(secret)) for (const encode of ENCODERS) addForm(text, encode)
  for (const encode of FULL_ENCODERS) addForm(secret, encode)
  return [...forms.values()]
}

/** The secret, its hex (also spaced, as buffers print) and base64s, also within longer texts. */
function listEncodedTexts(secret: string): Set<string> {
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  const texts = new Set([secret, hex, hex.replace(/..(?=.)/g, '$& ')])
  for (const offset of [0, 1, 2]) {
    for (const encoding of ['base64', 'base64url'] as const) {
      const text = Buffer.concat([Buffer.alloc(offset), bytes])
        .toString(encoding)
        .replace(/={1,2}$/, '')
      // The characters at both ends depend on the bytes around the secret.
      const stableText = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
      if (stableText.length >= MIN_UNMISTAKABLE_CHARS) texts.add(stableText)
      else if (offset === 0) texts.add(text)
    }
  }
  return texts
}

function buildForm(units: readonly string[], isOutsideJson: boolean): TokenForm {
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
