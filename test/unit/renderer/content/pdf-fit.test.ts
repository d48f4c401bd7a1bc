import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitPdfPage } from '../../../../renderer/components/media/pdf-page-fit.ts'

test('a normal page fills the width and is sharp', () => {
  expect(fitPdfPage(595, 842, 1190, 1, 2)).toEqual({ scale: 2, canvasScale: 4, isLimited: false })
  expect(fitPdfPage(595, 842, 595, 0.5, 1)).toEqual({ scale: 0.5, canvasScale: 0.5, isLimited: false })
})

test('safety 52: no page requests an impossible canvas, and visible limits are reported', () => {
  expect(fitPdfPage(1, 14_400, 1_000, 1, 1).isLimited).toBe(true)
  expect(fitPdfPage(14_400, 1, 1_000, 1, 2).isLimited).toBe(false)
  const points = fc.double({ min: 0.01, max: 1e9, noNaN: true })
  fc.assert(
    fc.property(
      points,
      points,
      fc.integer({ min: 1, max: 8_000 }),
      fc.double({ min: 0.25, max: 6, noNaN: true }),
      fc.constantFrom(1, 1.5, 2),
      (width, height, room, zoom, ratio) => {
        const { scale, canvasScale: rendered, isLimited: limited } = fitPdfPage(width, height, room, zoom, ratio)
        const edges = [width * rendered, height * rendered]
        expect(Math.max(...edges)).toBeLessThanOrEqual(16_385)
        expect((edges[0] ?? 0) * (edges[1] ?? 0)).toBeLessThanOrEqual(2 ** 25 + 1)
        expect(rendered).toBeGreaterThan(0)
        if (!limited) expect(Math.abs(width * scale - room * zoom)).toBeLessThan(room * zoom * 1e-6)
      },
    ),
  )
})
