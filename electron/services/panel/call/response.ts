import { Readable } from 'node:stream'
import type { PanelResponse } from './types.ts'

type Answered = Extract<PanelResponse, { kind: 'answer' }>

/** An answer in the contract's form of an error (spec §7). */
export const createErrorResponse = (
  status: number,
  code: string,
  message: string,
): Answered & { readonly body: Buffer } => ({
  kind: 'answer',
  status,
  headers: [['Content-Type', 'application/json']],
  body: Buffer.from(JSON.stringify({ error: { code, message } })),
})

/** Statuses that have no body, and for which a `Response` accepts none. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/** The answer as a page's fetch gets it; an answer that broke is a network error. */
export function toWebResponse(answer: PanelResponse, method: string): Response {
  if (answer.kind === 'broken') return Response.error()
  const { status, body } = answer
  if (status < 200 || status > 599) {
    return toWebResponse(createErrorResponse(502, 'BAD_STATUS', `The host answered with the status ${status}.`), method)
  }
  const headers = new Headers()
  for (const [name, value] of answer.headers) append(headers, name, value)
  if (bodiless.has(status) || method === 'HEAD' || body === null) {
    // Read to its end, of which there is nothing: given up, it would seem to have broken off.
    if (body instanceof Readable) body.resume()
    return new Response(null, { status, headers })
  }
  if (Buffer.isBuffer(body) && !headers.has('content-length')) headers.set('Content-Length', String(body.byteLength))
  const bytes = Buffer.isBuffer(body) ? new Uint8Array(body) : toWebStream(body)
  return new Response(bytes, { status, headers })
}

/** A header that a `Headers` does not accept is left out. */
function append(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value)
  } catch {
    // Not a name or a value that a header can have.
  }
}

/** A stream of Node's for a response; cancelling it destroys the stream. */
export const toWebStream = (stream: Readable): ReadableStream<Uint8Array<ArrayBuffer>> =>
  Readable.toWeb(stream) as ReadableStream<Uint8Array<ArrayBuffer>>
