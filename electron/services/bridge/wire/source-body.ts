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
  /** Called when the host is ready for a body that the caller holds back. */
  readonly onContinue?: (() => void) | undefined
  /** When bytes last moved towards the host, on the clock of `performance.now()`. */
  readonly getLastMoveMs: () => number
  readonly onMoved: () => void
}

/**
 * Sends the body of another program at the pace of the slower side. If the caller breaks off, the
 * request is destroyed, because a host must not take half a body for a whole one. If the host
 * responds and closes first, the rest stays unread, and the owner of the caller's connection
 * decides what to do with that rest.
 */
export function sendSourceBody(clientRequest: ClientRequest, source: SourceBody, onProgress: () => void): void {
  const { stream, onPiece, onContinue, onMoved } = source
  const reportProgress = (): void => {
    onMoved()
    onProgress()
  }
  const onData = (bytes: Buffer): void => {
    onPiece(bytes)
    reportProgress()
    if (!clientRequest.write(bytes, reportProgress)) stream.pause()
  }
  const onDrain = (): void => void stream.resume()
  const onEnd = (): void => void clientRequest.end()
  const onClose = (): void => {
    if (!stream.readableEnded) clientRequest.destroy(createCancelledError())
  }
  clientRequest.on('continue', () => {
    reportProgress()
    onContinue?.()
  })
  clientRequest.on('drain', onDrain)
  clientRequest.once('close', () => {
    stream.off('data', onData)
    stream.off('end', onEnd)
    stream.off('close', onClose)
    stream.pause()
  })
  // A caller that expects `100-continue` waits for a response to the head.
  clientRequest.flushHeaders()
  if (stream.destroyed) return onClose()
  stream.on('error', onClose)
  stream.once('close', onClose)
  stream.once('end', onEnd)
  stream.on('data', onData)
}

/**
 * Sends a file as the body, at the pace of the connection. A file that cannot be read ends the
 * request; a response that arrives first ends the reading.
 * @param onProgress Called with each piece, because a host that takes bytes is not silent.
 */
export function sendFileBody(clientRequest: ClientRequest, { path, onSent }: FileBody, onProgress: () => void): void {
  let sentBytes = 0
  const counter = new Transform({
    transform(piece: Buffer, _, done) {
      sentBytes += piece.byteLength
      onProgress()
      onSent?.(sentBytes)
      done(null, piece)
    },
  })
  const source = createReadStream(path)
  clientRequest.once('response', () => source.destroy())
  pipeline(source, counter, clientRequest, (error) => {
    if (error && !clientRequest.destroyed) clientRequest.destroy(error)
  })
}
