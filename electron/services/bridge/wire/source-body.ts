import type { ClientRequest } from 'node:http'
import { type Readable, pipeline, Transform } from 'node:stream'
import { createReadStream } from 'node:fs'
import { createCancelledError } from '../../../../shared/errors.ts'
import type { FileBody } from '../types.ts'

/** A body that another program is sending, passed on as it arrives. */
export interface SourceBody {
  readonly stream: Readable
  /** Called with each piece before it is passed on. */
  readonly onPiece: (piece: Buffer) => void
  /** The host is ready for a body that the caller holds back. */
  readonly onContinue?: (() => void) | undefined
  /** When bytes last moved towards the host, on the clock of `performance.now()`. */
  readonly getLastMoveMs: () => number
  readonly onMoved: () => void
}

/**
 * Sends such a body at the pace of the slower side. If the caller breaks off, so does the request: a host must not take half a body for a
 * whole one. If the host answers first and closes, the rest is left unread; whoever holds the caller's connection decides about it.
 */
export function sendSourceBody(sent: ClientRequest, source: SourceBody, moved: () => void): void {
  const { stream, onPiece, onContinue, onMoved } = source
  const progress = (): void => {
    onMoved()
    moved()
  }
  const piece = (bytes: Buffer): void => {
    onPiece(bytes)
    progress()
    if (!sent.write(bytes, progress)) stream.pause()
  }
  const drained = (): void => void stream.resume()
  const whole = (): void => void sent.end()
  const broken = (): void => {
    if (!stream.readableEnded) sent.destroy(createCancelledError())
  }
  sent.on('continue', () => {
    progress()
    onContinue?.()
  })
  sent.on('drain', drained)
  sent.once('close', () => {
    stream.off('data', piece)
    stream.off('end', whole)
    stream.off('close', broken)
    stream.pause()
  })
  // A caller that expects `100-continue` waits for an answer to the head.
  sent.flushHeaders()
  if (stream.destroyed) return broken()
  stream.on('error', broken)
  stream.once('close', broken)
  stream.once('end', whole)
  stream.on('data', piece)
}

/**
 * Sends a file as the body of a request, at the pace of the connection. `moved` is told of each piece: a host that takes bytes is not silent.
 * A file that cannot be read ends the request; an answer that comes first ends the reading.
 */
export function sendFileBody(sent: ClientRequest, { path, onSent }: FileBody, moved: () => void): void {
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
