import type { ContentFacts } from '../../../shared/ipc/content.ts'

/**
 * The dimensions of a picture are searched for in its first bytes; the service process searches as
 * many.
 */
const MAX_SEARCHED_BYTES = 1024 * 1024

/**
 * Tells why a picture is drawn only on request: `large` = more megapixels than the budget,
 * `unknown` = a large file whose dimensions are unknown without drawing it. Null if it may be
 * drawn, and for anything that is not a raster image.
 */
export function checkPictureBudget(
  { kind, mediaType, width, height, byteLength }: ContentFacts,
  megapixels: number,
): 'large' | 'unknown' | null {
  if (kind !== 'image' || mediaType === 'image/svg+xml') return null
  if (width !== null && height !== null) return width * height > megapixels * 1e6 ? 'large' : null
  return byteLength === null || byteLength > MAX_SEARCHED_BYTES ? 'unknown' : null
}
