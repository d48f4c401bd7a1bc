import type { IncomingMessage } from 'node:http'
import { refusals, type Refusal } from './refusals.ts'

/** Only there to parse a target against; never asked. */
const BASE = 'http://local'

const { foreign, origin: refusal } = refusals

/**
 * Whether the request names this server and none else (DNS rebinding): exactly one Host header with exactly this address and
 * port, and a target in origin form. Checked before any byte of any page is given out.
 */
export function refuseHost(request: IncomingMessage, port: number): Refusal | null {
  const hosts = headerValues(request, 'host')
  const [host] = hosts
  if (hosts.length !== 1 || (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`)) return foreign
  const target = request.url ?? ''
  if (!target.startsWith('/') || target.startsWith('//')) return foreign
  // A path that normalising would change (`/../`, `%2e`, a backslash) is no address that our page uses; `/\\[` is not even a URL.
  if (!URL.canParse(target, BASE)) return foreign
  if (new URL(target, BASE).pathname !== target.split('?', 1)[0]) return foreign
  return null
}

/**
 * Whether a call comes from our own page. The Origin must be there and be exactly ours: a missing one never passes, because
 * that is what a check such as `if (origin && …)` lets through. Reads by GET carry no Origin from the same origin, so those
 * must say so by `Sec-Fetch-Site`.
 */
export function refuseOrigin(request: IncomingMessage): Refusal | null {
  const [site, ...moreSites] = headerValues(request, 'sec-fetch-site')
  if (moreSites.length > 0 || (site !== undefined && site !== 'same-origin')) return refusal
  const origins = headerValues(request, 'origin')
  const own = `http://${String(request.headers.host)}`
  if (origins.length === 1) return origins[0] === own ? null : refusal
  if (origins.length > 1) return refusal
  return request.method === 'GET' && site === 'same-origin' ? null : refusal
}

/** What may show or save a content. Frames, objects, scripts, styles and workers are not among it. */
const elements = ['image', 'audio', 'video', 'document', 'empty']

/**
 * Whether a content is asked for by an element of our own page, or by a person who opened its address (`none`, then as a document).
 * Elements send no Origin and no header of ours; `Sec-Fetch-*` is what no page can forge, and missing it never passes.
 */
export function refuseElement(request: IncomingMessage): Refusal | null {
  const [site, ...moreSites] = headerValues(request, 'sec-fetch-site')
  const [dest = '', ...moreDests] = headerValues(request, 'sec-fetch-dest')
  if (moreSites.length > 0 || moreDests.length > 0 || !elements.includes(dest)) return refusal
  return site === 'same-origin' || (site === 'none' && dest === 'document') ? null : refusal
}

/** Every value of a header as it came; Node joins or drops doubled ones in `headers`. */
function headerValues(request: IncomingMessage, name: string): string[] {
  const values: string[] = []
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    if (request.rawHeaders[at]?.toLowerCase() === name) values.push(request.rawHeaders[at + 1] ?? '')
  }
  return values
}
