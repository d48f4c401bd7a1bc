import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isJsonTruncated, outlineJson } from '../../../../electron/services/bridge/wire/json-outline.ts'

const toBytes = (text: string): Buffer => Buffer.from(text)

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
  test('detects an error member of the top-level object, as a parse would', () => {
    fc.assert(
      fc.property(value.any, fc.constantFrom(undefined, 1, '\t'), fc.boolean(), (parsed, space, escaped) => {
        let text = JSON.stringify(parsed, null, space)
        if (escaped) text = text.replaceAll('error', '\\u0065rr\\u006Fr')
        const reparsed = JSON.parse(text) as unknown
        const expected = typeof reparsed === 'object' && reparsed !== null && Object.hasOwn(reparsed, 'error')
        const outline = outlineJson(toBytes(text))
        expect(outline.hasError).toBe(expected && !Array.isArray(reparsed))
        expect(outline.isClosed).toBe(true)
        expect(isJsonTruncated(toBytes(text))).toBe(false)
      }),
      { numRuns: 500 },
    )
  })

  test('detects a truncated text, wherever it ends', () => {
    fc.assert(
      fc.property(value.object, fc.nat(), (parsed, length) => {
        const fullBytes = toBytes(JSON.stringify(parsed))
        const part = fullBytes.subarray(0, length % fullBytes.length)
        if (part.length === 0) expect(outlineJson(part).firstKind).toBe('empty')
        else expect(isJsonTruncated(part)).toBe(true)
      }),
    )
  })

  test('accepts any bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom('', '{"error":', '{"a\\', '\ufeff{'),
        (tail, head) => {
          const all = Buffer.concat([toBytes(head), tail])
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
  ])('classifies %j as %s', (text, expected) => {
    expect(outlineJson(toBytes(text)).firstKind).toBe(expected)
  })
})
