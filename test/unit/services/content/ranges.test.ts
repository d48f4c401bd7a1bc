import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseContentRange, isOpenEndedRange, parseRange } from '../../../../electron/services/media/byte-ranges.ts'

const all = { kind: 'all' }
const none = { kind: 'none' }
const part = (start: number, end: number) => ({ kind: 'part', span: { start, end } })

describe('safety 22: what a Range header requests, of 100 bytes', () => {
  test.each<[string | null, object]>([
    [null, all],
    ['bytes=0-', part(0, 99)],
    ['bytes=0-0', part(0, 0)],
    ['bytes=10-19', part(10, 19)],
    ['bytes=99-', part(99, 99)],
    ['bytes=90-1000', part(90, 99)],
    ['bytes=0-99', part(0, 99)],
    ['BYTES=5-6', part(5, 6)],
    [' bytes=5-6 ', part(5, 6)],
    ['bytes=-1', part(99, 99)],
    ['bytes=-100', part(0, 99)],
    ['bytes=-101', part(0, 99)],
    ['bytes=-999999999999', part(0, 99)],
    ['bytes=100-', none],
    ['bytes=100-200', none],
    ['bytes=99999999999-', none],
    ['bytes=-0', none],
    ['', all],
    ['bytes', all],
    ['bytes=', all],
    ['bytes=-', all],
    ['bytes=a-b', all],
    ['bytes=1', all],
    ['bytes=9-5', all],
    ['bytes=200-100', all],
    ['bytes=1.5-3', all],
    ['bytes=--5', all],
    ['bytes=0x1-3', all],
    ['items=0-5', all],
    ['items=500-', all],
    ['bytes=0-1,5-6', all],
    ['bytes=0-1,', all],
    ['bytes=200-,300-', all],
    ['bytes=5-6\r\nX: y', all],
  ])('%j', (header, expected) => {
    expect(parseRange(header, 100)).toEqual(expected)
  })

  test('of nothing', () => {
    expect(parseRange(null, 0)).toEqual(all)
    expect(parseRange('bytes=0-', 0)).toEqual(none)
    expect(parseRange('bytes=-5', 0)).toEqual(none)
  })

  test('a part is within the content and holds what a slice would', () => {
    const bound = fc.option(fc.nat(300), { nil: null })
    fc.assert(
      fc.property(fc.nat(200), bound, bound, (size, first, last) => {
        const wanted = parseRange(`bytes=${first ?? ''}-${last ?? ''}`, size)
        const all = Array.from({ length: size }, (_, at) => at)
        const expected =
          first === null && last === null
            ? null
            : first === null
              ? all.slice(Math.max(0, size - (last ?? 0)))
              : last !== null && last < first
                ? null
                : all.slice(first, last === null ? undefined : last + 1)
        if (expected === null) expect(wanted).toEqual({ kind: 'all' })
        else if (expected.length === 0) expect(wanted).toEqual(none)
        else expect(wanted).toEqual(part(expected[0] ?? -1, expected.at(-1) ?? -1))
      }),
    )
  })

  test('no text makes it throw or reach outside', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(50), (text, size) => {
        for (const header of [text, `bytes=${text}`]) {
          const wanted = parseRange(header, size)
          if (wanted.kind === 'part') {
            expect(wanted.span.start).toBeLessThanOrEqual(wanted.span.end)
            expect(wanted.span.end).toBeLessThan(size)
          }
        }
      }),
    )
  })
})

describe('what a host says it sends', () => {
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
  ])('%j', (header, expected) => {
    expect(parseContentRange(header)).toEqual(expected)
  })

  test.each([
    ['bytes=5-', true],
    ['bytes=5-6', false],
    ['bytes=-5', false],
    [null, false],
  ])('%j is open at its end: %s', (header, expected) => {
    expect(isOpenEndedRange(header)).toBe(expected)
  })
})
