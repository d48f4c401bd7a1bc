import type { IncomingMessage } from 'node:http'
import { refusals, type Refusal } from './refusals.ts'

/** Request targets are parsed against this base; nothing is ever sent there. */
const PARSING_BASE_URL = 'http://local'

const { foreign, origin: refusal } = refusals

/**
 * Refuses requests unless they have exactly one Host header with this address and port, and a
 * target in origin form (against DNS rebinding). Must be called before any byte of a page is sent.
 */
export function checkHostHeader(request: IncomingMessage, port: number): Refusal | null {
  const hosts = getHeaderValues(request, 'host')
  const [host] = hosts
  if (hosts.length !== 1 || (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`)) return foreign
  const target = request.url ?? ''
  if (!target.startsWith('/') || target.startsWith('//')) return foreign
  // The page uses no path that normalising changes (`/../`, `%2e`, `\`); `/\\[` is no URL.
  if (!URL.canParse(target, PARSING_BASE_URL)) return foreign
  if (new URL(target, PARSING_BASE_URL).pathname !== target.split('?', 1)[0]) return foreign
  return null
}

/**
 * Refuses calls that do not come from our own page. The Origin header must be present and exactly
 * ours; a missing one is refused, unlike with a check such as `if (origin && …)`. Same-origin GETs
 * carry no Origin, so `Sec-Fetch-Site` must prove theirs.
 */
export function checkOrigin(request: IncomingMessage): Refusal | null {
  const [site, ...moreSites] = getHeaderValues(request, 'sec-fetch-site')
  if (moreSites.length > 0 || (site !== undefined && site !== 'same-origin')) return refusal
  const origins = getHeaderValues(request, 'origin')
  const ownOrigin = `http://${String(request.headers.host)}`
  if (origins.length === 1) return origins[0] === ownOrigin ? null : refusal
  if (origins.length > 1) return refusal
  return request.method === 'GET' && site === 'same-origin' ? null : refusal
}

/** Destinations with which a browser shows or saves media; no frames, objects, scripts, workers. */
const elementDestinations = ['image', 'audio', 'video', 'document', 'empty']

/**
 * Refuses content requests except from an element of our own page, or from a user who opened the
 * address (`none`, as a document). Elements send no Origin and no custom header; a page cannot
 * forge `Sec-Fetch-*`, and a request without these headers is refused.
 */
export function checkElementRequest(request: IncomingMessage): Refusal | null {
  const [site, ...moreSites] = getHeaderValues(request, 'sec-fetch-site')
  const [dest = '', ...moreDests] = getHeaderValues(request, 'sec-fetch-dest')
  if (moreSites.length > 0 || moreDests.length > 0 || !elementDestinations.includes(dest)) return refusal
  return site === 'same-origin' || (site === 'none' && dest === 'document') ? null : refusal
}

/** Every value of a header as sent. Node's `headers` joins or drops repeated values. */
function getHeaderValues(request: IncomingMessage, name: string): string[] {
  const values: string[] = []
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    if (request.rawHeaders[index]?.toLowerCase() === name) values.push(request.rawHeaders[index + 1] ?? '')
  }
  return values
}
