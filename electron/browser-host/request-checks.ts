import type { IncomingMessage } from 'node:http'
import { refusals, type Refusal } from './refusals.ts'

/** Only a base for parsing request targets; nothing is ever sent there. */
const PARSING_BASE_URL = 'http://local'

const { foreign, origin: refusal } = refusals

/**
 * Whether the request names this server and no other (DNS rebinding): exactly one Host header with exactly this address and port, and a
 * target in origin form. Checked before any byte of a page is sent.
 */
export function checkHostHeader(request: IncomingMessage, port: number): Refusal | null {
  const hosts = headerValues(request, 'host')
  const [host] = hosts
  if (hosts.length !== 1 || (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`)) return foreign
  const target = request.url ?? ''
  if (!target.startsWith('/') || target.startsWith('//')) return foreign
  // A path that normalising would change (`/../`, `%2e`, a backslash) is not one that our page uses; `/\\[` is not even a URL.
  if (!URL.canParse(target, PARSING_BASE_URL)) return foreign
  if (new URL(target, PARSING_BASE_URL).pathname !== target.split('?', 1)[0]) return foreign
  return null
}

/**
 * Whether a call comes from our own page. The Origin header must be present and exactly ours: a missing one never passes, unlike with a
 * check such as `if (origin && …)`. Same-origin GETs carry no Origin, so they must prove it with `Sec-Fetch-Site`.
 */
export function checkOrigin(request: IncomingMessage): Refusal | null {
  const [site, ...moreSites] = headerValues(request, 'sec-fetch-site')
  if (moreSites.length > 0 || (site !== undefined && site !== 'same-origin')) return refusal
  const origins = headerValues(request, 'origin')
  const own = `http://${String(request.headers.host)}`
  if (origins.length === 1) return origins[0] === own ? null : refusal
  if (origins.length > 1) return refusal
  return request.method === 'GET' && site === 'same-origin' ? null : refusal
}

/** What may show or save a content. Frames, objects, scripts, styles and workers may not. */
const elements = ['image', 'audio', 'video', 'document', 'empty']

/**
 * Whether a content is requested by an element of our own page, or by a user who opened its address (`none`, and then as a document).
 * Elements send no Origin and no header of ours; `Sec-Fetch-*` cannot be forged by a page, and a request without it never passes.
 */
export function checkElementRequest(request: IncomingMessage): Refusal | null {
  const [site, ...moreSites] = headerValues(request, 'sec-fetch-site')
  const [dest = '', ...moreDests] = headerValues(request, 'sec-fetch-dest')
  if (moreSites.length > 0 || moreDests.length > 0 || !elements.includes(dest)) return refusal
  return site === 'same-origin' || (site === 'none' && dest === 'document') ? null : refusal
}

/** Every value of a header as it was sent; in `headers`, Node joins or drops repeated ones. */
function headerValues(request: IncomingMessage, name: string): string[] {
  const values: string[] = []
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    if (request.rawHeaders[at]?.toLowerCase() === name) values.push(request.rawHeaders[at + 1] ?? '')
  }
  return values
}
