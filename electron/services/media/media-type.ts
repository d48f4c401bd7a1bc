import type { ContentKind } from '../../../shared/ipc/content.ts'

/**
 * The type that a host declares, without parameters and in lower case; empty if it declares none or
 * nothing valid.
 */
export function parseMediaType(contentType: string): string {
  const [type = ''] = contentType.split(';')
  const clean = type.trim().toLowerCase()
  return /^[a-z0-9][a-z0-9!#$&^_.+-]{0,80}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,80}$/.test(clean) ? clean : ''
}

/** The part of the declared type that is shown, on one line. */
export const formatMediaType = (contentType: string): string =>
  contentType
    .replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]/g, ' ')
    .trim()
    .slice(0, 200)

/** Names for the same type, one type per line; the first name is the one that is sent. */
const families = [
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

/** Whether two names may stand for the same bytes. */
const related = (one: string, other: string): boolean =>
  one === other || families.some((family) => family.includes(one) && family.includes(other))

/** Images that a browser shows without running anything. */
const rasters = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/bmp',
  'image/x-icon',
  'image/avif',
  // Not supported by every browser yet: the page says so where it is not drawn.
  'image/jxl',
]

/**
 * Kind and sent type for what magic numbers found; anything but pictures, sound, film and PDF is
 * sent as plain bytes.
 */
export function toSentMediaType(found: string): { kind: ContentKind; mediaType: string } {
  const isFirst = families.some(([first]) => first === found)
  const mediaType = isFirst ? found : (families.find((family) => family.includes(found))?.[0] ?? found)
  if (rasters.includes(mediaType)) return { kind: 'image', mediaType }
  if (mediaType === 'application/pdf') return { kind: 'pdf', mediaType }
  if (/^audio\/[\w.+-]+$/.test(mediaType)) return { kind: 'audio', mediaType }
  if (/^video\/[\w.+-]+$/.test(mediaType)) return { kind: 'video', mediaType }
  return { kind: 'binary', mediaType: 'application/octet-stream' }
}

/** Types that say nothing about the bytes, so they cannot be wrong about them. */
const generic = ['', 'application/octet-stream', 'binary/octet-stream', 'application/binary', 'application/x-binary']

/** What the bytes turned out to be, for comparison with the declared type. */
interface SniffedType {
  readonly kind: ContentKind
  /** By magic number; empty for text and for unknown bytes. */
  readonly type: string
  readonly markup: 'svg' | 'html' | null
}

/**
 * Whether the host declared a type that the bytes do not have. The declared type is not trusted
 * either way.
 */
export function isTypeMismatch(declared: string, { kind, type, markup }: SniffedType): boolean {
  if (generic.includes(declared)) return false
  if (markup === 'svg') return declared !== 'image/svg+xml'
  if (markup === 'html') return declared !== 'text/html' && declared !== 'application/xhtml+xml'
  if (kind === 'text') return !isText(declared)
  // The bytes are unknown, so a declared text, picture, sound, film or PDF does not match; only a
  // name that claims nothing does.
  if (type === '')
    return isText(declared) || /^(?:text|image|audio|video)\//.test(declared) || declared === 'application/pdf'
  return !related(declared, type) && !(kind === 'binary' && declared.startsWith('application/'))
}

const isText = (declared: string): boolean =>
  (declared.startsWith('text/') && declared !== 'text/html') ||
  /^application\/(?:(?:[\w.-]+\+)?(?:json|xml)|javascript|x-yaml|yaml|x-ndjson|toml|sql)$/.test(declared)
