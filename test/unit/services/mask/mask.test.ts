/** @module-tag slow */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maskBytes, MaskStream, TokenMask } from '../../../../electron/services/mask/mask.ts'
import { jsonEncodings, tokenEncodings, tokenEncodingsInJson } from '../../../support/data/token-encodings.ts'

const TOKEN = 'mnb0.Zx7+Qe/9vKc2~hW4_tB8-rY1.pL6sD3fG5'
const usualToken = fc
  .array(fc.constantFrom(...'ABCXYZabcxyz0123456789._~+/=-'), { minLength: 16, maxLength: 70 })
  .map((letters) => letters.join(''))
/** Any text that a header can carry. */
const oddToken = fc
  .array(fc.integer({ min: 0x21, max: 0x7e }), { minLength: 16, maxLength: 40 })
  .map((codes) => String.fromCharCode(...codes))
  .filter((token) => !/[\\%&]/.test(token))
const token = fc
  .oneof(fc.constant(TOKEN), usualToken, oddToken)
  .filter((candidate) => new Set(candidate.toLowerCase()).size > 9)
const surroundingText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom('\\', '"', '%', '&', '\0', '\\\\u00', '&#'),
)

/** A token, the texts around it, and a way to write it. */
const placed = fc.tuple(token, surroundingText, surroundingText, tokenEncodings)
const placedInJson = fc.tuple(token, surroundingText, surroundingText, tokenEncodingsInJson)

function maskText(text: string, secret: string, json = false): { text: string; found: number } {
  const bytes = Buffer.from(text)
  const maskedCount = maskBytes(bytes, secret, json)
  return { text: bytes.toString(), found: maskedCount }
}

/** Returns every text that a reader could decode from this one. */
const decodeVariants = (text: string): string[] => [
  text,
  text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  text
    .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\(.)/g, '$1'),
]

/** Throws if a text, decoded in any way, still contains the token. */
function expectNoToken(text: string, secret: string): void {
  const lower = secret.toLowerCase()
  const bytes = Buffer.from(secret)
  const shapes = [lower, bytes.toString('hex')]
  for (const offset of [0, 1, 2]) {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    shapes.push(shifted.slice(4, -4).toLowerCase())
  }
  for (const reading of decodeVariants(text)) {
    const read = reading.toLowerCase().replaceAll('-', '+').replaceAll('_', '/')
    for (const shape of shapes) {
      if (read.includes(shape.replaceAll('-', '+').replaceAll('_', '/'))) throw new Error(`still there: ${shape}`)
    }
  }
}

describe('safety 50: echoed token', () => {
  test('is masked in any text, which keeps its length', () => {
    fc.assert(
      fc.property(placed, ([secret, before, after, write]) => {
        const text = `${before} ${write(secret)} ${after}`
        const { text: clean, found } = maskText(text, secret)
        expect(found).toBeGreaterThan(0)
        expect(Buffer.byteLength(clean)).toBe(Buffer.byteLength(text))
        expectNoToken(clean, secret)
      }),
      { numRuns: 1_000 },
    )
  })

  test('is masked in JSON as a value and as a name, and the JSON keeps its length and shape', () => {
    fc.assert(
      fc.property(placedInJson, jsonEncodings, fc.boolean(), ([secret, before, after, write], toJsonText, asName) => {
        const text = `"${toJsonText(before)} ${write(secret)} ${toJsonText(after)}"`
        const json = asName ? `{"a":[{${text}:1}],"b":2}` : `{"a":[${text},{"x":${text}}],"b":2}`
        expect(() => JSON.parse(json) as unknown).not.toThrow()
        const { text: clean, found } = maskText(json, secret, true)
        expect(found).toBeGreaterThan(0)
        expect(Buffer.byteLength(clean)).toBe(Buffer.byteLength(json))
        const value = JSON.parse(clean) as { a: unknown[] }
        expect(value).toMatchObject({ a: expect.any(Array), b: 2 })
        expectNoToken(JSON.stringify(value), secret)
        expectNoToken(clean, secret)
      }),
      { numRuns: 1_000 },
    )
  })

  test('is masked in pieces, wherever they are cut', () => {
    const cuts = fc.array(fc.nat(), { maxLength: 6 })
    fc.assert(
      fc.property(placed, cuts, fc.boolean(), ([secret, before, after, write], cutOffsets, single) => {
        const text = Buffer.from(`${before} ${write(secret)} ${after}`)
        const stream = new MaskStream(secret)
        const places = single
          ? [...text.keys()]
          : [...cutOffsets.map((offset) => offset % (text.length + 1)), text.length].sort((left, right) => left - right)
        const pieces: Buffer[] = []
        let from = 0
        for (const to of [...places, text.length]) {
          pieces.push(Buffer.from(stream.push(text.subarray(from, to))))
          from = Math.max(from, to)
        }
        pieces.push(stream.end())
        const clean = Buffer.concat(pieces)
        expect(clean).toHaveLength(text.length)
        expectNoToken(clean.toString(), secret)
        expect(clean.toString()).toBe(maskText(text.toString(), secret).text)
      }),
      { numRuns: 1_000 },
    )
  })

  test('is masked in place in long pieces, wherever they are cut', () => {
    const padding = fc.nat({ max: 3_000 })
    fc.assert(
      fc.property(placed, padding, padding, fc.nat(), ([secret, before, after, write], ahead, behind, cut) => {
        const text = Buffer.from(`${'x'.repeat(ahead)} ${before} ${write(secret)} ${after} ${'y'.repeat(behind)}`)
        const stream = new MaskStream(secret)
        const parts: Buffer[] = []
        const cutOffset = cut % (text.length + 1)
        for (const piece of [text.subarray(0, cutOffset), text.subarray(cutOffset)])
          stream.pushOwned(Buffer.from(piece), (part) => parts.push(part))
        parts.push(stream.end())
        expect(Buffer.concat(parts).toString()).toBe(maskText(text.toString(), secret).text)
      }),
      { numRuns: 1_000 },
    )
  })

  test('is masked if it is cut off after its first 16 characters', () => {
    expect(maskText(`bad token ${TOKEN.slice(0, 20)}…`, TOKEN).text).toBe(`bad token ${'*'.repeat(20)}…`)
  })

  test('is masked after a backslash, which is an escape only in JSON', () => {
    const secret = 'n0b.Zx7Qe9vKc2hW4tB8'
    const stars = '*'.repeat(secret.length)
    expect(maskText(`C:\\${secret}`, secret).text).toBe(`C:\\${stars}`)
    expect(maskText(`"C:\\\\${secret}"`, secret, true).text).toBe(`"C:\\\\${stars}"`)
    expect(maskText(`"\\${secret}"`, secret, true).text).toBe(`"\\${secret}"`)
  })

  test('is replaced by a number if it is one', () => {
    const secret = '12345678901234567'
    expect(maskText(`{"n":${secret},"s":"${secret}"}`, secret, true).text).toBe(
      `{"n":${'1'.repeat(17)},"s":"${'*'.repeat(17)}"}`,
    )
  })

  test('is never taken for a part of the JSON around it', () => {
    const secret = '1,2,3,4,5,6,7,8,9,10,11'
    expect(maskText(`{"list":[${secret}]}`, secret, true).found).toBe(0)
    expect(maskText(`{"list":["${secret}"]}`, secret, true).text).toBe(`{"list":["${'*'.repeat(secret.length)}"]}`)
    const quoted = 'abc","def":"ghi","jkl'
    expect(maskText(`{"x":"${quoted}"}`, quoted, true).found).toBe(0)
    expect(maskText(JSON.stringify({ x: quoted }), quoted, true).found).toBe(1)
  })
})

