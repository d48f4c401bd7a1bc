import type { ContentFacts } from '../../../shared/ipc/content.ts'

/** Bytes of a picture that does not say its size; the service process looks for it in as many. */
const LOOKED_THROUGH = 1024 * 1024

/**
 * Whether a picture is drawn only when a person asks for it: `large` = it has more megapixels than the budget, `unknown` = it is long
 * and its size cannot be told without drawing it. Null where it may be drawn, and for all that is no picture of pixels.
 */
export function overBudget(
  { kind, mediaType, width, height, byteLength }: ContentFacts,
  megapixels: number,
): 'large' | 'unknown' | null {
  if (kind !== 'image' || mediaType === 'image/svg+xml') return null
  if (width !== null && height !== null) return width * height > megapixels * 1e6 ? 'large' : null
  return byteLength === null || byteLength > LOOKED_THROUGH ? 'unknown' : null
}
