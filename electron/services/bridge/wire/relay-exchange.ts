import type { MaskStream } from '../../mask/mask.ts'
import { type HttpAgents, readBuffers } from './http-agents.ts'
import { createBodyStream } from './body-stream.ts'
import { sendWithResend, type ResponseHandler, type WireRequest, type WireStream } from './exchange.ts'
import { toHeaderPairs, type RawHeaders } from '../exchange-trace.ts'
import type { BridgeTarget } from '../types.ts'
import { buildAuthHeader } from './headers.ts'
import { createRefusedError } from '../../../../shared/errors.ts'

/** They belong to one connection, not to the message (RFC 9110 §7.6.1). `Trailer` announces what is not passed on. */
const hopByHop = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings)$/i
/** What a host refuses, or must not learn, of whoever is asking. */
const ofCaller = /^(?:host|origin|referer|cookie2?|sec-.*|authorization|content-length)$/i

/** Headers without those of the connection, in order and with their letter case. */
export function removeHopByHopHeaders(headers: RawHeaders): RawHeaders {
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
export function buildRelayHeaders(
  target: BridgeTarget,
  given: RawHeaders,
  length: BodyLength,
  plain: boolean,
): Record<string, string | string[]> {
  const own = target.auth.header.toLowerCase()
  const headers = new Map<string, { name: string; values: string[] }>()
  for (const [name, value] of removeHopByHopHeaders(given)) {
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
    ...buildAuthHeader(target),
    ...(length === null
      ? {}
      : length === 'chunked'
        ? { 'Transfer-Encoding': 'chunked' }
        : { 'Content-Length': String(length) }),
  }
}

/**
 * Throws `PATH_OUTSIDE` for a path of another program that could lead out of the base URL, however a host decodes it: dots as a segment
 * (also percent-encoded, or next to an encoded slash), a fragment, or no leading slash. Everything else is passed on byte for byte, so that
 * the host sees what the program asked for.
 */
export function assertPathInside(rawPath: string): void {
  const bare = rawPath.split('?', 1)[0] ?? ''
  const unfolded = bare.replace(/%2f|%5c|\\/gi, '/').replace(/%2e/gi, '.')
  const climbs = unfolded.split('/').some((segment) => segment === '.' || segment === '..')
  // Node writes a path as Latin-1; it arrives that way too.
  if (!bare.startsWith('/') || rawPath.includes('#') || climbs || /[^\x21-\xff]/.test(rawPath)) {
    throw createRefusedError(
      'PATH_OUTSIDE',
      'The path must begin with / and must not lead outside the bridge’s address.',
      {
        endpoint: bare.slice(0, 200),
      },
    )
  }
}

/** Whether a host might read a path in another way than it is written: empty segments, encoded slashes, backslashes. */
export function isAmbiguousPath(rawPath: string): boolean {
  const bare = rawPath.split('?', 1)[0] ?? ''
  return /%2f|%5c|%00|\\|\/\/|.\/$/i.test(bare) || bare.includes(';')
}

/** An answer that is passed on: its body is still encoded as the host sent it. */
export interface WireRelayResponse extends WireStream {
  readonly statusText: string
  readonly rawHeaders: RawHeaders
}

/**
 * Bytes of a body that may wait on either side of a relay. With as many as are read at once, both sides would stop and start again for each
 * read.
 */
export const MAX_RELAY_BUFFER_BYTES = 256 * 1024

type Head = Pick<WireRelayResponse, 'status' | 'headers'>

/**
 * Like `openExchange`, but decodes nothing. `onHead` says what masks the body, which it may only do where the body is not encoded. Throws
 * `AppError` only.
 */
export function openRelay(
  request: WireRequest,
  agents: HttpAgents,
  onHead: (head: Head) => MaskStream | null,
): Promise<WireRelayResponse> {
  const onPiece = (piece: Buffer): void => {
    request.onPiece?.(piece)
    readBuffers.lend(piece)
  }
  const asItCame: ResponseHandler<WireRelayResponse> = async (response) => {
    const head = { status: response.statusCode ?? 0, headers: response.headers }
    return {
      ...head,
      statusText: response.statusMessage ?? '',
      rawHeaders: toHeaderPairs(response.rawHeaders),
      ...createBodyStream(response, response, {
        ...request,
        onPiece,
        maxBufferedBytes: MAX_RELAY_BUFFER_BYTES,
        mask: onHead(head),
      }),
    }
  }
  return sendWithResend(request, agents.relay, agents.singleUse, asItCame)
}
