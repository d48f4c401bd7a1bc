export type BodyKind = 'json' | 'text' | 'picture' | 'bytes'

const pictures: readonly (readonly [type: string, beginning: readonly number[]])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  ['image/webp', [0x52, 0x49, 0x46, 0x46]],
]

/** A picture that a browser can draw, by its first bytes; null otherwise, as for SVG. */
export function detectPictureType(bytes: Uint8Array): string | null {
  const picture = pictures.find(([, beginning]) => beginning.every((byte, index) => bytes[index] === byte))
  if (picture?.[0] === 'image/webp' && String.fromCharCode(...bytes.subarray(8, 12)) !== 'WEBP') return null
  return picture?.[0] ?? null
}

/** The bytes decide; the declared type only tells text from JSON. */
export function detectBodyKind(bytes: Uint8Array, mediaType: string): BodyKind {
  if (detectPictureType(bytes)) return 'picture'
  const first = bytes.subarray(0, 4096)
  if (!looksLikeText(first)) return 'bytes'
  const begins = /^\uFEFF?\s*([[{"\d-]|true|false|null)/.test(new TextDecoder().decode(first.subarray(0, 200)))
  return /\bjson\b/i.test(mediaType) || (begins && !/^text\//i.test(mediaType)) ? 'json' : 'text'
}

/** Valid UTF-8 without control characters; the prefix may end within a character. */
function looksLikeText(bytes: Uint8Array): boolean {
  if (bytes.some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27))) return false
  const text = new TextDecoder().decode(bytes, { stream: true })
  return !text.includes('\uFFFD')
}
