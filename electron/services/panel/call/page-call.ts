import type { RawHeaders } from '../../bridge/exchange-trace.ts'
import type { PanelRequest } from './types.ts'
import { isPlainSegment } from '../../../../shared/bridge/endpoints/path-template.ts'

/** A path of a call in the one form in which it is judged and sent. */
export interface CallPath {
  /** Decoded segments; none is empty, `.` or `..`, or holds a slash in any spelling. */
  readonly segments: readonly string[]
  /** The segments encoded again: `/notes/N-1/render`. */
  readonly path: string
  /** With its question mark, as it was written; empty without one. */
  readonly query: string
}

const MAX_PATH_CHARS = 8_000

/**
 * A path with query, relative to the base URL, taken apart; null for whatever a host could read in
 * another way than it is judged here: dots, double slashes, backslashes, `%2f`, `;` parameters,
 * control characters, what decodes again to one of these or looks like one in another normal form,
 * fragments and absolute addresses. What is left is written in one way only, so that a host sees
 * what was judged.
 */
export function parseCallPath(raw: string): CallPath | null {
  if (raw.length > MAX_PATH_CHARS || !/^\/[\x21-\x7e]*$/.test(raw) || /[#\\<>"^`{|}]/.test(raw)) return null
  const at = raw.indexOf('?')
  const [bare, query] = at < 0 ? [raw, ''] : [raw.slice(0, at), raw.slice(at)]
  const segments: string[] = []
  for (const written of bare.slice(1).split('/')) {
    const segment = decodedSegment(written)
    if (segment === null) return null
    segments.push(segment)
  }
  return { segments, path: `/${segments.map(encodeURIComponent).join('/')}`, query }
}

function decodedSegment(written: string): string | null {
  try {
    const segment = decodeURIComponent(written)
    return isPlainSegment(segment) ? segment : null
  } catch {
    return null
  }
}

/** A call of the page as it came in. */
export interface PageCall {
  readonly method: string
  /** With query, relative to the base URL, as the page wrote it. */
  readonly path: string
  /** Without what marks the call for us. */
  readonly headers: RawHeaders
  /** Null if there is none, or if it is too large to be read. */
  readonly body: Buffer | null
  /** Bytes that the page declared or sent; more than `MAX_BODY_BYTES` if the body is too large. */
  readonly bodyBytes: number
  readonly via: 'host.api' | 'fetch' | 'element'
  /**
   * Number of the page's load that the helper script put on the call; null where it could not. The
   * page can put any there.
   */
  readonly load: number | null
  readonly signal: AbortSignal
}

/**
 * Largest body of a call, that of an upload too; no other in the contract comes close. It is held
 * in memory until it may be sent.
 */
export const MAX_BODY_BYTES = 8 * 1024 * 1024

/** Where the host's routes begin on the panel's origin. */
export const API_PREFIX = '/bridge/v1'

/** Says that a call came through `host.api`. */
export const VIA_HEADER = 'x-inspector-via'

/** The page's load that a call comes from. */
const LOAD_HEADER = 'x-inspector-load'

/**
 * Reads a call of the page. Stops reading a body that is too large, so that no page can fill the
 * memory.
 */
export async function readPageCall(request: Request): Promise<PageCall> {
  const { pathname, search } = new URL(request.url)
  const declared = Number(request.headers.get('content-length') ?? 0)
  const { body, size } = await readBody(request, declared)
  const dest = request.headers.get('sec-fetch-dest') ?? 'empty'
  const load = Number(request.headers.get(LOAD_HEADER) ?? Number.NaN)
  const isApi = request.headers.get(VIA_HEADER) === 'host.api'
  return {
    method: request.method,
    path: pathname.slice(API_PREFIX.length) + search,
    headers: [...request.headers].filter(([name]) => name !== VIA_HEADER && name !== LOAD_HEADER),
    body,
    bodyBytes: size,
    via: isApi ? 'host.api' : dest === 'empty' ? 'fetch' : 'element',
    load: Number.isInteger(load) ? load : null,
    signal: request.signal,
  }
}

async function readBody(request: Request, declared: number): Promise<{ body: Buffer | null; size: number }> {
  if (declared > MAX_BODY_BYTES) return { body: null, size: declared }
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of request.body ?? []) {
    size += piece.byteLength
    if (size > MAX_BODY_BYTES) return { body: null, size }
    pieces.push(piece)
  }
  return { body: size === 0 ? null : Buffer.concat(pieces), size }
}

/** What overrides see of a call. */
export const toPanelRequest = (
  { method, headers, body, via }: PageCall,
  { path, query }: CallPath,
  signal: AbortSignal,
): PanelRequest => ({
  method,
  path: path + query,
  headers,
  body,
  signal,
  isHostApi: via === 'host.api',
})
