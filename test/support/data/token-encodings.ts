import fc from 'fast-check'

/** Encodes a text. */
type Style = (text: string) => string

const toHex = (character: string, digits: number): string => character.charCodeAt(0).toString(16).padStart(digits, '0')
const encodeEachCharacter =
  (style: Style): Style =>
  (text) =>
    Array.from(text, style).join('')

const json: Style = (text) => JSON.stringify(text).slice(1, -1)
const lowerEscapes: Style = (text) => text.replace(/%../g, (escape) => escape.toLowerCase())

const jsonStyles: readonly Style[] = [
  json,
  (text) => json(text).replaceAll('/', '\\/'),
  (text) => json(text).replace(/[+<>&']/g, (character) => `\\u${toHex(character, 4).toUpperCase()}`),
]
const addressStyles: readonly Style[] = [
  encodeURIComponent,
  (text) => lowerEscapes(encodeURIComponent(text)),
  (text) => encodeURIComponent(text).replaceAll('%2F', '/'),
  (text) => encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${toHex(character, 2)}`),
  (text) => new URLSearchParams({ '': text }).toString().slice(1),
]
const fullJson: Style = encodeEachCharacter((character) => `\\u${toHex(character, 4)}`)
const fullStyles: readonly Style[] = [
  fullJson,
  encodeEachCharacter((character) => `\\u${toHex(character, 4).toUpperCase()}`),
  encodeEachCharacter((character) => `%${toHex(character, 2)}`),
  encodeEachCharacter((character) => `%${toHex(character, 2).toUpperCase()}`),
]

/** Base64 inside a longer text: `before` bytes in front of the token shift it. */
const encodeBase64 = (token: string, before: number, encoding: 'base64' | 'base64url'): string =>
  Buffer.from(`${'~'.repeat(before)}${token}~~`).toString(encoding)

const inAnyCase = fc.constantFrom<Style>(
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
)
const packed = fc.oneof(
  inAnyCase,
  fc.tuple(fc.nat(5), fc.constantFrom('base64', 'base64url')).map(
    ([before, encoding]): Style =>
      (token) =>
        encodeBase64(token, before, encoding),
  ),
  fc.constantFrom<Style>(
    (token) => Buffer.from(token).toString('hex'),
    (token) => Buffer.from(token).toString('hex').toUpperCase(),
  ),
)
const combineStyles = (first: fc.Arbitrary<Style>, styles: readonly Style[]): fc.Arbitrary<Style> =>
  fc.tuple(first, fc.constantFrom(...styles)).map(
    ([pack, style]) =>
      (token) =>
        style(pack(token)),
  )

/** Ways to write a token in a text, and inside a string of JSON. */
export const tokenEncodings = fc.oneof(
  packed,
  combineStyles(packed, jsonStyles),
  combineStyles(packed, addressStyles),
  fc.constantFrom(...fullStyles),
)
export const tokenEncodingsInJson = fc.oneof(
  combineStyles(packed, jsonStyles),
  combineStyles(packed, addressStyles),
  fc.constantFrom(...fullStyles),
)
/** Ways to write any text inside a string of JSON. */
export const jsonEncodings = fc.constantFrom<Style>(...jsonStyles, fullJson)
