/** Bytes in one line of a dump. */
export const HEX_LINE_BYTES = 16

/** A dump of `bytes`, the first of which is at `offset`: address, bytes in hex, and what of them is printable ASCII. */
export function formatHexDump(bytes: Uint8Array, offset = 0): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += HEX_LINE_BYTES) {
    const row = [...bytes.subarray(at, at + HEX_LINE_BYTES)]
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = row.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '·')).join('')
    lines.push(`${(offset + at).toString(16).padStart(8, '0')}  ${hex.padEnd(HEX_LINE_BYTES * 3 - 1)}  ${text}`)
  }
  return lines.join('\n')
}
