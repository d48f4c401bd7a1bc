import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pauseBefore } from '../../../renderer/stores/follow-pace.ts'

test('between one and two seconds while all is well', () => {
  expect(pauseBefore(0, 20)).toBeGreaterThanOrEqual(1000)
  expect(pauseBefore(0, 20)).toBeLessThanOrEqual(2000)
})

test('never faster after a failure, a slow answer, or a request by the host', () => {
  fc.assert(
    fc.property(fc.nat(50), fc.double({ min: 0, max: 1e6, noNaN: true }), fc.nat(600), (failures, took, after) => {
      expect(pauseBefore(failures + 1, took, after)).toBeGreaterThanOrEqual(pauseBefore(failures, took, after))
      expect(pauseBefore(failures, took, after)).toBeGreaterThanOrEqual(after * 1000)
      expect(pauseBefore(failures, took)).toBeLessThanOrEqual(30_000)
    }),
  )
})
