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

/**
 * The head of a response that every browser takes for a network error. A connection that ends
 * without a response is no such sign: over a kept connection, Chromium and Firefox send the request
 * again several times, even a POST (RFC 9110 §9.2.2 forbids it). Two lengths that contradict each
 * other make the response invalid (RFC 9112 §6.3), and a client that accepts them gets a redirect
 * that the Fetch standard makes a network error.
 */
const NETWORK_ERROR_HEAD = [
  'HTTP/1.1 302 Failed',
  'Location: data:,',
  'Content-Length: 0',
  'Content-Length: 1',
  'Connection: close',
  '\r\n',
].join('\r\n')

/**
 * Makes a request fail as if the network had failed, for code, elements and workers alike, without
 * a repetition by the browser. A response that has begun breaks off.
 */
export function failResponse({ socket }: IncomingMessage, response: ServerResponse): void {
  if (!response.headersSent) socket.write(NETWORK_ERROR_HEAD, 'latin1')
  // What was written still reaches the browser.
  socket.destroySoon()
}

/** Sends a web response. A response of type `error` becomes a network error of the browser. */
export async function sendWebResponse(
  webResponse: Response,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (webResponse.type === 'error') return failResponse(request, response)
  for (const [name, value] of webResponse.headers) response.setHeader(name, value)
  if (!request.complete && webResponse.status >= 400) {
    // The rest of a large request is not read.
    const type = webResponse.headers.get('content-type') ?? 'text/plain; charset=utf-8'
    return respondAndClose(request, response, webResponse.status, type, await readFirstBytes(webResponse))
  }
  response.writeHead(webResponse.status)
  if (webResponse.body === null) return void response.end()
  // A response that breaks off before its head was sent would be requested again.
  response.flushHeaders()
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
