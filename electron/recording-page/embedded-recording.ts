// Opens the recording that a page holds (recording-file/page-writer.ts), with what a browser has:
// DecompressionStream and Web Crypto. The code that reads and checks it is that of files.

import type { Sum } from '../core/recordings/seal.ts'
import { readRecording, type RecordingReader } from '../recording-file/recording-reader.ts'
import { getDataOffset, readZip, type ZipPlatform } from '../recording-file/zip-reader.ts'
import { LOCAL_HEADER_BYTES, type ZipEntry } from '../recording-file/zip-records.ts'
import { PageBuffer } from './page-buffer.ts'

/** Makes `Buffer` known to the code that is shared with Node.js. Does nothing in Node.js. */
export function installPageBuffer(): void {
  const scope = globalThis as { Buffer?: unknown }
  scope.Buffer ??= Object.assign(PageBuffer, { from: PageBuffer.fromText })
}

/** @throws what `readRecording` throws, and RECORDING_TRUNCATED */
export async function openEmbeddedRecording(bytes: Uint8Array<ArrayBuffer>): Promise<RecordingReader> {
  return readRecording(await readZip(createPlatform(bytes)))
}

/** False in a browser without Ed25519, where no signature may be called invalid. */
export async function canCheckSignatures(): Promise<boolean> {
  try {
    await crypto.subtle.generateKey('Ed25519', false, ['verify', 'sign'])
    return true
  } catch {
    return false
  }
}

function createPlatform(bytes: Uint8Array<ArrayBuffer>): ZipPlatform {
  return {
    fileBytes: bytes.length,
    source: {
      read(buffer, offset, length, position) {
        const part = bytes.subarray(position, position + length)
        buffer.set(part, offset)
        return Promise.resolve({ bytesRead: part.length })
      },
    },
    decode: (entry, changeEnd) => decode(bytes, entry, changeEnd),
    addToCrc,
    createSum,
    close: () => Promise.resolve(),
  }
}

async function* decode(
  bytes: Uint8Array<ArrayBuffer>,
  entry: ZipEntry,
  changeEnd?: (last: Buffer) => void,
): AsyncGenerator<Buffer> {
  const header = toBuffer(bytes.subarray(entry.headerOffset, entry.headerOffset + LOCAL_HEADER_BYTES))
  const start = entry.headerOffset + getDataOffset(header, header.length, entry)
  if (entry.compressedSize === 0) return
  const data = toBuffer(bytes.slice(start, start + entry.compressedSize))
  changeEnd?.(data)
  if (!entry.isDeflated) {
    yield data
    return
  }
  // The stream fails for bytes after the end, and for an end that is missing.
  const { readable, writable } = new DecompressionStream('deflate-raw')
  const writer = writable.getWriter()
  // The reader gets the error. A blob as the source would take a trip to another process.
  for (const step of [writer.write(data), writer.close()]) step.catch(() => undefined)
  const reader = readable.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield toBuffer(next.value)
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** A view of the same bytes, of the class that stands for `Buffer` here. */
const toBuffer = (bytes: Uint8Array<ArrayBuffer>): Buffer<ArrayBuffer> =>
  new PageBuffer(bytes.buffer, bytes.byteOffset, bytes.length) as unknown as Buffer<ArrayBuffer>

/** Web Crypto hashes only what is there as a whole. */
function createSum(): Sum {
  const parts: Uint8Array[] = []
  return {
    // A chunk may be used again by who passed it.
    update: (bytes) => parts.push(bytes.slice()),
    async digest() {
      const bytes = PageBuffer.concat(parts) as Uint8Array<ArrayBuffer>
      return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    },
  }
}

const CRC_POLYNOMIAL = 0xedb88320
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ CRC_POLYNOMIAL : crc >>> 1
  return crc
})

/** CRC-32, which no browser has as a function. */
function addToCrc(bytes: Uint8Array, sum: number): number {
  let crc = ~sum
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8)
  return ~crc >>> 0
}
