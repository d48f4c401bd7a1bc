import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findOffsetOfPointer, findPointerAtOffset } from '../../../../renderer/model/json/cursor.ts'
import { getBodyFileName } from '../../../../renderer/model/traffic/body-file-name.ts'
import { HEX_LINE_BYTES, formatHexDump } from '../../../../renderer/model/traffic/hex-dump.ts'
import { matchSentParameters } from '../../../../renderer/model/traffic/sent-parameters.ts'
import { isPendingRowIncluded } from '../../../../renderer/model/traffic/pending-row.ts'
import { computeExchangePhases, computeTimeSpan } from '../../../../renderer/model/traffic/exchange-phases.ts'
import { detectBodyKind } from '../../../../renderer/panes/exchange/body-kind.ts'
import { getEndpoint } from '../../../../shared/bridge/endpoints/index.ts'
import { createExchangeRow } from '../../../support/vue/exchanges.ts'

describe('a hex dump', () => {
  test('shows every byte with its offset', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat({ max: 1_000 }), (bytes, index) => {
        const lines = formatHexDump(bytes, index * HEX_LINE_BYTES)
          .split('\n')
          .filter(Boolean)
        const back = lines.flatMap((line) =>
          line
            .slice(10, 10 + HEX_LINE_BYTES * 3 - 1)
            .trim()
            .split(' '),
        )
        expect(back.filter(Boolean).map((byte) => Number.parseInt(byte, 16))).toEqual([...bytes])
        lines.forEach((line, row) => expect(Number.parseInt(line.slice(0, 8), 16)).toBe((index + row) * HEX_LINE_BYTES))
      }),
    )
  })

  test('shows printable characters beside the bytes', () => {
    expect(formatHexDump(new Uint8Array([0x48, 0x69, 0, 0x7f]))).toMatch(/^00000000 {2}48 69 00 7f +Hi··$/)
  })
})

describe('the pointer at a cursor', () => {
  test('leads to the value at the cursor', () => {
    const text = JSON.stringify({ notes: [{ title: 'a' }, { 'x/y~z': [1, [2, 'needle']] }] }, null, 2)
    expect(findPointerAtOffset(text, text.indexOf('needle'))).toBe('/notes/1/x~1y~0z/1/1')
    expect(findPointerAtOffset(text, text.indexOf('"title"') + 2)).toBe('/notes/0/title')
    expect(findPointerAtOffset(text, 0)).toBe('')
  })

  test('is found for every value of any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const marked = JSON.stringify({ rest: value, end: ['\u0001mark'] })
        expect(findPointerAtOffset(marked, marked.lastIndexOf('mark'))).toBe('/end/0')
      }),
    )
  })

  test('is looked up without throwing for any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat({ max: 50 }), (text, index) => {
        expect(typeof findPointerAtOffset(text, index)).toBe('string')
      }),
    )
  })
})

describe('the value at a pointer', () => {
  const text = JSON.stringify(
    { a: { b: 1 }, notes: [{ title: 'x' }, { 'x/y~z': { k: [1, 2] } }], b: { c: 2 } },
    null,
    2,
  )

  test('is found by its name or place, also if the pointer is folded', () => {
    expect(findOffsetOfPointer(text, '')).toBe(0)
    expect(findOffsetOfPointer(text, '/b')).toBe(text.lastIndexOf('"b"'))
    expect(findOffsetOfPointer(text, '/notes/1/x~1y~0z/k/1')).toBe(text.indexOf('2\n'))
    expect(findOffsetOfPointer(text, '/notes/*/x~1y~0z')).toBe(text.indexOf('"x/y~z"'))
    expect(findOffsetOfPointer(text, '/notes/*/{key}/k')).toBe(text.indexOf('"k"'))
  })

  test('is the innermost one on the way to a value that is missing', () => {
    expect(findOffsetOfPointer(text, '/a/missing/too')).toBe(text.indexOf('"a"'))
    expect(findOffsetOfPointer(text, '/notes/*/missing')).toBe(text.indexOf('{\n      "title"'))
  })

  test('is looked up without throwing for any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (anyText, pointer) => {
        const offset = findOffsetOfPointer(anyText, pointer)
        expect(offset >= 0 && offset <= anyText.length).toBe(true)
      }),
    )
  })
})

