import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computePollDelayMs } from '../../../renderer/stores/poll-delay.ts'

test('the poll delay is one to two seconds while requests succeed', () => {
  expect(computePollDelayMs(0, 20)).toBeGreaterThanOrEqual(1000)
  expect(computePollDelayMs(0, 20)).toBeLessThanOrEqual(2000)
})

test('the poll delay never shrinks after a failure, a slow response or a Retry-After header', () => {
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
