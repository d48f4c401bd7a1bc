import { describe, expect, test } from 'vitest'
import { formatBodyText, parseResponse } from '../../../renderer/workers/response-parser.ts'

const bytes = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer as ArrayBuffer
const palette = {
  bridgeApiVersion: '0.49',
  studySetId: 's',
  title: 't',
  count: 0,
  source: 'default',
  appearance: 'light',
  colors: [],
}

describe('parseResponse', () => {
  test('returns a valid value with its unknown members', () => {
    const parsed = parseResponse('studySets.palette', bytes(JSON.stringify({ ...palette, novel: 1 })))
    expect(parsed).toMatchObject({ isJson: true, conforms: true, findingTotal: 0, value: { ...palette, novel: 1 } })
  })

  test('safety 54: leaves out what does not fit, and reports it with its location and text', () => {
    const text = JSON.stringify({ ...palette, colors: [null, 1] }).replace('"count":0', '"count":"m\\u0061ny"')
    const parsed = parseResponse('studySets.palette', bytes(text))
    expect(parsed).toMatchObject({ isJson: true, conforms: false, omittedCount: 2, findingTotal: 3 })
    expect(parsed.value).toEqual({ ...palette, count: undefined, colors: [] })
    expect(parsed.findings).toEqual([
      {
        kind: 'schema',
        path: '/count',
        expected: 'number',
        actual: 'string',
        rawText: { text: '"m\\u0061ny"', isTruncated: false },
      },
      {
        kind: 'entry',
        path: '/colors/0',
        expected: 'object',
        actual: 'null',
        rawText: { text: 'null', isTruncated: false },
      },
      {
        kind: 'entry',
        path: '/colors/1',
        expected: 'object',
        actual: 'number',
        rawText: { text: '1', isTruncated: false },
      },
    ])
  })

  test('safety 54: returns no value if nothing fits', () => {
    const parsed = parseResponse('studySets.palette', bytes('{"colors":{}}'))
    expect(parsed).toMatchObject({ isJson: true, conforms: false, value: undefined })
    expect(parsed.findings).toMatchObject([{ kind: 'schema', path: '/colors', expected: 'array', actual: 'object' }])
  })

  test('safety 37: reports both inexact values and mismatches, and returns the bytes unchanged', () => {
    const text = '{"count": 12345678901234567890, "count": "x", "colors": []}'
    const parsed = parseResponse('studySets.palette', bytes(text))
    const kinds = parsed.findings.map(({ kind }) => kind)
    expect(kinds).toContain('unsafe-number')
    expect(kinds).toContain('duplicate-key')
    expect(kinds).toContain('schema')
    expect(new TextDecoder().decode(parsed.bytes)).toBe(text)
  })

  test('safety 33: returns no value for anything but JSON', () => {
    expect(parseResponse('studySets.palette', bytes('{"count": '))).toMatchObject({
      isJson: false,
      conforms: false,
      value: undefined,
    })
  })
})

describe('formatText', () => {
  test('safety 37: shows numbers and duplicate keys exactly as sent', () => {
    const { text } = formatBodyText('{"a":12345678901234567890,"a":1.0}', { isIndented: true, maxChars: 1000 })
    expect(text).toBe('{\n  "a": 12345678901234567890,\n  "a": 1.0\n}')
  })

  test('reports how much is left out', () => {
    expect(formatBodyText('x'.repeat(50), { isIndented: false, maxChars: 10 })).toEqual({
      text: 'x'.repeat(10),
      isTruncated: true,
      sourceChars: 50,
    })
    expect(formatBodyText(JSON.stringify(Array(500).fill(1)), { isIndented: true, maxChars: 100 }).isTruncated).toBe(
      true,
    )
  })
})