test('phases have no gaps and end with the exchange', () => {
  expect(computeExchangePhases(createExchangeRow(), 0)).toEqual([
    { name: 'queue', start: 0, end: 1 },
    { name: 'connect', start: 1, end: 2 },
    { name: 'send', start: 2, end: 3 },
    { name: 'wait', start: 3, end: 15 },
    { name: 'receive', start: 15, end: 20 },
  ])
  const empty = { queued: null, connected: null, sent: null, firstByte: null, lastByte: null }
  expect(computeExchangePhases(createExchangeRow({ timing: empty, durationMs: 8 }), 0)).toEqual([
    { name: 'whole', start: 0, end: 8 },
  ])
  const pending = createExchangeRow({ durationMs: null, timing: { ...empty, queued: 1, connected: 1, sent: 2 } })
  expect(computeExchangePhases(pending, 1_000_050).at(-1)).toEqual({ name: 'wait', start: 2, end: 50 })
})

test('the time span of rows reaches from the first start to the last end', () => {
  const rows = [
    createExchangeRow({ startedAt: 100, durationMs: 50 }),
    createExchangeRow({ startedAt: 90, durationMs: null }),
  ]
  expect(computeTimeSpan(rows, 400)).toEqual([90, 400])
  expect(computeTimeSpan([], 400)).toBeNull()
})

test('a pending exchange passes a filter only if the filter needs no response', () => {
  const row = createExchangeRow({ path: '/notes/N1', template: '/notes/{noteid}' })
  expect(isPendingRowIncluded(row, {})).toBe(true)
  expect(isPendingRowIncluded(row, { text: 'NOTES/n1', methods: ['GET'], template: '/notes/{noteid}' })).toBe(true)
  expect(isPendingRowIncluded(row, { statuses: ['2'] })).toBe(false)
  expect(isPendingRowIncluded(row, { text: 'other' })).toBe(false)
  const beat = createExchangeRow({ origin: { kind: 'heartbeat', label: null } })
  expect(isPendingRowIncluded(beat, {})).toBe(false)
  expect(isPendingRowIncluded(beat, { heartbeats: true })).toBe(true)
  expect(isPendingRowIncluded(beat, { origins: ['heartbeat'] })).toBe(true)
})

test('parameters are listed with their sent values, unknown ones last', () => {
  const matches = matchSentParameters(getEndpoint('studySets.tree'), '/study-sets/a%20b/tree?limit=5&new=1')
  expect(matches.find(({ name }) => name === 'topicid')?.value).toBe('a b')
  expect(matches.find(({ name }) => name === 'limit')?.value).toBe('5')
  expect(matches.at(-1)).toEqual({ name: 'new', value: '1', parameter: null })
})

test('the kind of a body is detected from its bytes', () => {
  const text = (value: string): Uint8Array => new TextEncoder().encode(value)
  expect(detectBodyKind(text('{"a":1}'), '')).toBe('json')
  expect(detectBodyKind(text('<html>'), 'application/json')).toBe('json')
  expect(detectBodyKind(text('# Guide'), 'text/markdown')).toBe('text')
  expect(detectBodyKind(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10]), 'text/plain')).toBe('picture')
  expect(detectBodyKind(new Uint8Array([1, 2, 3, 0]), 'application/json')).toBe('bytes')
})

test.each([
  ['/notes/N1/content/C 1?x=1', 'image/png', 'content-C_1.png'],
  ['/guide', 'text/markdown; charset=utf-8', 'guide.md'],
  ['/..', 'application/x-unknown', 'get.bin'],
])('the body of %s as %s is saved as %s', (path, type, name) => {
  expect(getBodyFileName({ path, method: 'GET' }, type)).toBe(name)
})
