import type { RawHeaders } from '../../bridge/exchange-trace.ts'
import type { PanelRequest } from './types.ts'
import { isPlainSegment } from '../../../../shared/bridge/endpoints/path-template.ts'

/** A call's path in the normal form that is both checked and sent. */
export interface CallPath {
  /** Decoded segments; none is empty, `.` or `..`, or holds a slash in any spelling. */
  readonly segments: readonly string[]
  /** The encoded segments, for example `/notes/N-1/render`. */
  readonly path: string
  /** The query as the page wrote it, with its question mark; empty if there is none. */
  readonly query: string
}

const MAX_PATH_CHARS = 8_000

/**
 * Parses a path with query, relative to the base URL. Returns null for any path that a host could
 * interpret differently than the checks here: dots, double slashes, backslashes, `%2f`, `;`
 * parameters, control characters, text that decodes again to one of these or resembles one in a
 * different normal form, fragments and absolute addresses. The result has only one spelling, so
 * that a host receives exactly the path that was checked.
 */
export function parseCallPath(raw: string): CallPath | null {
  if (raw.length > MAX_PATH_CHARS || !/^\/[\x21-\x7e]*$/.test(raw) || /[#\\<>"^`{|}]/.test(raw)) return null
  const queryIndex = raw.indexOf('?')
  const [pathname, query] = queryIndex < 0 ? [raw, ''] : [raw.slice(0, queryIndex), raw.slice(queryIndex)]
  const segments: string[] = []
  for (const encodedSegment of pathname.slice(1).split('/')) {
    const segment = decodeSegment(encodedSegment)
    if (segment === null) return null
    segments.push(segment)
  }
  return { segments, path: `/${segments.map(encodeURIComponent).join('/')}`, query }
}

function decodeSegment(encodedSegment: string): string | null {
  try {
    const segment = decodeURIComponent(encodedSegment)
    return isPlainSegment(segment) ? segment : null
  } catch {
    return null
  }
}

export interface PageCall {
  readonly method: string
  /** Path with query, relative to the base URL, as the page wrote it. */
  readonly path: string
  /** The headers, without those that the helper script adds. */
  readonly headers: RawHeaders
  /** Null if there is no body, or if it is too large to be read. */
  readonly body: Buffer | null
  /**
   * Number of bytes that the page declared or sent; more than `MAX_BODY_BYTES` if the body is too
   * large.
   */
  readonly bodyBytes: number
  readonly via: 'host.api' | 'fetch' | 'element'
  /**
   * Number of the page's load according to the helper script; null if the script could not add it.
   * The page can put any number there.
   */
  readonly load: number | null
  readonly signal: AbortSignal
}

/**
 * Maximum bytes of a call's body, including uploads; all bodies except uploads are far smaller. The
 * body is held in memory until it is sent.
 */
export const MAX_BODY_BYTES = 8 * 1024 * 1024

/** The path below which the panel's origin serves the host's routes. */
export const API_PREFIX = '/bridge/v1'

/** The header that marks a call through `host.api`. */
export const VIA_HEADER = 'x-inspector-via'

/** The header with the number of the page's load that made a call. */
const LOAD_HEADER = 'x-inspector-load'

/** Stops reading when a body is too large, so that a page cannot fill the memory. */
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

/** Converts a call to the form that overrides use. */
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
