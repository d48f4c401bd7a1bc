import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { respondAndClose } from './responses.ts'

/**
 * Converts a request of Node's server to a web request whose signal is aborted when the client
 * closes the connection.
 *
 * @returns null for a method that web requests do not allow.
 */
export function toWebRequest(request: IncomingMessage, response: ServerResponse): Request | null {
  const abort = new AbortController()
  response.once('close', () => response.writableFinished || abort.abort())
  const { method = 'GET', headers, rawHeaders } = request
  const webHeaders = new Headers()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    webHeaders.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  const body = hasBody && method !== 'GET' && method !== 'HEAD' ? Readable.toWeb(request) : undefined
  try {
    return new Request(`http://${String(headers.host)}${request.url ?? '/'}`, {
      method,
      headers: webHeaders,
      signal: abort.signal,
      ...(body ? { body: body as ReadableStream<Uint8Array<ArrayBuffer>>, duplex: 'half' } : {}),
    })
  } catch {
    return null
  }
}

/** Sends a web response. A response of type `error` ends the connection without a response. */
export async function sendWebResponse(
  webResponse: Response,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (webResponse.type === 'error') return void request.socket.destroy()
  for (const [name, value] of webResponse.headers) response.setHeader(name, value)
  if (!request.complete && webResponse.status >= 400) {
    // The rest of a large request is not read.
    const type = webResponse.headers.get('content-type') ?? 'text/plain; charset=utf-8'
    return respondAndClose(request, response, webResponse.status, type, await readFirstBytes(webResponse))
  }
  response.writeHead(webResponse.status)
  if (webResponse.body === null) return void response.end()
  const body = Readable.fromWeb(webResponse.body as Parameters<typeof Readable.fromWeb>[0])
  await pipeline(body, response)
}

/** The maximum number of bytes of a refusal's text; the rest is cut. */
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
