export const HEX_LINE_BYTES = 16

/** Lines of address, hexadecimal bytes and ASCII; `offset` is the first byte's address. */
export function formatHexDump(bytes: Uint8Array, offset = 0): string {
  const lines: string[] = []
  for (let start = 0; start < bytes.length; start += HEX_LINE_BYTES) {
    const row = [...bytes.subarray(start, start + HEX_LINE_BYTES)]
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = row.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '·')).join('')
    lines.push(`${(offset + start).toString(16).padStart(8, '0')}  ${hex.padEnd(HEX_LINE_BYTES * 3 - 1)}  ${text}`)
  }
  return lines.join('\n')
}
