import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { BridgeTarget } from '../bridge/types.ts'
import { REFUSALS, type Refusal } from './refusal.ts'

/** Only requests to exactly this listener, and none that a web page caused (DNS rebinding, cross-site requests). */
export function findStrangerRefusal(request: IncomingMessage, port: number): Refusal | null {
  const hosts = getHeaderValues(request, 'host')
  const [host] = hosts
  if (hosts.length !== 1 || (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`)) return REFUSALS.host
  return getHeaderValues(request, 'origin').length > 0 ? REFUSALS.origin : null
}

/** Whose key a client holds: that of the recording, or the token of the connected host. Null if it is neither. */
export type Credential = 'key' | 'token' | null

/**
 * Compares what a client sent, in `Authorization` or in the header that the profile names, with the key and with the token of the connected
 * host, each in constant time. Nothing of it is kept.
 */
export function identifyCredential(request: IncomingMessage, key: string, target: BridgeTarget | null): Credential {
  const sent = [...offered(request, 'Authorization', 'Bearer')]
  if (target) sent.push(...offered(request, target.auth.header, target.auth.scheme))
  let found: Credential = null
  for (const one of sent) {
    if (isSame(one, key)) found ??= 'key'
    if (target?.token !== null && target !== null && isSame(one, target.token)) found = 'token'
  }
  return found
}

/** The value of a header without its scheme; none where it was sent twice. */
function* offered(request: IncomingMessage, header: string, scheme: string): Generator<string> {
  const [value, ...more] = getHeaderValues(request, header.toLowerCase())
  if (value === undefined || more.length > 0) return
  if (scheme === '') yield value
  else if (value.toLowerCase().startsWith(`${scheme.toLowerCase()} `)) yield value.slice(scheme.length + 1).trim()
}

const digest = (text: string): Buffer => createHash('sha256').update(text, 'latin1').digest()
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

/** Every value of a header as it was sent; in `headers`, Node joins or drops repeated ones. */
export function getHeaderValues({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  const values: string[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '')
  }
  return values
}
