import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maskBytes, MaskStream, TokenMask } from '../../../../electron/services/mask/mask.ts'
import { jsonEncodings, tokenEncodings, tokenEncodingsInJson } from '../../../support/data/token-encodings.ts'

const TOKEN = 'mnb0.Zx7+Qe/9vKc2~hW4_tB8-rY1.pL6sD3fG5'
const usual = fc
  .array(fc.constantFrom(...'ABCXYZabcxyz0123456789._~+/=-'), { minLength: 16, maxLength: 70 })
  .map((letters) => letters.join(''))
/** Anything a header can carry. */
const odd = fc
  .array(fc.integer({ min: 0x21, max: 0x7e }), { minLength: 16, maxLength: 40 })
  .map((codes) => String.fromCharCode(...codes))
  .filter((token) => !/[\\%&]/.test(token))
const token = fc.oneof(fc.constant(TOKEN), usual, odd).filter((one) => new Set(one.toLowerCase()).size > 9)
const words = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom('\\', '"', '%', '&', '\0', '\\\\u00', '&#'),
)

/** A token in the middle of a text, and its surroundings. */
const placed = fc.tuple(token, words, words, tokenEncodings)
const placedInJson = fc.tuple(token, words, words, tokenEncodingsInJson)

function masked(text: string, secret: string, json = false): { text: string; found: number } {
  const bytes = Buffer.from(text)
  const found = maskBytes(bytes, secret, json)
  return { text: bytes.toString(), found }
}

/** What a reader could decode from a text. */
const readings = (text: string): string[] => [
  text,
  text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  text
    .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\(.)/g, '$1'),
]

/** Fails if a text, decoded in any way, still contains the token. */
function expectGone(text: string, secret: string): void {
  const lower = secret.toLowerCase()
  const bytes = Buffer.from(secret)
  const shapes = [lower, bytes.toString('hex')]
  for (const offset of [0, 1, 2]) {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    shapes.push(shifted.slice(4, -4).toLowerCase())
  }
  for (const reading of readings(text)) {
    const read = reading.toLowerCase().replaceAll('-', '+').replaceAll('_', '/')
    for (const shape of shapes) {
      if (read.includes(shape.replaceAll('-', '+').replaceAll('_', '/'))) throw new Error(`still there: ${shape}`)
    }
  }
}

