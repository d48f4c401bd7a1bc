import { Readable } from 'node:stream'
import type { PanelResponse } from './types.ts'

type HttpPanelResponse = Extract<PanelResponse, { kind: 'answer' }>

/** @see spec §7 */
export function createErrorResponse(
  status: number,
  code: string,
  message: string,
): HttpPanelResponse & { readonly body: Buffer } {
  return {
    kind: 'answer',
    status,
    headers: [['Content-Type', 'application/json']],
    body: Buffer.from(JSON.stringify({ error: { code, message } })),
  }
}

/** Statuses for which a `Response` must not have a body. */
const BODILESS_STATUSES: ReadonlySet<number> = new Set([204, 205, 304])

/** Converts a response to a web response. One of the kind `broken` becomes a network error. */
export function toWebResponse(response: PanelResponse, method: string): Response {
  if (response.kind === 'broken') return Response.error()
  const { status, body } = response
  if (status < 200 || status > 599) {
    return toWebResponse(createErrorResponse(502, 'BAD_STATUS', `The host answered with the status ${status}.`), method)
  }
  const headers = new Headers()
  for (const [name, value] of response.headers) tryAppendHeader(headers, name, value)
  if (BODILESS_STATUSES.has(status) || method === 'HEAD' || body === null) {
    // Read to its end, or else the call would be recorded as interrupted.
    if (body instanceof Readable) body.resume()
    return new Response(null, { status, headers })
  }
  if (Buffer.isBuffer(body) && !headers.has('content-length')) headers.set('Content-Length', String(body.byteLength))
  const bytes = Buffer.isBuffer(body) ? new Uint8Array(body) : toWebStream(body)
  return new Response(bytes, { status, headers })
}

/** Omits a header that `Headers` rejects. */
function tryAppendHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value)
  } catch {
    // The header has an invalid name or value.
  }
}

/** Converts a stream of Node to a web stream. Cancelling the web stream destroys it. */
export function toWebStream(stream: Readable): ReadableStream<Uint8Array<ArrayBuffer>> {
  return Readable.toWeb(stream) as ReadableStream<Uint8Array<ArrayBuffer>>
}
