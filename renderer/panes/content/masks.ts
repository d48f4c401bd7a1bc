import { isObject } from '../../../shared/json/object.ts'

/** Hides a part of an image. All numbers are fractions of the image from 0 to 1. */
interface Mask {
  readonly label: string
  readonly group: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface MaskSet {
  readonly masks: readonly Mask[]
  /** Masks that cannot be placed; shown, because the image hides less than in the host. */
  readonly invalidCount: number
}

/**
 * Parses masks from a part's `occlusion` (observed-0.49 `masks[{index,rect,group?}]`). The shape of
 * `rect` is not documented: four numbers, or `x`, `y`, `width`/`w`, `height`/`h`, are read, as
 * fractions if all are at most 1, else as image pixels.
 */
export function parseMasks(occlusion: unknown, image: { readonly width: number; readonly height: number }): MaskSet {
  const list = isObject(occlusion) ? occlusion['masks'] : null
  if (!Array.isArray(list)) return { masks: [], invalidCount: 0 }
  const masks: Mask[] = []
  for (const [position, mask] of list.entries()) {
    const rect = isObject(mask) ? parseRect(mask['rect']) : null
    if (!rect || !isObject(mask)) continue
    const [x, y, width, height] = rect.every((value) => value <= 1) ? rect : toFractions(rect, image)
    if (!(width > 0 && height > 0 && x < 1 && y < 1)) continue
    const { index, group } = mask
    masks.push({
      label: typeof index === 'number' ? String(index) : String(position),
      group: typeof group === 'string' || typeof group === 'number' ? String(group) : '',
      x,
      y,
      width: Math.min(width, 1 - x),
      height: Math.min(height, 1 - y),
    })
  }
  return { masks, invalidCount: list.length - masks.length }
}

type Rect = readonly [number, number, number, number]

function parseRect(rect: unknown): Rect | null {
  const values: readonly unknown[] = Array.isArray(rect)
    ? rect
    : isObject(rect)
      ? [rect['x'], rect['y'], rect['width'] ?? rect['w'], rect['height'] ?? rect['h']]
      : []
  const [x, y, width, height, ...more] = values
  return more.length === 0 && isSize(x) && isSize(y) && isSize(width) && isSize(height) ? [x, y, width, height] : null
}

const isSize = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value < 1e6

function toFractions([x, y, width, height]: Rect, image: { readonly width: number; readonly height: number }): Rect {
  if (image.width <= 0 || image.height <= 0) return [0, 0, 0, 0]
  return [x / image.width, y / image.height, width / image.width, height / image.height]
}
