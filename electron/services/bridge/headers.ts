import { refused } from '../../../shared/errors.ts'
import type { BridgeTarget } from './types.ts'

export const USER_AGENT = 'bridge-inspector'

/** Response headers that may be kept and shown; everything else may carry secrets of a proxy or a host. */
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

/**
 * Every header of a request to the host; nothing else is ever sent. Never an `Origin` (the host refuses it), a cookie or
 * anything of the page. Throws `TOKEN_MALFORMED` for a token that cannot travel in a header.
 */
export function requestHeaders(target: BridgeTarget, accept: string, body: Buffer | null): Record<string, string> {
  const headers: Record<string, string> = {
    Accept: accept,
    'Accept-Encoding': 'gzip, deflate, br',
    'User-Agent': USER_AGENT,
  }
  if (target.token !== null) {
    if (!/^[\x21-\x7e]+$/.test(target.token)) {
      throw refused('TOKEN_MALFORMED', 'The token holds characters that cannot be sent. Set it again.')
    }
    headers[target.auth.header] = target.auth.scheme === '' ? target.token : `${target.auth.scheme} ${target.token}`
  }
  if (body !== null) {
    headers['Content-Type'] = 'application/json'
    headers['Content-Length'] = String(body.byteLength)
  }
  return headers
}

/** The response headers of the allow-list. */
export function shownHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of shown) {
    const value = headers[name]
    if (typeof value === 'string') kept[name] = value.slice(0, 500)
  }
  return kept
}
