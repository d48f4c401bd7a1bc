import { Readable } from 'node:stream'

/**
 * Reads a body up to a limit. If the body is longer or breaks off, returns a stream with the same
 * content, which breaks off at the same place.
 */
export async function readBoundedBody(body: Readable, maxBytes: number): Promise<Buffer | Readable> {
  const pieces: Buffer[] = []
  let size = 0
  const iterator = body.iterator({ destroyOnReturn: false })
  try {
    for await (const piece of iterator) {
      // The buffer of a piece may be used again.
      pieces.push(Buffer.from(piece as Uint8Array))
      size += (piece as Uint8Array).byteLength
      if (size > maxBytes) return joinStream(pieces, body, null)
    }
  } catch (error) {
    return joinStream(pieces, null, error)
  }
  return Buffer.concat(pieces)
}

function joinStream(pieces: readonly Buffer[], rest: Readable | null, error: unknown): Readable {
  async function* read(): AsyncGenerator<Buffer> {
    yield* pieces
    if (rest === null) throw error
    yield* rest as AsyncIterable<Buffer>
  }
  const stream = Readable.from(read(), { objectMode: false })
  if (rest) stream.once('close', () => rest.destroy())
  return stream
}
