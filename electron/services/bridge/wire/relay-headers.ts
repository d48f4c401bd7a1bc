import type { BridgeTarget } from '../types.ts'
import { authorization } from './headers.ts'
import type { RawHeaders } from './trace.ts'

/** They belong to one connection, not to the message (RFC 9110 §7.6.1). `Trailer` announces what is not passed on. */
const hopByHop = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings)$/i
/** What a host refuses, or must not learn, of whoever is asking. */
const ofCaller = /^(?:host|origin|referer|cookie2?|sec-.*|authorization|content-length)$/i

/** Headers without those of the connection, in order and with their letter case. */
export function endToEnd(headers: RawHeaders): RawHeaders {
  const named = new Set(
    headers.flatMap(([name, value]) => (/^connection$/i.test(name) ? value.toLowerCase().split(/\s*,\s*/) : [])),
  )
  return headers.filter(([name]) => !hopByHop.test(name) && !named.has(name.toLowerCase()))
}

/** How much of a body follows: bytes, `chunked` where the caller did not say, null without one. */
export type BodyLength = number | 'chunked' | null

/**
 * The headers of a request that is passed on: those of the caller, with the token in place of theirs. With `plain`, the host is asked not
 * to compress. Throws what `authorization` throws.
 */
export function relayHeaders(
  target: BridgeTarget,
  given: RawHeaders,
  length: BodyLength,
  plain: boolean,
): Record<string, string | string[]> {
  const own = target.auth.header.toLowerCase()
  const headers = new Map<string, { name: string; values: string[] }>()
  for (const [name, value] of endToEnd(given)) {
    const key = name.toLowerCase()
    if (ofCaller.test(key) || key === own || (plain && key === 'accept-encoding')) continue
    const known = headers.get(key)
    if (known) known.values.push(value)
    else headers.set(key, { name, values: [value] })
  }
  return {
    ...Object.fromEntries(
      [...headers.values()].map(({ name, values }) => [name, values.length === 1 ? (values[0] ?? '') : values]),
    ),
    ...(plain ? { 'Accept-Encoding': 'identity' } : {}),
    ...authorization(target),
    ...(length === null
      ? {}
      : length === 'chunked'
        ? { 'Transfer-Encoding': 'chunked' }
        : { 'Content-Length': String(length) }),
  }
}
