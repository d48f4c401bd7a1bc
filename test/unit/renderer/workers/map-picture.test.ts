import { expect, test } from 'vitest'
import {
  computePictureScale,
  MAX_PICTURE_AREA_PX,
  MAX_PICTURE_SIDE_PX,
  MIN_PICTURE_SCALE,
} from '../../../../renderer/workers/map-picture.ts'

test('a picture is as large as wanted while a canvas can be', () => {
  expect(computePictureScale({ width: 800, height: 600 }, 2)).toBe(2)
  expect(computePictureScale({ width: 800, height: MAX_PICTURE_SIDE_PX }, 2)).toBe(1)
})

test('a larger picture is reduced until it fits, by its longer side or by its area', () => {
  for (const size of [
    { width: 800, height: 50_000 },
    { width: 14_000, height: 14_000 },
  ]) {
    const scale = computePictureScale(size, 1)
    expect(scale).toBeLessThan(1)
    expect(Math.max(size.width, size.height) * scale).toBeLessThanOrEqual(MAX_PICTURE_SIDE_PX + 1e-6)
    expect(size.width * size.height * scale ** 2).toBeLessThanOrEqual(MAX_PICTURE_AREA_PX + 1)
  }
})

test('a picture that nobody could read is refused, with its size', () => {
  const height = Math.ceil(MAX_PICTURE_SIDE_PX / MIN_PICTURE_SCALE) + 1
  expect(() => computePictureScale({ width: 800, height }, 1)).toThrow(
    expect.objectContaining({
      code: 'MAP_PICTURE_TOO_LARGE',
      params: { width: 800, height, side: MAX_PICTURE_SIDE_PX },
    }),
  )
})
