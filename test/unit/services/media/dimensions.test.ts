import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { measureImage } from '../../../../electron/services/media/image-size.ts'
import {
  createAvif,
  createBmp,
  createGif,
  createIcon,
  createJpeg,
  createJxl,
  createJxlHead,
  createPng,
  createWebp,
} from '../../../support/data/pictures.ts'

const types = ['image/png', 'image/gif', 'image/bmp', 'image/webp', 'image/jpeg', 'image/avif', 'image/x-icon'] as const

describe('pixel dimensions from the first bytes', () => {
  const edge = fc.integer({ min: 1, max: 16_383 })
  test('are read as written', () => {
    fc.assert(
      fc.property(edge, edge, fc.integer({ min: 1, max: 8 }), (width, height, orientation) => {
        expect(measureImage('image/gif', createGif(width, height))).toEqual({ width, height })
        expect(measureImage('image/bmp', createBmp(width, -height))).toEqual({ width, height })
        for (const form of ['VP8 ', 'VP8L', 'VP8X'] as const) {
          expect(measureImage('image/webp', createWebp(form, width, height))).toEqual({ width, height })
        }
        const turned = orientation >= 5 ? { width: height, height: width } : { width, height }
        expect(measureImage('image/jpeg', createJpeg(width, height, orientation, 70_000))).toEqual(turned)
      }),
      { numRuns: 50 },
    )
    expect(measureImage('image/png', createPng(31, 17))).toEqual({ width: 31, height: 17 })
  })

  test('are those of the largest of several pictures in one file', () => {
    expect(measureImage('image/avif', createAvif([[300, 200]]))).toEqual({ width: 300, height: 200 })
    const sizes = [
      [10, 10],
      [20_000, 20_000],
      [30_000, 1],
    ] as const
    expect(measureImage('image/avif', createAvif(sizes, 5_000))).toEqual({ width: 20_000, height: 20_000 })
    expect(measureImage('image/avif', createAvif(sizes, 5_000).subarray(0, 4_000))).toBe('more')
    expect(measureImage('image/x-icon', createIcon(createPng(16, 16)))).toEqual({ width: 16, height: 16 })
    const large = createPng(16, 16)
    large.writeUInt32BE(20_000, 16)
    large.writeUInt32BE(20_000, 20)
    expect(measureImage('image/x-icon', createIcon(large))).toEqual({ width: 20_000, height: 20_000 })
  })

  test('are read from a JPEG XL, bare and in its container', () => {
    const size = { width: 32, height: 32 }
    expect([measureImage('image/jxl', createJxl()), measureImage('image/jxl', createJxl(true))]).toEqual([size, size])
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 30 }), fc.integer({ min: 1, max: 2 ** 30 }), (width, height) => {
        expect(measureImage('image/jxl', createJxlHead(width, height))).toEqual({ width, height })
      }),
    )
  })

  test('need more bytes if the size has not arrived yet', () => {
    expect(measureImage('image/png', createPng().subarray(0, 20))).toBe('more')
    expect(measureImage('image/jpeg', createJpeg(9, 9, 1, 10_000).subarray(0, 200))).toBe('more')
  })

  test('are null if there are none', () => {
    expect(measureImage('image/tiff', createPng())).toBeNull()
    expect(measureImage('image/png', createPng(3, 3).fill(0, 16, 24))).toBeNull()
    expect(measureImage('image/jpeg', Buffer.from('ffd8ffda00000000000000', 'hex'))).toBeNull()
    expect(measureImage('image/jpeg', Buffer.from('ffd8ffe0000000000000000000', 'hex'))).toBeNull()
  })

  test('are safe to read from hostile bytes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.uint8Array({ maxLength: 400 }), fc.nat(60), (type, bytes, keep) => {
        for (const good of [
          createPng(),
          createGif(),
          createBmp(),
          createWebp('VP8L'),
          createJpeg(),
          createAvif([[3, 3]]),
          createIcon(createPng()),
          createJxl(),
          createJxl(true),
        ]) {
          const size = measureImage(type, Buffer.concat([good.subarray(0, keep), bytes]))
          if (size !== null && size !== 'more') {
            expect(Number.isInteger(size.width) && Number.isInteger(size.height)).toBe(true)
            expect(Math.min(size.width, size.height)).toBeGreaterThan(0)
          }
        }
      }),
    )
  })
})
