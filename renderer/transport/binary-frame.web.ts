const HEADER_LENGTH_BYTES = 4
/** Answers at least this large are read piece by piece; for smaller ones the browser is faster. */
const MIN_STREAMED_BYTES = 4 * 1024 * 1024

/** A binary answer: four bytes with the length of its head, the head (JSON), then the bytes themselves. */
interface BinaryFrame {
  readonly header: Uint8Array
  readonly bytes: ArrayBuffer
}

/**
 * Reads a frame piece by piece as it arrives: left to the browser, assembling an answer of many megabytes blocks the page. Throws a
 * TypeError if it ends early, as `fetch` does. `large` is for tests.
 */
export async function readBinaryFrame(response: Response, large = MIN_STREAMED_BYTES): Promise<BinaryFrame> {
  const total = Number(response.headers.get('content-length') ?? NaN)
  if (!response.body || !Number.isSafeInteger(total) || total < large) {
    return frameIn(new Uint8Array(await response.arrayBuffer()))
  }
  const reader = response.body.getReader()
  let begun = new Uint8Array(0)
  let frame: { head: Uint8Array; body: Uint8Array<ArrayBuffer> } | null = null
  let filled = 0
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    let piece = read.value
    if (!frame) {
      begun = joined(begun, piece)
      const length = headLength(begun)
      if (length === null || begun.length < HEADER_LENGTH_BYTES + length) continue
      const start = HEADER_LENGTH_BYTES + length
      frame = { head: begun.slice(HEADER_LENGTH_BYTES, start), body: new Uint8Array(Math.max(0, total - start)) }
      piece = begun.subarray(start)
    }
    if (filled + piece.length > frame.body.length) throw new TypeError('the answer is longer than it says')
    frame.body.set(piece, filled)
    filled += piece.length
  }
  if (!frame || filled < frame.body.length) throw new TypeError('the answer ends early')
  return { header: frame.head, bytes: frame.body.buffer }
}

function frameIn(whole: Uint8Array<ArrayBuffer>): BinaryFrame {
  const length = headLength(whole)
  if (length === null || whole.length < HEADER_LENGTH_BYTES + length) throw new TypeError('the answer ends early')
  const start = HEADER_LENGTH_BYTES + length
  return { header: whole.subarray(HEADER_LENGTH_BYTES, start), bytes: whole.slice(start).buffer }
}

const headLength = (begun: Uint8Array): number | null =>
  begun.length < HEADER_LENGTH_BYTES ? null : new DataView(begun.buffer, begun.byteOffset).getUint32(0)

function joined(left: Uint8Array, right: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(left.length + right.length)
  both.set(left)
  both.set(right, left.length)
  return both
}