describe('text without a token', () => {
  test('stays the same byte for byte, in whole and in pieces', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.json(),
      fc
        .tuple(surroundingText, tokenEncodings)
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
        const cutOffset = cut % (bytes.length + 1)
        const pieces = [stream.push(bytes.subarray(0, cutOffset)), stream.push(bytes.subarray(cutOffset)), stream.end()]
        expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
        expect(TokenMask.forTokens([TOKEN]).conceal(innocent)).toBe(innocent)
      }),
      { numRuns: 1_000 },
    )
  })

  test('stays the same around a token', () => {
    fc.assert(
      fc.property(surroundingText, surroundingText, (before, after) => {
        const removeEscapes = (text: string): string => text.replaceAll('\\', '/').replaceAll('\0', '')
        const [left, right] = [removeEscapes(before), removeEscapes(after)]
        expect(maskText(`${left} ${TOKEN} ${right}`, TOKEN).text).toBe(`${left} ${'*'.repeat(TOKEN.length)} ${right}`)
        expect(TokenMask.forTokens([TOKEN]).conceal(`${left} ${TOKEN} ${right}`)).toBe(`${left} [redacted] ${right}`)
      }),
    )
  })

  test('takes no extra time if it is full of escapes', () => {
    for (const part of ['\\', '%', '&', '&#', '%5', '&a', '\\u00', '%25', '&amp;', '&%\\', '\0']) {
      const bytes = Buffer.from(part.repeat(1_000_000 / part.length))
      const before = process.threadCpuUsage().user
      expect(maskBytes(bytes, TOKEN, true)).toBe(0)
      expect(process.threadCpuUsage().user - before).toBeLessThan(2_000_000)
    }
  })
})

describe('token of fewer than 16 characters', () => {
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
  ])('is masked as a separate word: %s', (_, text) => {
    expect(maskText(text, short).found).toBeGreaterThan(0)
    expectNoToken(maskText(text, short).text, short)
  })

  test.each(['chunter-2', 'hunter-23', 'my-hunter-2', 'hunter-2-x', 'hunter', '_hunter-2'])(
    'is not masked within a longer word: %s',
    (text) => {
      expect(maskText(text, short).text).toBe(text)
    },
  )

  test('does not damage the names and numbers of a response', () => {
    const text = '{"title":"title","n":1234,"s":"1234"}'
    expect(maskText(text, 'title', true).text).toBe('{"title":"*****","n":1234,"s":"1234"}')
    expect(maskText(text, '1234', true).text).toBe('{"title":"title","n":1234,"s":"****"}')
    expect(maskText('{"hunter-2":1}', short, true).text).toBe('{"********":1}')
  })

  test('is no secret with fewer than 4 characters', () => {
    expect(maskText('abc', 'abc').found).toBe(0)
  })

  test('is masked in a stream once the next character is known', () => {
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

describe('safety 50: part of a token after its known prefix', () => {
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
    const clean = maskText(`{"echo":"you sent ${text}"}`, TOKEN, true)
    expect(clean.found).toBe(1)
    expect(clean.text).toMatch(/^\{"echo":"you sent [^"]*\*{16,}[^"]*"\}$/)
    expect(TokenMask.forTokens([TOKEN]).conceal(`you sent ${text}.`)).toContain('[redacted]')
  })

  test('is masked once together with the prefix', () => {
    expect(maskText(`a ${TOKEN} b`, TOKEN)).toEqual({ text: `a ${'*'.repeat(TOKEN.length)} b`, found: 1 })
  })

  test('is no secret if it is as short as a word', () => {
    expect(maskText('a word', 'mnb0.word').found).toBe(0)
    expect(maskText('mnb0.word', 'mnb0.word').found).toBe(1)
  })
})
