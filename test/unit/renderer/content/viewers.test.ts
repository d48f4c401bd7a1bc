import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseMasks } from '../../../../renderer/panes/content/masks.ts'
import { revealInvisible } from '../../../../shared/format/invisible-characters.ts'
import { formatPlaybackTime, computePeaks } from '../../../../renderer/components/media/audio-waveform.ts'
import {
  centerImage,
  fitImage,
  MAX_IMAGE_SCALE,
  MIN_IMAGE_SCALE,
  panImage,
  zoomAtPoint,
} from '../../../../renderer/panes/content/image-placement.ts'

const edge = fc.integer({ min: 1, max: 5000 })
const size = fc.record({ width: edge, height: edge })
const real = fc.double({ min: -5000, max: 5000, noNaN: true })

describe('image zoom', () => {
  test('fits an image entirely into its box without enlarging it', () => {
    fc.assert(
      fc.property(size, size, (image, box) => {
        const { scale, x, y } = fitImage(image, box)
        expect(scale).toBeLessThanOrEqual(1)
        expect(x).toBeGreaterThanOrEqual(-1e-6)
        expect(y).toBeGreaterThanOrEqual(-1e-6)
        expect(x + image.width * scale).toBeLessThanOrEqual(box.width + 1e-6)
        expect(y + image.height * scale).toBeLessThanOrEqual(box.height + 1e-6)
      }),
    )
  })

  test('keeps the point under the pointer in place while the image fills the box', () => {
    const image = { width: 4000, height: 3000 }
    const box = { width: 800, height: 600 }
    const view = centerImage(image, box, 1)
    const point = { x: 300, y: 200 }
    const next = zoomAtPoint(view, 1.5, point, image, box)
    expect((point.x - next.x) / next.scale).toBeCloseTo((point.x - view.x) / view.scale, 6)
    expect((point.y - next.y) / next.scale).toBeCloseTo((point.y - view.y) / view.scale, 6)
  })

  test('keeps the scale in its range and the image inside the box', () => {
    const step = fc.oneof(
      fc.record({ factor: fc.double({ min: 0.01, max: 100, noNaN: true }), x: real, y: real }),
      fc.record({ by: fc.record({ x: real, y: real }) }),
    )
    fc.assert(
      fc.property(size, size, fc.array(step, { maxLength: 20 }), (image, box, steps) => {
        let view = fitImage(image, box)
        for (const action of steps) {
          view =
            'by' in action
              ? panImage(view, action.by, image, box)
              : zoomAtPoint(view, action.factor, action, image, box)
          expect(view.scale).toBeGreaterThanOrEqual(Math.min(MIN_IMAGE_SCALE, fitImage(image, box).scale))
          expect(view.scale).toBeLessThanOrEqual(MAX_IMAGE_SCALE)
          const width = image.width * view.scale
          const right = view.x + width
          if (width <= box.width) expect(view.x + right).toBeCloseTo(box.width, 3)
          else {
            expect(view.x).toBeLessThanOrEqual(1e-6)
            expect(right).toBeGreaterThanOrEqual(box.width - 1e-6)
          }
        }
      }),
    )
  })
})

describe('occlusion masks', () => {
  const image = { width: 200, height: 100 }
  test('are read as rectangles in lists and objects, in fractions and in pixels', () => {
    const masks = [
      { index: 3, rect: [0.1, 0.2, 0.3, 0.4], group: 'a' },
      { rect: { x: 0.1, y: 0.2, width: 0.3, height: 0.4 } },
      { rect: [20, 20, 60, 40] },
    ]
    const { masks: rendered, invalidCount: unknown } = parseMasks({ masks }, image)
    expect(unknown).toBe(0)
    for (const mask of rendered) expect(mask).toMatchObject({ x: 0.1, y: 0.2, width: 0.3, height: 0.4 })
    expect(rendered[0]).toMatchObject({ label: '3', group: 'a' })
  })

  test('are all drawn inside the image or counted as unknown', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.record({ masks: fc.array(fc.record({ rect: fc.jsonValue() })) }), fc.jsonValue()),
        (rawValue) => {
          const { masks: rendered, invalidCount: unknown } = parseMasks(rawValue, image)
          const list: unknown =
            typeof rawValue === 'object' && rawValue !== null ? Reflect.get(rawValue, 'masks') : null
          expect(rendered.length + unknown).toBe(Array.isArray(list) ? list.length : 0)
          for (const { x, y, width, height } of rendered) {
            expect(Math.min(x, y, width, height)).toBeGreaterThanOrEqual(0)
            expect(Math.max(x + width, y + height)).toBeLessThanOrEqual(1 + 1e-9)
          }
        },
      ),
    )
  })
})

test('characters that change the text direction are made visible', () => {
  expect(revealInvisible('file\u202Egnp.exe')).toBe('file⟨U+202E⟩gnp.exe')
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      (text) => !/[\u202a-\u202e\u2066-\u2069\u200b]/.test(revealInvisible(text)),
    ),
  )
})

test('playback times are formatted as minutes or hours', () => {
  expect([0, 5, 65, 3725, Number.NaN, Number.POSITIVE_INFINITY].map(formatPlaybackTime)).toEqual([
    '0:00',
    '0:05',
    '1:05',
    '1:02:05',
    '0:00',
    '0:00',
  ])
})

test('computePeaks finds the loudest sample of each section', () => {
  const samples = Float32Array.from([0.1, -0.9, 0.2, 0.3, 2, 0])
  expect([...computePeaks(samples, 3)].map((peak) => Math.round(peak * 10))).toEqual([9, 3, 10])
  expect(computePeaks(new Float32Array(0), 4)).toEqual(new Float32Array(4))
})
