/** Printable ASCII stays, and anything else becomes a dot. */
export function formatFirstBytes(bytes: Uint8Array, max = 120): string {
  let text = ''
  for (const byte of bytes.subarray(0, max)) text += byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.'
  return bytes.length > max ? `${text}…` : text
}
