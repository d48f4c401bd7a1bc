/**
 * Creates the content of a Windows icon file with the pictures of up to 256 pixels.
 *
 * @param pictures maps a width in pixels to a PNG.
 */
export function createIco(pictures) {
  const entries = [...pictures].filter(([size]) => size <= 256)
  const head = Buffer.alloc(6 + 16 * entries.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(entries.length, 4)
  let offset = head.length
  for (const [index, [size, png]] of entries.entries()) {
    const entry = 6 + 16 * index
    // The byte 0 stands for 256.
    head.writeUInt8(size % 256, entry)
    head.writeUInt8(size % 256, entry + 1)
    head.writeUInt16LE(1, entry + 4)
    head.writeUInt16LE(32, entry + 6)
    head.writeUInt32LE(png.length, entry + 8)
    head.writeUInt32LE(offset, entry + 12)
    offset += png.length
  }
  return Buffer.concat([head, ...entries.map(([, png]) => png)])
}

/**
 * For each width, macOS looks for pictures of these types; some are for screens with double
 * resolution.
 */
const icnsTypes = {
  16: ['icp4'],
  32: ['icp5', 'ic11'],
  64: ['icp6', 'ic12'],
  128: ['ic07'],
  256: ['ic08', 'ic13'],
  512: ['ic09', 'ic14'],
  1024: ['ic10'],
}

/**
 * Creates the content of a macOS icon file.
 *
 * @param pictures maps a width in pixels to a PNG.
 */
export function createIcns(pictures) {
  const parts = []
  for (const [size, png] of pictures) {
    for (const type of icnsTypes[size] ?? []) parts.push(encodeChunk(type, png))
  }
  return encodeChunk('icns', Buffer.concat(parts))
}

function encodeChunk(type, bytes) {
  const head = Buffer.alloc(8)
  head.write(type, 0, 'latin1')
  head.writeUInt32BE(bytes.length + 8, 4)
  return Buffer.concat([head, bytes])
}
