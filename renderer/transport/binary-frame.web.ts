const HEADER_LENGTH_BYTES = 4
/** Larger ones are read chunk by chunk; for others the browser's own way is faster. */
const MIN_STREAMED_BYTES = 4 * 1024 * 1024

/** Four bytes with the length of the header, the header as JSON, and the bytes. */
interface BinaryFrame {
  readonly header: Uint8Array
  readonly bytes: ArrayBuffer
}

/**
 * Reads a frame chunk by chunk as it arrives, because assembling a response of many megabytes in
 * the browser blocks the page.
 * @param minStreamedBytes smaller only in tests
 * @throws TypeError if the response ends early, as `fetch` does
 */
export async function readBinaryFrame(response: Response, minStreamedBytes = MIN_STREAMED_BYTES): Promise<BinaryFrame> {
  const total = Number(response.headers.get('content-length') ?? NaN)
  if (!response.body || !Number.isSafeInteger(total) || total < minStreamedBytes) {
    return parseFrame(new Uint8Array(await response.arrayBuffer()))
  }
  const reader = response.body.getReader()
  let beginning = new Uint8Array(0)
  let frame: { head: Uint8Array; body: Uint8Array<ArrayBuffer> } | null = null
  let filled = 0
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    let chunk = read.value
    if (!frame) {
      beginning = joinBytes(beginning, chunk)
      const length = readHeaderLength(beginning)
      if (length === null || beginning.length < HEADER_LENGTH_BYTES + length) continue
      const start = HEADER_LENGTH_BYTES + length
      frame = { head: beginning.slice(HEADER_LENGTH_BYTES, start), body: new Uint8Array(Math.max(0, total - start)) }
      chunk = beginning.subarray(start)
    }
    if (filled + chunk.length > frame.body.length) throw new TypeError('the answer is longer than it says')
    frame.body.set(chunk, filled)
    filled += chunk.length
  }
  if (!frame || filled < frame.body.length) throw new TypeError('the answer ends early')
  return { header: frame.head, bytes: frame.body.buffer }
}

function parseFrame(bytes: Uint8Array<ArrayBuffer>): BinaryFrame {
  const length = readHeaderLength(bytes)
  if (length === null || bytes.length < HEADER_LENGTH_BYTES + length) throw new TypeError('the answer ends early')
  const start = HEADER_LENGTH_BYTES + length
  return { header: bytes.subarray(HEADER_LENGTH_BYTES, start), bytes: bytes.slice(start).buffer }
}

const readHeaderLength = (beginning: Uint8Array): number | null =>
  beginning.length < HEADER_LENGTH_BYTES ? null : new DataView(beginning.buffer, beginning.byteOffset).getUint32(0)

function joinBytes(left: Uint8Array, right: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(left.length + right.length)
  all.set(left)
  all.set(right, left.length)
  return all
}
