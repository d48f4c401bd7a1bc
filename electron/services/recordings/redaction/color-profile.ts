const HEADER_BYTES = 128
const [SIGNATURE_OFFSET, SIGNATURE] = [36, 'acsp']
/** Fields that name program, date, device and maker, and the checksum, which may be 0. */
const MAKER_FIELDS: readonly (readonly [start: number, end: number])[] = [
  [4, 8],
  [24, 36],
  [40, 44],
  [48, 64],
  [80, 100],
]
const TAG_BYTES = 12
const MAX_TAGS = 200
const COLOR_TAGS = /^(?:[rgbk](?:XYZ|TRC)|wtpt|bkpt|lumi|chad|chrm|cicp|gamt|[ABD]2[ABD][0-3])$/
const COLOR_TYPES: ReadonlySet<string> = new Set([
  'XYZ ',
  'curv',
  'para',
  'sf32',
  'mft1',
  'mft2',
  'mAB ',
  'mBA ',
  'mpet',
  'chrm',
  'cicp',
])

/**
 * Blanks the texts of an ICC profile (its description, its rights, the serial number of a screen)
 * and keeps what decides the colors, all at its place. What is no profile has no colors, and stays.
 */
export function blankProfileTexts(profile: Buffer): Buffer {
  if (profile.toString('latin1', SIGNATURE_OFFSET, SIGNATURE_OFFSET + 4) !== SIGNATURE) return profile
  if (profile.length < HEADER_BYTES + 4) return profile
  const count = Math.min(profile.readUInt32BE(HEADER_BYTES), MAX_TAGS)
  const tableEnd = HEADER_BYTES + 4 + count * TAG_BYTES
  const blanked = Buffer.alloc(profile.length)
  profile.copy(blanked, 0, 0, tableEnd)
  for (const [start, end] of MAKER_FIELDS) blanked.fill(0, start, end)
  for (let entry = HEADER_BYTES + 4; entry + TAG_BYTES <= Math.min(tableEnd, profile.length); entry += TAG_BYTES) {
    const [start, bytes] = [profile.readUInt32BE(entry + 4), profile.readUInt32BE(entry + 8)]
    const isColor =
      COLOR_TAGS.test(profile.toString('latin1', entry, entry + 4)) &&
      COLOR_TYPES.has(profile.toString('latin1', start, start + 4))
    // The type of a text that is empty now.
    profile.copy(blanked, start, start, isColor ? start + bytes : start + 4)
  }
  return blanked
}
