import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { respondAndClose } from './responses.ts'

/** A request of Node's server as a web request; null for a method that one cannot have. Its signal is aborted when the client leaves. */
export function toWebRequest(request: IncomingMessage, response: ServerResponse): Request | null {
  const left = new AbortController()
  response.once('close', () => response.writableFinished || left.abort())
  const { method = 'GET', headers, rawHeaders } = request
  const sent = new Headers()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) sent.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  const body = hasBody && method !== 'GET' && method !== 'HEAD' ? Readable.toWeb(request) : undefined
  try {
    return new Request(`http://${String(headers.host)}${request.url ?? '/'}`, {
      method,
      headers: sent,
      signal: left.signal,
      ...(body ? { body: body as ReadableStream<Uint8Array<ArrayBuffer>>, duplex: 'half' } : {}),
    })
  } catch {
    return null
  }
}

/** Sends a web response. A response of type `error` ends the connection without an answer. */
export async function sendWebResponse(
  answer: Response,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (answer.type === 'error') return void request.socket.destroy()
  for (const [name, value] of answer.headers) response.setHeader(name, value)
  if (!request.complete && answer.status >= 400) {
    // The rest of a large request is not read.
    const type = answer.headers.get('content-type') ?? 'text/plain; charset=utf-8'
    return respondAndClose(request, response, answer.status, type, await readFirstBytes(answer))
  }
  response.writeHead(answer.status)
  if (answer.body === null) return void response.end()
  const body = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0])
  await pipeline(body, response)
}

/** A reason that is sent whole is no longer than this. */
const MAX_REASON_BYTES = 64 * 1024

async function readFirstBytes({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body ?? []) {
    pieces.push(piece)
    size += piece.byteLength
    if (size >= MAX_REASON_BYTES) break
  }
  return Buffer.concat(pieces).toString('utf8', 0, MAX_REASON_BYTES)
}
