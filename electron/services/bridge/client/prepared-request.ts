import { isReadRequest } from './access-check.ts'
import { buildHostPath } from './request-path.ts'
import { createRefusedError } from '../../../../shared/errors.ts'
import type { ResponseMeta } from '../../../../shared/ipc/bridge.ts'
import { TokenMask } from '../../mask/mask.ts'
import { getContentType } from './response.ts'
import type { WireResponse, WireRequest } from '../wire/exchange.ts'
import { buildRequestHeaders, pickShownHeaders } from '../wire/headers.ts'
import type { BridgeRequest, BridgeTarget, ByteRange, RequestLimits } from '../types.ts'

/** A request that has been checked and is ready to be sent. */
export interface PreparedRequest {
  readonly target: BridgeTarget
  readonly request: BridgeRequest
  readonly path: string
  readonly wireRequest: WireRequest
}

/**
 * @param stream Present if the response body is read as a stream.
 * @throws PATH_OUTSIDE when the path leads out of the base URL; also the errors of `buildPath` and
 *   `buildRequestHeaders`.
 */
export function prepareRequest(
  target: BridgeTarget,
  request: BridgeRequest,
  limits: RequestLimits,
  userAgent: string,
  stream?: { readonly range: ByteRange | null },
): PreparedRequest {
  const { endpoint } = request
  const path = request.rawPath ?? buildHostPath(target, endpoint, request.params, request.query)
  const base = new URL(target.baseUrl)
  const url = new URL(target.baseUrl + path)
  // The template may come from the host, which may only name routes below the base URL.
  if (url.origin !== base.origin || !url.pathname.startsWith(`${base.pathname.replace(/\/$/, '')}/`)) {
    throw createRefusedError('PATH_OUTSIDE', `The path of ${endpoint.id} leads outside the bridge’s address.`, {
      endpoint: endpoint.id,
    })
  }
  const body = request.body === undefined ? null : Buffer.from(request.bodyText ?? JSON.stringify(request.body))
  const accept = endpoint.response.kind === 'json' ? 'application/json' : '*/*'
  const wireRequest: WireRequest = {
    url,
    method: request.method ?? endpoint.method,
    headers: buildRequestHeaders(target, {
      accept,
      body,
      fileSize: request.file?.size,
      userAgent,
      extra: request.headers ?? [],
      ...(stream ? { stream } : {}),
    }),
    body,
    file: request.file ?? null,
    tlsFingerprint: target.tlsFingerprint,
    limits,
    signal: request.signal,
    isRepeatable: isReadRequest(endpoint, request),
    isJsonExpected: endpoint.response.kind === 'json',
  }
  return { target, request, path, wireRequest }
}

/** The facts about a response that every reply to the page carries. The token is masked. */
export function buildResponseMeta(
  { target, request, path }: PreparedRequest,
  exchangeId: string,
  response: Pick<WireResponse, 'status' | 'headers'>,
  durationMs: number,
  byteLength: number,
): ResponseMeta {
  const mask = TokenMask.forToken(target.token)
  const headers = Object.entries(pickShownHeaders(response.headers))
  return {
    exchangeId,
    endpoint: request.endpoint.id,
    method: request.method ?? request.endpoint.method,
    path,
    status: response.status,
    contentType: mask.conceal(getContentType(response)),
    headers: Object.fromEntries(headers.map(([name, value]) => [name, mask.conceal(value)])),
    durationMs,
    receivedAt: Date.now(),
    epoch: target.epoch,
    byteLength,
  }
}
