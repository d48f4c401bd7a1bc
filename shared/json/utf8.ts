export function hasBom(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}

/** Strictly, or leniently with the offset of the first bad byte. Omits a byte order mark. */
export function decodeUtf8(bytes: Uint8Array): { text: string; invalidAt: number | null } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), invalidAt: null }
  } catch {
    return { text: new TextDecoder('utf-8').decode(bytes), invalidAt: findFirstInvalidByte(bytes) }
  }
}

/** Knows malformed characters (Unicode, table 3-7). Call only if there is one. */
function findFirstInvalidByte(bytes: Uint8Array): number {
  let offset = 0
  while (offset < bytes.length) {
    const length = getCharacterLength(bytes, offset)
    if (length === 0) return offset
    offset += length
  }
  return bytes.length
}

function getCharacterLength(bytes: Uint8Array, offset: number): number {
  const lead = bytes[offset] ?? 0
  if (lead < 0x80) return 1
  const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0
  if (length === 0) return 0
  const second = bytes[offset + 1] ?? 0
  // No overlong forms, no surrogates, nothing beyond U+10FFFF.
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  if (second < low || second > high) return 0
  for (let next = offset + 2; next < offset + length; next += 1) {
    if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0
  }
  return length
}
