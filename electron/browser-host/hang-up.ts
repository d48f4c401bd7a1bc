import type { IncomingMessage, ServerResponse } from 'node:http'

/** How much of a refused request is still read: enough for an accidental one to finish. */
const SMALL = 64 * 1024
/** How long the sender of a larger request has to read the reason. */
const LINGER_MS = 1_000

/**
 * Sends a final response and closes the connection without reading the rest of the request. The response is sent whole at once, but the
 * connection is closed only when the request has ended, or after a second: closing it with unread bytes would reset it and lose the
 * response.
 */
export function answerAndHangUp(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
): void {
  response.setHeader('Connection', 'close')
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) })
  if (request.complete || !hasBody(request)) return void response.end(body)
  response.write(body)
  const timer = setTimeout(() => request.destroy(), LINGER_MS)
  response.once('close', () => clearTimeout(timer))
  let left = SMALL
  request.on('data', (piece: Buffer) => {
    left -= piece.byteLength
    if (left < 0) request.pause()
  })
  request.once('end', () => response.end())
  request.once('error', () => response.destroy())
  request.resume()
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
