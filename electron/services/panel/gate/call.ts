import type { RawHeaders } from '../../bridge/wire/trace.ts'
import type { PanelRequest } from '../types.ts'
import type { GatePath } from './path.ts'

/** A call of the page as it came in. */
export interface PageCall {
  readonly method: string
  /** With query, relative to the base URL, as the page wrote it. */
  readonly path: string
  /** Without what marks the call for us. */
  readonly headers: RawHeaders
  /** Null if there is none, or if it is too large to be read. */
  readonly body: Buffer | null
  /** Bytes that the page declared or sent; more than `MOST_BODY` if the body is too large. */
  readonly bodyBytes: number
  readonly via: 'host.api' | 'fetch' | 'element'
  /** Number of the page's load that the helper script put on the call; null where it could not. The page can put any there. */
  readonly load: number | null
  readonly signal: AbortSignal
}

/** Largest body of a call, that of an upload too; no other in the contract comes close. It is held in memory until it may be sent. */
export const MOST_BODY = 8 * 1024 * 1024

/** Where the host's routes begin on the panel's origin. */
export const API_PREFIX = '/bridge/v1'

/** Says that a call came through `host.api`. */
export const VIA_HEADER = 'x-inspector-via'

/** The page's load that a call comes from. */
export const LOAD_HEADER = 'x-inspector-load'

/** Reads a call of the page. Stops reading a body that is too large, so that no page can fill the memory. */
export async function readCall(request: Request): Promise<PageCall> {
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
  if (declared > MOST_BODY) return { body: null, size: declared }
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of request.body ?? []) {
    size += piece.byteLength
    if (size > MOST_BODY) return { body: null, size }
    pieces.push(piece)
  }
  return { body: size === 0 ? null : Buffer.concat(pieces), size }
}

/** What overrides see of a call. */
export const requestOf = (
  { method, headers, body, via }: PageCall,
  { path, query }: GatePath,
  signal: AbortSignal,
): PanelRequest => ({
  method,
  path: path + query,
  headers,
  body,
  signal,
  api: via === 'host.api',
})
