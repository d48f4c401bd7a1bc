import type { RedactionPolicy } from '../../../shared/recordings/recording.ts'

/** Bytes at the beginning of a body from which its kind is detected. */
export const BODY_START_BYTES = 4_096

/**
 * Treatments of a body. `keep`: only known tokens are masked. `json`, `form` and `text` are
 * rewritten, a picture may become `grey`, and what cannot be redacted is dropped.
 */
export type BodyTreatment = 'keep' | 'json' | 'form' | 'text' | 'keepPicture' | 'grey' | 'dropPicture' | 'drop'

export interface BodyFacts {
  /** As declared, with its parameters; empty if none was declared. */
  readonly mediaType: string
  /** The first bytes, at most `BODY_START_BYTES`. */
  readonly start: Uint8Array
  /** The bytes are a range of a whole that was asked for by range. */
  readonly isRange: boolean
  /** The picture shows text, as that of a whole card or of the screen does. */
  readonly showsText: boolean
}

/** First bytes of pictures that hold no text besides their metadata. */
const pictureTypes: readonly (readonly [start: RegExp, type: string])[] = [
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^BM[^]{4}\0\0\0\0/, 'image/bmp'],
  [/^[^]{4}ftyp(?:avif|avis|heic|mif1)/, 'image/avif'],
  [/^\0\0\x01\0/, 'image/x-icon'],
  [/^(?:\xff\x0a|\0\0\0\x0cJXL )/, 'image/jxl'],
]

/** Returns the media type of a picture by its first bytes; null if it is none. */
export function findPictureType(start: Uint8Array): string | null {
  const text = toLatin1(start.subarray(0, 16))
  return pictureTypes.find(([pattern]) => pattern.test(text))?.[1] ?? null
}

/** Decides by what the bytes are, and only then by what they are declared to be. */
export function chooseBodyTreatment(facts: BodyFacts, { texts, ids, pictures }: RedactionPolicy): BodyTreatment {
  const start = toLatin1(facts.start)
  if (findPictureType(facts.start) !== null) {
    if (pictures === 'drop') return 'dropPicture'
    const mayStay = pictures === 'keep' && (texts === 'keep' || !facts.showsText)
    if (mayStay) return 'keepPicture'
    return facts.isRange ? 'dropPicture' : 'grey'
  }
  const kind = findTextKind(facts.mediaType, start)
  if (texts === 'keep') {
    if (kind === 'picture') return pictures === 'keep' ? 'keep' : 'dropPicture'
    // Members and parameters may have credentials.
    return kind === 'json' || kind === 'form' || (ids === 'map' && kind !== 'other') ? kind : 'keep'
  }
  if (kind === 'picture') return 'dropPicture'
  // A range could not be matched with the whole, whose length may change.
  return kind === 'other' || facts.isRange ? 'drop' : kind
}

function findTextKind(mediaType: string, start: string): 'json' | 'form' | 'text' | 'picture' | 'other' {
  const essence = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (/^%PDF-|^ID3|^OggS|^PK\x03\x04|^RIFF|^.{4}ftyp/.test(start)) return 'other'
  if (/^image\//.test(essence) && !/svg/.test(essence)) return 'picture'
  if (/json/.test(essence)) return 'json'
  if (/^(?:audio|video|font)\/|pdf|zip|octet-stream|multipart\//.test(essence))
    return looksLikeJson(start) ? 'json' : 'other'
  if (/svg/.test(essence)) return 'picture'
  if (looksLikeJson(start)) return 'json'
  if (/x-www-form-urlencoded/.test(essence)) return 'form'
  return /^text\/|xml|javascript|markdown/.test(essence) || !/[\0-\x08\x0e-\x1a\x7f]/.test(start) ? 'text' : 'other'
}

const looksLikeJson = (start: string): boolean =>
  /^(?:\xef\xbb\xbf)?\s*(?:\{\s*["}]|\[\s*(?:["[{\]\d-]|true|false|null))/.test(start)

const toLatin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', 0, BODY_START_BYTES)
