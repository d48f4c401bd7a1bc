import { createReadStream } from 'node:fs'
import type { ClientRequest } from 'node:http'
import { pipeline, Transform } from 'node:stream'
import type { FileBody } from '../types.ts'

/**
 * Sends a file as the body of a request, at the pace of the connection. `moved` is told of each piece: a host that takes bytes is not silent.
 * A file that cannot be read ends the request; an answer that comes first ends the reading.
 */
export function sendFile(sent: ClientRequest, { path, onSent }: FileBody, moved: () => void): void {
  let total = 0
  const counted = new Transform({
    transform(piece: Buffer, _, done) {
      total += piece.byteLength
      moved()
      onSent?.(total)
      done(null, piece)
    },
  })
  const source = createReadStream(path)
  sent.once('response', () => source.destroy())
  pipeline(source, counted, sent, (error) => {
    if (error && !sent.destroyed) sent.destroy(error)
  })
}