describe('safety 50: an echoed token is masked', () => {
  test('in any text, which stays as long as it was', () => {
    fc.assert(
      fc.property(placed, ([secret, before, after, write]) => {
        const text = `${before} ${write(secret)} ${after}`
        const { text: clean, found } = masked(text, secret)
        expect(found).toBeGreaterThan(0)
        expect(Buffer.byteLength(clean)).toBe(Buffer.byteLength(text))
        expectGone(clean, secret)
      }),
      { numRuns: 1_000 },
    )
  })

  test('in JSON, as a value and as a name; it stays JSON of the same length and shape', () => {
    fc.assert(
      fc.property(placedInJson, jsonEncodings, fc.boolean(), ([secret, before, after, write], around, asName) => {
        const text = `"${around(before)} ${write(secret)} ${around(after)}"`
        const whole = asName ? `{"a":[{${text}:1}],"b":2}` : `{"a":[${text},{"x":${text}}],"b":2}`
        expect(() => JSON.parse(whole) as unknown).not.toThrow()
        const { text: clean, found } = masked(whole, secret, true)
        expect(found).toBeGreaterThan(0)
        expect(Buffer.byteLength(clean)).toBe(Buffer.byteLength(whole))
        const value = JSON.parse(clean) as { a: unknown[] }
        expect(value).toMatchObject({ a: expect.any(Array), b: 2 })
        expectGone(JSON.stringify(value), secret)
        expectGone(clean, secret)
      }),
      { numRuns: 1_000 },
    )
  })

  test('in pieces, wherever these are cut', () => {
    const cuts = fc.array(fc.nat(), { maxLength: 6 })
    fc.assert(
      fc.property(placed, cuts, fc.boolean(), ([secret, before, after, write], where, single) => {
        const text = Buffer.from(`${before} ${write(secret)} ${after}`)
        const stream = new MaskStream(secret)
        const places = single
          ? [...text.keys()]
          : [...where.map((at) => at % (text.length + 1)), text.length].sort((one, other) => one - other)
        const pieces: Buffer[] = []
        let from = 0
        for (const to of [...places, text.length]) {
          pieces.push(Buffer.from(stream.push(text.subarray(from, to))))
          from = Math.max(from, to)
        }
        pieces.push(stream.end())
        const clean = Buffer.concat(pieces)
        expect(clean).toHaveLength(text.length)
        expectGone(clean.toString(), secret)
        expect(clean.toString()).toBe(masked(text.toString(), secret).text)
      }),
      { numRuns: 1_000 },
    )
  })

  test('in long pieces, each masked in place, wherever these are cut', () => {
    const far = fc.nat({ max: 3_000 })
    fc.assert(
      fc.property(placed, far, far, fc.nat(), ([secret, before, after, write], ahead, behind, cut) => {
        const text = Buffer.from(`${'x'.repeat(ahead)} ${before} ${write(secret)} ${after} ${'y'.repeat(behind)}`)
        const stream = new MaskStream(secret)
        const parts: Buffer[] = []
        const at = cut % (text.length + 1)
        for (const piece of [text.subarray(0, at), text.subarray(at)])
          stream.pushOwned(Buffer.from(piece), (part) => parts.push(part))
        parts.push(stream.end())
        expect(Buffer.concat(parts).toString()).toBe(masked(text.toString(), secret).text)
      }),
      { numRuns: 1_000 },
    )
  })

  test('cut off after its first 16 characters', () => {
    expect(masked(`bad token ${TOKEN.slice(0, 20)}…`, TOKEN).text).toBe(`bad token ${'*'.repeat(20)}…`)
  })

  test('after a backslash, which is an escape only in JSON', () => {
    const secret = 'n0b.Zx7Qe9vKc2hW4tB8'
    const stars = '*'.repeat(secret.length)
    expect(masked(`C:\\${secret}`, secret).text).toBe(`C:\\${stars}`)
    expect(masked(`"C:\\\\${secret}"`, secret, true).text).toBe(`"C:\\\\${stars}"`)
    expect(masked(`"\\${secret}"`, secret, true).text).toBe(`"\\${secret}"`)
  })

  test('as a number, if it is one', () => {
    const secret = '12345678901234567'
    expect(masked(`{"n":${secret},"s":"${secret}"}`, secret, true).text).toBe(
      `{"n":${'1'.repeat(17)},"s":"${'*'.repeat(17)}"}`,
    )
  })

  test('and never a part of the JSON around it', () => {
    const secret = '1,2,3,4,5,6,7,8,9,10,11'
    expect(masked(`{"list":[${secret}]}`, secret, true).found).toBe(0)
    expect(masked(`{"list":["${secret}"]}`, secret, true).text).toBe(`{"list":["${'*'.repeat(secret.length)}"]}`)
    const quoted = 'abc","def":"ghi","jkl'
    expect(masked(`{"x":"${quoted}"}`, quoted, true).found).toBe(0)
    expect(masked(JSON.stringify({ x: quoted }), quoted, true).found).toBe(1)
  })
})

describe('innocent text', () => {
  test('is not touched, byte for byte, in whole and in pieces', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.json(),
      fc
        .tuple(words, tokenEncodings)
        .map(([around, write]) => `${around}${write('another-token-of-30-characters')}${around}`),
      fc
        .array(fc.constantFrom('\\', '"', 'u0', '06', '%', '2', '&', '#', ';', 'x', '\0', 'n'))
        .map((parts) => parts.join('')),
      fc.integer({ min: 1, max: 15 }).map((length) => `${TOKEN.slice(0, length)} ${TOKEN.slice(-length)}`),
    )
    fc.assert(
      fc.property(text, fc.boolean(), fc.nat(), (innocent, json, cut) => {
        const bytes = Buffer.from(innocent)
        expect(maskBytes(bytes, TOKEN, json)).toBe(0)
        expect(bytes.equals(Buffer.from(innocent))).toBe(true)
        const stream = new MaskStream(TOKEN)
        const at = cut % (bytes.length + 1)
        const pieces = [stream.push(bytes.subarray(0, at)), stream.push(bytes.subarray(at)), stream.end()]
        expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
        expect(TokenMask.forTokens([TOKEN]).conceal(innocent)).toBe(innocent)
      }),
      { numRuns: 1_000 },
    )
  })

  test('around a token is not touched either', () => {
    fc.assert(
      fc.property(words, words, (before, after) => {
        const clean = (text: string): string => text.replaceAll('\\', '/').replaceAll('\0', '')
        const [left, right] = [clean(before), clean(after)]
        expect(masked(`${left} ${TOKEN} ${right}`, TOKEN).text).toBe(`${left} ${'*'.repeat(TOKEN.length)} ${right}`)
        expect(TokenMask.forTokens([TOKEN]).conceal(`${left} ${TOKEN} ${right}`)).toBe(`${left} [redacted] ${right}`)
      }),
    )
  })

  test('an endless text of escapes takes no extra time', () => {
    for (const part of ['\\', '%', '&', '&#', '%5', '&a', '\\u00', '%25', '&amp;', '&%\\', '\0']) {
      const bytes = Buffer.from(part.repeat(1_000_000 / part.length))
      const before = process.threadCpuUsage().user
      expect(maskBytes(bytes, TOKEN, true)).toBe(0)
      expect(process.threadCpuUsage().user - before).toBeLessThan(2_000_000)
    }
  })
})

