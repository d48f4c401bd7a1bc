import type { IncomingMessage, ServerResponse } from 'node:http'

/** What is still taken of a request that is refused: enough for one that was sent by accident to be at its end. */
const SMALL = 64 * 1024
/** How long whoever sends more has to hear why. */
const LINGER_MS = 1_000

/**
 * Gives a request its last answer and closes the connection. What the request still carries is not read on. The answer is sent whole
 * at once; the connection is closed when the request is at its end or after a second: closed at once with bytes unread, it
 * would be reset, and the answer lost on its way.
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
