import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseHostTime, type HostTimeUnit } from '../../../shared/bridge/host-time.ts'

const at = Date.UTC(2026, 9, 30, 8)

test.each<[unknown, number | null, HostTimeUnit, string]>([
  ['2026-10-30T08:00:00.000Z', at, 'text', '2026-10-30T08:00:00.000Z'],
  ['2026-10-30T08:00:00+00:00', at, 'text', '2026-10-30T08:00:00+00:00'],
  ['Fri, 30 Oct 2026 08:00:00 GMT', at, 'text', 'Fri, 30 Oct 2026 08:00:00 GMT'],
  [at, at, 'ms', String(at)],
  [at / 1000, at, 's', '1793347200'],
  [String(at / 1000), at, 's', '1793347200'],
  [at / 1000 + 0.25, at + 250, 's', '1793347200.25'],
  [at * 1000, at, 'us', '1793347200000000'],
  [at * 1e6, at, 'ns', '1793347200000000000'],
  [at / 1000 - 978_307_200, at, 's2001', '815040000'],
  [0, 0, 's', '0'],
  ['yesterday', null, 'text', 'yesterday'],
  ['unexpected 7', null, 'text', 'unexpected 7'],
  ['7', null, 'text', '7'],
  [1e23, null, 'ns', '1e+23'],
  [null, null, 'text', ''],
  [{ at: 1 }, null, 'text', ''],
])('the moment %s', (sent, moment, unit, text) => {
  expect(parseHostTime(sent)).toEqual({ timestamp: moment, unit, rawText: text })
})

test('whatever is sent, a moment is one that a date can be made of', () => {
  fc.assert(
    fc.property(fc.oneof(fc.double(), fc.string(), fc.jsonValue()), (sent) => {
      const { timestamp: moment } = parseHostTime(sent)
      if (moment !== null) expect(Number.isNaN(new Date(moment).getTime())).toBe(false)
    }),
  )
})
