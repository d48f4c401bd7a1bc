import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isJsonTruncated, outlineJson } from '../../../../electron/services/bridge/wire/json-outline.ts'

const bytes = (text: string): Buffer => Buffer.from(text)

const key = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('error', 'Error', 'error ', '"error"', 'er"ror', 'error\\', '\\', '{', 'items'),
)
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.jsonValue({ maxDepth: 1 }),
    key,
    tie('object'),
    fc.array(tie('any'), { maxLength: 3 }),
  ),
  object: fc.dictionary(key, tie('any'), { maxKeys: 4 }),
}))

describe('outline of JSON bytes', () => {
  test('knows whether the top-level object has an error, as a parse would', () => {
    fc.assert(
      fc.property(value.any, fc.constantFrom(undefined, 1, '\t'), fc.boolean(), (parsed, space, escaped) => {
        let text = JSON.stringify(parsed, null, space)
        if (escaped) text = text.replaceAll('error', '\\u0065rr\\u006Fr')
        const again = JSON.parse(text) as unknown
        const expected = typeof again === 'object' && again !== null && Object.hasOwn(again, 'error')
        const outline = outlineJson(bytes(text))
        expect(outline.hasError).toBe(expected && !Array.isArray(again))
        expect(outline.isClosed).toBe(true)
        expect(isJsonTruncated(bytes(text))).toBe(false)
      }),
      { numRuns: 500 },
    )
  })

  test('detects a truncated text, wherever it ends', () => {
    fc.assert(
      fc.property(value.object, fc.nat(), (parsed, at) => {
        const whole = bytes(JSON.stringify(parsed))
        const part = whole.subarray(0, at % whole.length)
        if (part.length === 0) expect(outlineJson(part).firstKind).toBe('empty')
        else expect(isJsonTruncated(part)).toBe(true)
      }),
    )
  })

  test('handles any bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom('', '{"error":', '{"a\\', '\ufeff{'),
        (tail, head) => {
          const all = Buffer.concat([bytes(head), tail])
          expect(() => [outlineJson(all), isJsonTruncated(all)]).not.toThrow()
        },
      ),
    )
  })

  test.each([
    ['', 'empty'],
    [' \n', 'empty'],
    ['\ufeff {', 'object'],
    ['[', 'array'],
    ['null', 'other'],
  ])('%j starts as %s', (text, starts) => {
    expect(outlineJson(bytes(text)).firstKind).toBe(starts)
  })
})
