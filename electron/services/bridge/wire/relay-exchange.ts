import type { MaskStream } from '../../mask/mask.ts'
import { type HttpAgents, readBuffers } from './http-agents.ts'
import { createBodyStream } from './body-stream.ts'
import { sendWithResend, type ResponseHandler, type WireRequest, type WireStream } from './exchange.ts'
import { toHeaderPairs, type RawHeaders } from '../exchange-trace.ts'
import type { BridgeTarget } from '../types.ts'
import { buildAuthHeader } from './headers.ts'
import { createRefusedError } from '../../../../shared/errors.ts'

/** RFC 9110 §7.6.1. `Trailer` announces trailers, which are not passed on. */
const HOP_BY_HOP_HEADERS = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings)$/i
/** Headers of the caller that the host refuses or must not see. */
const CALLER_HEADERS = /^(?:host|origin|referer|cookie2?|sec-.*|authorization|content-length)$/i

/** Removes the headers of the connection; the rest keep their order and letter case. */
export function removeHopByHopHeaders(headers: RawHeaders): RawHeaders {
  const connectionValues = headers.filter(([name]) => /^connection$/i.test(name)).map(([, value]) => value)
  const connectionOptions = new Set(
    connectionValues.flatMap((value) => value.toLowerCase().split(',')).map((option) => option.trim()),
  )
  return headers.filter(([name]) => !HOP_BY_HOP_HEADERS.test(name) && !connectionOptions.has(name.toLowerCase()))
}

/** Bytes of the body, `chunked` if the caller did not declare them, null without a body. */
export type BodyLength = number | 'chunked' | null

/**
 * Builds the headers of a relayed request from those of the caller, with the token in place of the
 * caller's authorization.
 * @param isUncompressed Asks the host not to compress the response.
 * @throws The errors of `buildAuthHeader`.
 */
export function buildRelayHeaders(
  target: BridgeTarget,
  callerHeaders: RawHeaders,
  length: BodyLength,
  isUncompressed: boolean,
): Record<string, string | string[]> {
  const authHeaderName = target.auth.header.toLowerCase()
  const headers = new Map<string, { name: string; values: string[] }>()
  for (const [name, value] of removeHopByHopHeaders(callerHeaders)) {
    const key = name.toLowerCase()
    if (CALLER_HEADERS.test(key) || key === authHeaderName || (isUncompressed && key === 'accept-encoding')) continue
    const existing = headers.get(key)
    if (existing) existing.values.push(value)
    else headers.set(key, { name, values: [value] })
  }
  return {
    ...Object.fromEntries(
      [...headers.values()].map(({ name, values }) => [name, values.length === 1 ? (values[0] ?? '') : values]),
    ),
    ...(isUncompressed ? { 'Accept-Encoding': 'identity' } : {}),
    ...buildAuthHeader(target),
    ...(length === null
      ? {}
      : length === 'chunked'
        ? { 'Transfer-Encoding': 'chunked' }
        : { 'Content-Length': String(length) }),
  }
}

/**
 * Refuses a path that could lead out of the base URL, however a host decodes it: dot segments (also
 * percent-encoded or next to an encoded slash), a fragment, or no leading slash. Any other path is
 * passed on byte for byte.
 * @throws PATH_OUTSIDE
 */
export function assertPathInside(rawPath: string): void {
  const pathname = rawPath.split('?', 1)[0] ?? ''
  const decodedPath = pathname.replace(/%2f|%5c|\\/gi, '/').replace(/%2e/gi, '.')
  const hasDotSegment = decodedPath.split('/').some((segment) => segment === '.' || segment === '..')
  // Node writes a path as Latin-1, and receives it as Latin-1.
  if (!pathname.startsWith('/') || rawPath.includes('#') || hasDotSegment || /[^\x21-\xff]/.test(rawPath)) {
    throw createRefusedError(
      'PATH_OUTSIDE',
      'The path must begin with / and must not lead outside the bridge’s address.',
      {
        endpoint: pathname.slice(0, 200),
      },
    )
  }
}

/** A host might read it differently: empty segments, encoded slashes, backslashes. */
export function isAmbiguousPath(rawPath: string): boolean {
  const pathname = rawPath.split('?', 1)[0] ?? ''
  return /%2f|%5c|%00|\\|\/\/|.\/$/i.test(pathname) || pathname.includes(';')
}

/** A response that is passed on; its body is still encoded as the host sent it. */
export interface WireRelayResponse extends WireStream {
  readonly statusText: string
  readonly rawHeaders: RawHeaders
}

/** Bytes of a body that wait on either side; with one read, both sides would always stop and go. */
export const MAX_RELAY_BUFFER_BYTES = 256 * 1024

type ResponseHead = Pick<WireRelayResponse, 'status' | 'headers'>

/** Decodes nothing; `onHead` may mask only a body that is not encoded. Throws `AppError` only. */
export function openRelay(
  request: WireRequest,
  agents: HttpAgents,
  onHead: (head: ResponseHead) => MaskStream | null,
): Promise<WireRelayResponse> {
  const onPiece = (piece: Buffer): void => {
    request.onPiece?.(piece)
    readBuffers.lend(piece)
  }
  const handleResponse: ResponseHandler<WireRelayResponse> = async (response) => {
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
  return sendWithResend(request, agents.relay, agents.singleUse, handleResponse)
}
