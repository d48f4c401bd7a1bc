/** The bytes of each character that a charset writes with one or two bytes. */
const tables = new Map<string, ReadonlyMap<string, Buffer>>()

function createTable(charset: string): ReadonlyMap<string, Buffer> {
  const decoder = new TextDecoder(charset)
  const table = new Map<string, Buffer>()
  const add = (...bytes: number[]): void => {
    const character = decoder.decode(Uint8Array.from(bytes))
    if ([...character].length === 1 && character !== '\ufffd' && !table.has(character))
      table.set(character, Buffer.from(bytes))
  }
  for (let byte = 0; byte < 256; byte += 1) add(byte)
  for (let lead = 0x81; lead <= 0xfe; lead += 1) for (let trail = 0x40; trail <= 0xfe; trail += 1) add(lead, trail)
  return table
}

/** Encodes a text; characters that the charset does not have become "?", as browsers write them. */
export function encodeText(text: string, charset: 'gb18030' | 'shift_jis'): Buffer {
  const table = tables.get(charset) ?? createTable(charset)
  tables.set(charset, table)
  return Buffer.concat([...text].map((character) => table.get(character) ?? Buffer.from('?')))
}
