import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseContentRange, isOpenEndedRange, parseRange } from '../../../../electron/services/media/byte-ranges.ts'

const everything = { kind: 'all' }
const unsatisfiable = { kind: 'none' }
const createPart = (start: number, end: number) => ({ kind: 'part', span: { start, end } })

describe('safety 22: Range header for 100 bytes', () => {
  test.each<[string | null, object]>([
    [null, everything],
    ['bytes=0-', createPart(0, 99)],
    ['bytes=0-0', createPart(0, 0)],
    ['bytes=10-19', createPart(10, 19)],
    ['bytes=99-', createPart(99, 99)],
    ['bytes=90-1000', createPart(90, 99)],
    ['bytes=0-99', createPart(0, 99)],
    ['BYTES=5-6', createPart(5, 6)],
    [' bytes=5-6 ', createPart(5, 6)],
    ['bytes=-1', createPart(99, 99)],
    ['bytes=-100', createPart(0, 99)],
    ['bytes=-101', createPart(0, 99)],
    ['bytes=-999999999999', createPart(0, 99)],
    ['bytes=100-', unsatisfiable],
    ['bytes=100-200', unsatisfiable],
    ['bytes=99999999999-', unsatisfiable],
    ['bytes=-0', unsatisfiable],
    ['', everything],
    ['bytes', everything],
    ['bytes=', everything],
    ['bytes=-', everything],
    ['bytes=a-b', everything],
    ['bytes=1', everything],
    ['bytes=9-5', everything],
    ['bytes=200-100', everything],
    ['bytes=1.5-3', everything],
    ['bytes=--5', everything],
    ['bytes=0x1-3', everything],
    ['items=0-5', everything],
    ['items=500-', everything],
    ['bytes=0-1,5-6', everything],
    ['bytes=0-1,', everything],
    ['bytes=200-,300-', everything],
    ['bytes=5-6\r\nX: y', everything],
  ])('is parsed from %j', (header, expected) => {
    expect(parseRange(header, 100)).toEqual(expected)
  })

  test('requests nothing of empty content', () => {
    expect(parseRange(null, 0)).toEqual(everything)
    expect(parseRange('bytes=0-', 0)).toEqual(unsatisfiable)
    expect(parseRange('bytes=-5', 0)).toEqual(unsatisfiable)
  })

  test('requests a part within the content, equal to a slice', () => {
    const bound = fc.option(fc.nat(300), { nil: null })
    fc.assert(
      fc.property(fc.nat(200), bound, bound, (size, first, last) => {
        const range = parseRange(`bytes=${first ?? ''}-${last ?? ''}`, size)
        const indexes = Array.from({ length: size }, (_, index) => index)
        const expected =
          first === null && last === null
            ? null
            : first === null
              ? indexes.slice(Math.max(0, size - (last ?? 0)))
              : last !== null && last < first
                ? null
                : indexes.slice(first, last === null ? undefined : last + 1)
        if (expected === null) expect(range).toEqual({ kind: 'all' })
        else if (expected.length === 0) expect(range).toEqual(unsatisfiable)
        else expect(range).toEqual(createPart(expected[0] ?? -1, expected.at(-1) ?? -1))
      }),
    )
  })

  test('never throws or requests bytes outside', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(50), (text, size) => {
        for (const header of [text, `bytes=${text}`]) {
          const range = parseRange(header, size)
          if (range.kind === 'part') {
            expect(range.span.start).toBeLessThanOrEqual(range.span.end)
            expect(range.span.end).toBeLessThan(size)
          }
        }
      }),
    )
  })
})

describe('Content-Range header', () => {
  test.each<[string | undefined, object | null]>([
    ['bytes 0-9/10', { start: 0, end: 9, size: 10 }],
    ['bytes 5-9/*', { start: 5, end: 9, size: null }],
    ['Bytes  5-9/100 ', { start: 5, end: 9, size: 100 }],
    [undefined, null],
    ['', null],
    ['bytes */100', null],
    ['bytes 9-5/100', null],
    ['bytes 5-100/100', null],
    ['items 0-9/10', null],
    ['bytes 0-9/10, bytes 20-29/10', null],
    ['bytes 0-9', null],
  ])('is parsed from %j', (header, expected) => {
    expect(parseContentRange(header)).toEqual(expected)
  })

  test.each([
    ['bytes=5-', true],
    ['bytes=5-6', false],
    ['bytes=-5', false],
    [null, false],
  ])('is open-ended for the request %j: %s', (header, expected) => {
    expect(isOpenEndedRange(header)).toBe(expected)
  })
})
