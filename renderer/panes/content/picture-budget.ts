import type { ContentFacts } from '../../../shared/ipc/content.ts'

/** The service process searches as many bytes for the dimensions of a picture. */
const MAX_SEARCHED_BYTES = 1024 * 1024

/**
 * Returns why a picture is drawn only on request. `large`: more megapixels than the setting allows.
 * `unknown`: a large file whose dimensions are not known before it is drawn. Null if it may be
 * drawn, and for any content that is not a raster image.
 */
export function checkPictureBudget(
  { kind, mediaType, width, height, byteLength }: ContentFacts,
  megapixels: number,
): 'large' | 'unknown' | null {
  if (kind !== 'image' || mediaType === 'image/svg+xml') return null
  if (width !== null && height !== null) return width * height > megapixels * 1e6 ? 'large' : null
  return byteLength === null || byteLength > MAX_SEARCHED_BYTES ? 'unknown' : null
}