describe('a token of fewer than 16 characters', () => {
  const short = 'hunter-2'

  test.each([
    ['by itself', 'hunter-2'],
    ['in a sentence', 'The token hunter-2, sent as Bearer hunter-2.'],
    ['in another case', 'HUNTER-2'],
    ['behind an end of a line', '"a\\nhunter-2"'],
    ['percent-coded', '?t=%68%75%6E%74%65%72%2d%32&x'],
    ['behind a percent-coded character', '?t%3Dhunter-2&x'],
    ['beside Chinese', '令牌hunter-2无效'],
    ['as hex', Buffer.from(short).toString('hex')],
    ['as base64', `Basic ${Buffer.from(short).toString('base64')}`],
  ])('is masked where it stands alone: %s', (_, text) => {
    expect(masked(text, short).found).toBeGreaterThan(0)
    expectGone(masked(text, short).text, short)
  })

  test.each(['chunter-2', 'hunter-23', 'my-hunter-2', 'hunter-2-x', 'hunter', '_hunter-2'])(
    'stays within a longer word: %s',
    (text) => {
      expect(masked(text, short).text).toBe(text)
    },
  )

  test('does not damage an answer’s names or numbers', () => {
    const text = '{"title":"title","n":1234,"s":"1234"}'
    expect(masked(text, 'title', true).text).toBe('{"title":"*****","n":1234,"s":"1234"}')
    expect(masked(text, '1234', true).text).toBe('{"title":"title","n":1234,"s":"****"}')
    expect(masked('{"hunter-2":1}', short, true).text).toBe('{"********":1}')
  })

  test('of fewer than 4 is not a secret', () => {
    expect(masked('abc', 'abc').found).toBe(0)
  })

  test('is decided in a stream once the next character is there', () => {
    for (const [pieces, expected] of [
      [['x hunt', 'er-2', ' y'], 'x ******** y'],
      [['x hunt', 'er-2', '3 y'], 'x hunter-23 y'],
      [['x', 'hunter-2'], 'xhunter-2'],
      [['x ', 'hunter-2'], 'x ********'],
    ] as const) {
      const stream = new MaskStream(short)
      const clean = [...pieces.map((piece) => stream.push(Buffer.from(piece))), stream.end()]
      expect(Buffer.concat(clean).toString()).toBe(expected)
    }
  })
})

describe('safety 50: the part behind the known beginning of a token', () => {
  const part = TOKEN.slice('mnb0.'.length)
  const bytes = Buffer.from(part)
  test.each([
    ['plain', part],
    ['in an address', encodeURIComponent(part)],
    ['in base64', bytes.toString('base64')],
    ['in base64, behind other text', Buffer.concat([Buffer.from('id='), bytes]).toString('base64')],
    ['in hex', bytes.toString('hex')],
    ['cut off', part.slice(0, 20)],
  ])('is masked %s', (_, text) => {
    const clean = masked(`{"echo":"you sent ${text}"}`, TOKEN, true)
    expect(clean.found).toBe(1)
    expect(clean.text).toMatch(/^\{"echo":"you sent [^"]*\*{16,}[^"]*"\}$/)
    expect(TokenMask.forTokens([TOKEN]).conceal(`you sent ${text}.`)).toContain('[redacted]')
  })

  test('is one with the beginning where both are there', () => {
    expect(masked(`a ${TOKEN} b`, TOKEN)).toEqual({ text: `a ${'*'.repeat(TOKEN.length)} b`, found: 1 })
  })

  test('is no secret where it is as short as a word', () => {
    expect(masked('a word', 'mnb0.word').found).toBe(0)
    expect(masked('mnb0.word', 'mnb0.word').found).toBe(1)
  })
})
