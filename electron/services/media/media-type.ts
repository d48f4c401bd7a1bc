import type { ContentKind } from '../../../shared/ipc/content.ts'

/** Returns the type without parameters, in lower case; empty if none or an invalid one came. */
export function parseMediaType(contentType: string): string {
  const [type = ''] = contentType.split(';')
  const normalizedType = type.trim().toLowerCase()
  return /^[a-z0-9][a-z0-9!#$&^_.+-]{0,80}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,80}$/.test(normalizedType) ? normalizedType : ''
}

export function formatMediaType(contentType: string): string {
  return contentType
    .replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]/g, ' ')
    .trim()
    .slice(0, 200)
}

/** Equivalent names of a type, one type per line; the first name is the one that is sent. */
const EQUIVALENT_TYPES = [
  ['image/jpeg', 'image/jpg', 'image/pjpeg'],
  ['image/png', 'image/apng', 'image/x-png', 'image/vnd.mozilla.apng'],
  ['image/bmp', 'image/x-ms-bmp', 'image/x-bmp'],
  ['image/x-icon', 'image/vnd.microsoft.icon'],
  ['image/avif', 'image/avif-sequence'],
  ['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave'],
  ['audio/mpeg', 'audio/mp3', 'audio/x-mp3', 'audio/mpeg3', 'audio/x-mpeg'],
  ['audio/mp4', 'audio/x-m4a', 'audio/m4a', 'audio/aac', 'audio/aacp', 'audio/x-aac'],
  ['audio/ogg', 'audio/opus', 'application/ogg', 'audio/vorbis', 'audio/x-ogg'],
  ['audio/flac', 'audio/x-flac'],
  ['audio/aiff', 'audio/x-aiff'],
  ['video/mp4', 'video/x-m4v', 'video/m4v', 'application/mp4', 'audio/mp4'],
  ['video/quicktime', 'video/mp4'],
  ['video/webm', 'audio/webm', 'video/x-matroska', 'video/matroska', 'audio/x-matroska'],
  ['video/ogg', 'application/ogg', 'audio/ogg'],
  ['application/pdf', 'application/x-pdf'],
  ['application/zip', 'application/x-zip-compressed', 'application/epub+zip', 'application/octet-stream'],
]

/** True if two names may stand for the same bytes. */
const areEquivalent = (type: string, otherType: string): boolean =>
  type === otherType || EQUIVALENT_TYPES.some((family) => family.includes(type) && family.includes(otherType))

/** Images that a browser shows without running anything. */
const RASTER_TYPES = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/bmp',
  'image/x-icon',
  'image/avif',
  // Not every browser supports this type; the page says so where it cannot be drawn.
  'image/jxl',
]

/** Anything but pictures, sound, film and PDF is sent as plain bytes. */
export function toSentMediaType(detectedType: string): { kind: ContentKind; mediaType: string } {
  const isPreferredName = EQUIVALENT_TYPES.some(([first]) => first === detectedType)
  const mediaType = isPreferredName
    ? detectedType
    : (EQUIVALENT_TYPES.find((family) => family.includes(detectedType))?.[0] ?? detectedType)
  if (RASTER_TYPES.includes(mediaType)) return { kind: 'image', mediaType }
  if (mediaType === 'application/pdf') return { kind: 'pdf', mediaType }
  if (/^audio\/[\w.+-]+$/.test(mediaType)) return { kind: 'audio', mediaType }
  if (/^video\/[\w.+-]+$/.test(mediaType)) return { kind: 'video', mediaType }
  return { kind: 'binary', mediaType: 'application/octet-stream' }
}

/** Types that mean any bytes, so they never contradict the detected type. */
const GENERIC_TYPES = [
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/binary',
  'application/x-binary',
]

/** The type that the bytes have, for comparison with the declared type. */
interface SniffedType {
  readonly kind: ContentKind
  /** The type by magic number; empty for text and for unknown bytes. */
  readonly type: string
  readonly markup: 'svg' | 'html' | null
}

/** The bytes do not have the declared type, which is not trusted either way. */
export function isTypeMismatch(declared: string, { kind, type, markup }: SniffedType): boolean {
  if (GENERIC_TYPES.includes(declared)) return false
  if (markup === 'svg') return declared !== 'image/svg+xml'
  if (markup === 'html') return declared !== 'text/html' && declared !== 'application/xhtml+xml'
  if (kind === 'text') return !isTextType(declared)
  // The bytes are unknown, so a declared text, picture, sound, film or PDF does not match.
  if (type === '')
    return isTextType(declared) || /^(?:text|image|audio|video)\//.test(declared) || declared === 'application/pdf'
  return !areEquivalent(declared, type) && !(kind === 'binary' && declared.startsWith('application/'))
}

const isTextType = (declared: string): boolean =>
  (declared.startsWith('text/') && declared !== 'text/html') ||
  /^application\/(?:(?:[\w.-]+\+)?(?:json|xml)|javascript|x-yaml|yaml|x-ndjson|toml|sql)$/.test(declared)
