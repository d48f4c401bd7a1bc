import { createRefusedError } from '../../../../shared/errors.ts'
import type { BridgeTarget, ByteRange } from '../types.ts'

/** Response headers that may be kept and shown; all others may carry secrets of a proxy or a host. */
const shown = [
  'content-type',
  'content-length',
  'content-encoding',
  'content-range',
  'accept-ranges',
  'date',
  'etag',
  'last-modified',
  'retry-after',
  'server',
  'transfer-encoding',
]

/** Headers that belong to the connection or to a browser: never a place for a token, whatever the profile says. */
const reserved =
  /^(?:accept.*|connection|content-.*|cookie2?|date|expect|forwarded|host|keep-alive|origin|proxy-.*|range|referer|sec-.*|te|trailer|transfer-encoding|upgrade|user-agent|via|x-forwarded-.*)$/i

interface HeaderOptions {
  readonly accept: string
  readonly body: Buffer | null
  /** Bytes of a file that is the body. */
  readonly fileSize?: number | undefined
  readonly userAgent: string
  /** Headers that a person composed for this read. */
  readonly extra?: readonly (readonly [name: string, value: string])[]
  /** The answer is read as a stream: uncompressed, so that ranges and lengths count the bytes themselves. */
  readonly stream?: { readonly range: ByteRange | null }
}

/**
 * Every header of a request to the host; nothing else is ever sent (Node adds `Host` and `Connection`). Never an `Origin` (the host
 * refuses it), a cookie, or anything from the page. Throws `TOKEN_MALFORMED` for a token that a header cannot carry, and
 * `AUTH_HEADER_RESERVED` for a header that a profile may not set, `HEADER_REFUSED` for an `extra` one that nobody may.
 */
export function buildRequestHeaders(
  target: BridgeTarget,
  { accept, body, fileSize, userAgent, extra = [], stream }: HeaderOptions,
): Record<string, string> {
  const headers: Record<string, string> = {
    Accept: accept,
    'Accept-Encoding': stream ? 'identity' : 'gzip, deflate, br',
    'User-Agent': userAgent,
  }
  for (const [name, value] of extra) setExtra(headers, target, name, value)
  if (stream?.range) headers['Range'] = `bytes=${stream.range.start}-${stream.range.end ?? ''}`
  Object.assign(headers, buildAuthHeader(target))
  if (body !== null) {
    headers['Content-Type'] = 'application/json'
    headers['Content-Length'] = String(body.byteLength)
  } else if (fileSize !== undefined) {
    headers['Content-Type'] = 'application/octet-stream'
    headers['Content-Length'] = String(fileSize)
  }
  return headers
}

/** What a person may replace or add although it is reserved: how an answer is chosen, not how it travels. */
const negotiable = /^(?:accept|accept-language|range)$/i

function setExtra(headers: Record<string, string>, target: BridgeTarget, name: string, value: string): void {
  const isReserved = reserved.test(name) && !negotiable.test(name)
  const isAuth = [target.auth.header, 'Authorization'].some((one) => one.toLowerCase() === name.toLowerCase())
  if (!/^[A-Za-z0-9-]{1,100}$/.test(name) || isReserved || isAuth || !/^[\x20-\x7e]*$/.test(value))
    throw createRefusedError(
      'HEADER_REFUSED',
      'A header that belongs to the connection or to the token, or is none, is not sent.',
    )
  for (const known of Object.keys(headers))
    if (known.toLowerCase() === name.toLowerCase()) Reflect.deleteProperty(headers, known)
  headers[name] = value
}

/** The header that carries the token; none without one. Throws `TOKEN_MALFORMED`, `AUTH_HEADER_RESERVED`. */
export const buildAuthHeader = (target: BridgeTarget): Record<string, string> =>
  target.token === null ? {} : { [authHeader(target)]: authValue(target, target.token) }

function authHeader({ auth }: BridgeTarget): string {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(auth.header) || reserved.test(auth.header)) {
    throw createRefusedError(
      'AUTH_HEADER_RESERVED',
      'The token cannot be sent in the header that the profile names. Choose another header.',
    )
  }
  return auth.header
}

function authValue({ auth }: BridgeTarget, token: string): string {
  const value = auth.scheme === '' ? token : `${auth.scheme} ${token}`
  if (token === '' || !/^[\x20-\x7e]+$/.test(value) || /\s/.test(token)) {
    throw createRefusedError('TOKEN_MALFORMED', 'The token contains characters that cannot be sent. Set it again.')
  }
  return value
}

/** The response headers that may be shown. */
export function pickShownHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of shown) {
    const value = headers[name]
    if (typeof value === 'string') kept[name] = value.slice(0, 500)
  }
  return kept
}
