import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashShort, MAX_SHORT_BYTES } from '../../../electron/recording-file/short-hash.ts'

const hashWithRoom = (bytes: Uint8Array): string => {
  const room = Buffer.alloc(256, 0xff)
  room.set(bytes)
  const target = Buffer.alloc(34)
  hashShort(room, bytes.length, target, 1)
  expect([target[0], target[33]]).toEqual([0, 0])
  return target.toString('hex', 1, 33)
}

test('is SHA-256 at every length', () => {
  for (let length = 0; length <= MAX_SHORT_BYTES; length += 1) {
    const bytes = Buffer.alloc(length, length)
    expect(hashWithRoom(bytes), `${length} bytes`).toBe(hash('sha256', bytes))
  }
})

test('is SHA-256 of any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: MAX_SHORT_BYTES }), (bytes) => {
      expect(hashWithRoom(bytes)).toBe(hash('sha256', bytes))
    }),
    { numRuns: 500 },
  )
})
