import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatJson } from '../../../../../renderer/model/json/json-formatter.ts'
import { formatFirstBytes } from '../../../../../shared/format/first-bytes.ts'

const format = (text: string): string => formatJson(text).text
const squeeze = (text: string): string => text.replace(/[ \n\r\t]/g, '')

describe('formatJson', () => {
  test('returns the result of JSON.stringify if that loses nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value)
        const reformatted = JSON.stringify(JSON.parse(text), null, space)
        expect(format(reformatted)).toBe(JSON.stringify(JSON.parse(text), null, 2))
      }),
    )
  })

  test('keeps numbers, escapes and duplicate keys as sent', () => {
    expect(format('{"n":12345678901234567890,"x":1.50e+1,"n":"\\u0041\\/","e":[ ],"o":{\n}}')).toBe(
      [
        '{',
        '  "n": 12345678901234567890,',
        '  "x": 1.50e+1,',
        '  "n": "\\u0041\\/",',
        '  "e": [],',
        '  "o": {}',
        '}',
      ].join('\n'),
    )
  })

  test('keeps the characters of other text in order, and its words apart', () => {
    const pieces = fc.array(
      fc.constantFrom('{', '}', '[', ']', '"a b"', ':', ',', '12', 'true', 'x', ' ', '\n', '\\', 'é'),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = parts.join('')
        expect(squeeze(format(text))).toBe(squeeze(text))
        expect(format(format(text))).toBe(format(text))
      }),
      { numRuns: 500 },
    )
    expect(format('[1 2]')).toBe('[\n  1 2\n]')
    expect(format('{"a')).toBe('{\n  "a')
  })

  test('stops soon after the limit and reports it', () => {
    const text = JSON.stringify(Array.from({ length: 1000 }, (_, n) => n))
    const cut = formatJson(text, 100)
    expect(cut.isTruncated).toBe(true)
    expect(cut.text.length).toBeLessThan(120)
    expect(format(text).startsWith(cut.text)).toBe(true)
    expect(formatJson('[1]', 100)).toEqual({ text: '[\n  1\n]', isTruncated: false })
  })

  test('handles extreme depth without quadratic time', () => {
    expect(format('['.repeat(20_000)).length).toBeLessThan(20_000 * 210)
  })
})

test('the preview of any bytes is printable and short', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      expect(formatFirstBytes(bytes)).toMatch(/^[\x20-\x7e]{0,120}…?$/)
      expect(formatFirstBytes(bytes).endsWith('…')).toBe(bytes.length > 120)
    }),
  )
})
