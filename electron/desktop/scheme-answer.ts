import { Readable } from 'node:stream'

/**
 * An answer of the app's scheme, as plain values: the first `Request` or `Response` of a process loads a whole second HTTP client, which
 * would be a tenth of the start.
 */
export interface SchemeAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: Uint8Array | string | Readable
}

/** The body as Electron wants it. */
export function streamOf(body: SchemeAnswer['body']): Readable {
  if (body instanceof Readable) return body
  const bytes = Buffer.from(body)
  return Readable.from(bytes.byteLength === 0 ? [] : [bytes])
}
