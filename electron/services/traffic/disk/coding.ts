import zlib from 'node:zlib'

/** How a part of a body is stored. */
const PLAIN = 0
const ZSTD = 1
const DEFLATE = 2

/** Not in every runtime (Node 22.15, Electron 36). */
const zstd = typeof zlib.zstdCompressSync === 'function'
const level = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } }

/** Bytes that gain little are stored as they are: pictures are compressed already. */
const WORTH = 0.9
const SMALLEST = 64

export interface Coded {
  readonly coding: number
  readonly bytes: Uint8Array
}

export function encode(bytes: Uint8Array): Coded {
  if (bytes.byteLength < SMALLEST) return { coding: PLAIN, bytes }
  const packed = zstd ? zlib.zstdCompressSync(bytes, level) : zlib.deflateRawSync(bytes, { level: 1 })
  if (packed.byteLength > bytes.byteLength * WORTH) return { coding: PLAIN, bytes }
  return { coding: zstd ? ZSTD : DEFLATE, bytes: packed }
}

/** Throws for a coding that this runtime lacks: another one wrote it. */
export function decode({ coding, bytes }: Coded): Uint8Array {
  if (coding === ZSTD) return zlib.zstdDecompressSync(bytes)
  return coding === DEFLATE ? zlib.inflateRawSync(bytes) : bytes
}
