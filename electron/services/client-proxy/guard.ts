import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { BridgeTarget } from '../bridge/types.ts'
import { REFUSALS, type Refusal } from './refusal.ts'

/** Refuses other hosts and web pages (DNS rebinding, cross-site requests). */
export function findStrangerRefusal(request: IncomingMessage, port: number): Refusal | null {
  const hosts = getHeaderValues(request, 'host')
  const [host] = hosts
  if (hosts.length !== 1 || (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`)) return REFUSALS.host
  return getHeaderValues(request, 'origin').length > 0 ? REFUSALS.origin : null
}

/** The key of the client proxy, or the token of the connected host. */
export type Credential = 'key' | 'token' | null

/** Compares with the key and the host's token in constant time, in both possible headers. */
export function identifyCredential(request: IncomingMessage, key: string, target: BridgeTarget | null): Credential {
  const { header, scheme } = target?.auth ?? { header: 'Authorization', scheme: 'Bearer' }
  const credentials = new Set([
    ...readCredentials(request, 'Authorization', 'Bearer'),
    ...readCredentials(request, header, scheme),
  ])
  let credential: Credential = null
  for (const candidate of credentials) {
    if (isSame(candidate, key)) credential ??= 'key'
    if (target?.token !== null && target !== null && isSame(candidate, target.token)) credential = 'token'
  }
  return credential
}

/** The value of a header without its scheme; no value if the header was sent twice. */
function* readCredentials(request: IncomingMessage, header: string, scheme: string): Generator<string> {
  const [value, ...more] = getHeaderValues(request, header.toLowerCase())
  if (value === undefined || more.length > 0) return
  if (scheme === '') yield value
  else if (value.toLowerCase().startsWith(`${scheme.toLowerCase()} `)) yield value.slice(scheme.length + 1).trim()
}

const digest = (text: string): Buffer => createHash('sha256').update(text, 'latin1').digest()
const isSame = (left: string, right: string): boolean => timingSafeEqual(digest(left), digest(right))

/** Every value of a header as it was sent. In `headers`, Node joins or drops repeated headers. */
export function getHeaderValues({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  const values: string[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '')
  }
  return values
}
