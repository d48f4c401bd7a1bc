import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseHostTime, type HostTimeUnit } from '../../../shared/bridge/host-time.ts'

const startedAt = Date.UTC(2026, 9, 30, 8)

test.each<[unknown, number | null, HostTimeUnit, string]>([
  ['2026-10-30T08:00:00.000Z', startedAt, 'text', '2026-10-30T08:00:00.000Z'],
  ['2026-10-30T08:00:00+00:00', startedAt, 'text', '2026-10-30T08:00:00+00:00'],
  ['Fri, 30 Oct 2026 08:00:00 GMT', startedAt, 'text', 'Fri, 30 Oct 2026 08:00:00 GMT'],
  [startedAt, startedAt, 'ms', String(startedAt)],
  [startedAt / 1000, startedAt, 's', '1793347200'],
  [String(startedAt / 1000), startedAt, 's', '1793347200'],
  [startedAt / 1000 + 0.25, startedAt + 250, 's', '1793347200.25'],
  [startedAt * 1000, startedAt, 'us', '1793347200000000'],
  [startedAt * 1e6, startedAt, 'ns', '1793347200000000000'],
  [startedAt / 1000 - 978_307_200, startedAt, 's2001', '815040000'],
  [0, 0, 's', '0'],
  ['yesterday', null, 'text', 'yesterday'],
  ['unexpected 7', null, 'text', 'unexpected 7'],
  ['7', null, 'text', '7'],
  [1e23, null, 'ns', '1e+23'],
  [null, null, 'text', ''],
  [{ at: 1 }, null, 'text', ''],
])('parses %s', (rawValue, moment, unit, text) => {
  expect(parseHostTime(rawValue)).toEqual({ timestamp: moment, unit, rawText: text })
})

test('returns only times that a date can represent', () => {
  fc.assert(
    fc.property(fc.oneof(fc.double(), fc.string(), fc.jsonValue()), (rawValue) => {
      const { timestamp: moment } = parseHostTime(rawValue)
      if (moment !== null) expect(Number.isNaN(new Date(moment).getTime())).toBe(false)
    }),
  )
})
