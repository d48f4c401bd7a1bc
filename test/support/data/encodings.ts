import fc from 'fast-check'

/** How one character is encoded. */
type Style = (character: string) => string

const hex = (character: string, digits: number): string => character.charCodeAt(0).toString(16).padStart(digits, '0')
const entities: Readonly<Record<string, string>> = {
  ...{ '+': '&plus;', '/': '&sol;', '.': '&period;', '=': '&equals;', _: '&lowbar;', '&': '&amp;', '<': '&lt;' },
}

const asItIs: Style = (character) => character
const json: readonly Style[] = [
  (character) => `\\u${hex(character, 4)}`,
  (character) => `\\u${hex(character, 4).toUpperCase()}`,
  (character) => (character === '/' ? '\\/' : JSON.stringify(character).slice(1, -1)),
]
const percent: readonly Style[] = [
  (character) => `%${hex(character, 2)}`,
  (character) => `%${hex(character, 2).toUpperCase()}`,
  encodeURIComponent,
]
const entity: readonly Style[] = [
  (character) => `&#${character.charCodeAt(0)};`,
  (character) => `&#x${hex(character, 2)};`,
  (character) => `&#X${hex(character, 6).toUpperCase()};`,
  (character) => entities[character] ?? character,
]

/** Encodes a text with one kind of layer: some characters stay as they are, the others use one of its styles each. */
const layer = (styles: readonly Style[], must: RegExp) =>
  fc.array(fc.nat(styles.length * 2), { minLength: 8, maxLength: 8 }).map(
    (picks) =>
      (text: string): string =>
        [...text]
          .map((character, at) => {
            const style = styles[picks[at % picks.length] ?? 0] ?? (must.test(character) ? styles[0] : asItIs)
            return (style ?? asItIs)(character)
          })
          .join(''),
  )

const jsonLayer = layer(json, /["\\\p{Cc}]/u)
const percentLayer = layer(percent, /[%]/)
const entityLayer = layer(entity, /[&]/)
const cases = fc.constantFrom<Style>(
  asItIs,
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
)

/** Base64 inside a longer text: `before` bytes in front of the token shift it. */
export const base64Of = (token: string, before: number, encoding: 'base64' | 'base64url'): string =>
  Buffer.from(`${'~'.repeat(before)}${token}~~`).toString(encoding)

const packed = fc.oneof(
  cases,
  fc.tuple(fc.nat(5), fc.constantFrom('base64', 'base64url')).map(
    ([before, encoding]): Style =>
      (token) =>
        base64Of(token, before, encoding),
  ),
  fc.constantFrom<Style>(
    (token) => Buffer.from(token).toString('hex'),
    (token) => Buffer.from(token).toString('hex').toUpperCase(),
  ),
)

/** Ways to write a token in a text: packed, and then encoded by up to two layers. */
export const written = fc.tuple(packed, fc.array(fc.oneof(percentLayer, entityLayer, jsonLayer), { maxLength: 2 })).map(
  ([pack, layers]): Style =>
    (token) =>
      layers.reduce((text, code) => code(text), pack(token)),
)

/** The last layer of a text inside JSON: between its quotes. */
export const inJson = jsonLayer
