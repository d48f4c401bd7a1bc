import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computePollDelayMs } from '../../../renderer/stores/poll-delay.ts'

test('between one and two seconds while all is well', () => {
  expect(computePollDelayMs(0, 20)).toBeGreaterThanOrEqual(1000)
  expect(computePollDelayMs(0, 20)).toBeLessThanOrEqual(2000)
})

test('never faster after a failure, a slow answer, or a request by the host', () => {
  fc.assert(
    fc.property(fc.nat(50), fc.double({ min: 0, max: 1e6, noNaN: true }), fc.nat(600), (failures, took, after) => {
      expect(computePollDelayMs(failures + 1, took, after)).toBeGreaterThanOrEqual(
        computePollDelayMs(failures, took, after),
      )
      expect(computePollDelayMs(failures, took, after)).toBeGreaterThanOrEqual(after * 1000)
      expect(computePollDelayMs(failures, took)).toBeLessThanOrEqual(30_000)
    }),
  )
})
