import { createRefusedError } from '../../../../shared/errors.ts'
import type { BridgeTarget, ByteRange } from '../types.ts'

/** Other headers may carry secrets of a proxy or a host. */
const SHOWN_RESPONSE_HEADERS = [
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

/** Headers of the connection or of a browser. A profile cannot send its token in them. */
const RESERVED_HEADERS =
  /^(?:accept.*|connection|content-.*|cookie2?|date|expect|forwarded|host|keep-alive|origin|proxy-.*|range|referer|sec-.*|te|trailer|transfer-encoding|upgrade|user-agent|via|x-forwarded-.*)$/i

interface HeaderOptions {
  readonly accept: string
  readonly body: Buffer | null
  readonly fileSize?: number | undefined
  readonly userAgent: string
  /** Headers that a person composed for this read. */
  readonly extra?: readonly (readonly [name: string, value: string])[]
  /** Present if the response is streamed, uncompressed: ranges and lengths count content bytes. */
  readonly stream?: { readonly range: ByteRange | null }
}

/**
 * Builds all headers of a request to the host; Node adds only `Host` and `Connection`. They never
 * include an `Origin` (the host refuses it), a cookie, or anything from the page.
 * @throws TOKEN_MALFORMED when a header cannot carry the token, AUTH_HEADER_RESERVED when the
 * profile names a reserved header, HEADER_REFUSED when a composed header is not allowed.
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
  for (const [name, value] of extra) setExtraHeader(headers, target, name, value)
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

/** Reserved headers that a person may compose: they affect only the response's content. */
const NEGOTIABLE_HEADERS = /^(?:accept|accept-language|range)$/i

function setExtraHeader(headers: Record<string, string>, target: BridgeTarget, name: string, value: string): void {
  const isReserved = RESERVED_HEADERS.test(name) && !NEGOTIABLE_HEADERS.test(name)
  const isAuth = [target.auth.header, 'Authorization'].some((header) => header.toLowerCase() === name.toLowerCase())
  if (!/^[A-Za-z0-9-]{1,100}$/.test(name) || isReserved || isAuth || !/^[\x20-\x7e]*$/.test(value))
    throw createRefusedError(
      'HEADER_REFUSED',
      'A header that belongs to the connection or to the token, or is none, is not sent.',
    )
  for (const existingName of Object.keys(headers))
    if (existingName.toLowerCase() === name.toLowerCase()) Reflect.deleteProperty(headers, existingName)
  headers[name] = value
}

/** Returns the token's header, if there is one. @throws TOKEN_MALFORMED, AUTH_HEADER_RESERVED */
export function buildAuthHeader(target: BridgeTarget): Record<string, string> {
  return target.token === null ? {} : { [getAuthHeaderName(target)]: formatAuthValue(target, target.token) }
}

function getAuthHeaderName({ auth }: BridgeTarget): string {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(auth.header) || RESERVED_HEADERS.test(auth.header)) {
    throw createRefusedError(
      'AUTH_HEADER_RESERVED',
      'The token cannot be sent in the header that is set for this host. Choose another header.',
    )
  }
  return auth.header
}

function formatAuthValue({ auth }: BridgeTarget, token: string): string {
  const value = auth.scheme === '' ? token : `${auth.scheme} ${token}`
  if (token === '' || !/^[\x20-\x7e]+$/.test(value) || /\s/.test(token)) {
    throw createRefusedError('TOKEN_MALFORMED', 'The token contains characters that cannot be sent. Set it again.')
  }
  return value
}

export function pickShownHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const shownHeaders: Record<string, string> = {}
  for (const name of SHOWN_RESPONSE_HEADERS) {
    const value = headers[name]
    if (typeof value === 'string') shownHeaders[name] = value.slice(0, 500)
  }
  return shownHeaders
}
