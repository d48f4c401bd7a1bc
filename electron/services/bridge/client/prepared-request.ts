import { getRowAccess } from '../../../../shared/bridge/row-access.ts'
import { buildHostPath } from './request-path.ts'
import { createRefusedError } from '../../../../shared/errors.ts'
import type { ResponseMeta } from '../../../../shared/ipc/bridge.ts'
import { TokenMask } from '../../mask/mask.ts'
import { getContentType } from './response.ts'
import type { WireResponse, WireRequest } from '../wire/exchange.ts'
import { buildRequestHeaders, pickShownHeaders } from '../wire/headers.ts'
import type { BridgeRequest, BridgeTarget, ByteRange, RequestLimits } from '../types.ts'

/** One request, checked and ready to be sent. */
export interface PreparedRequest {
  readonly target: BridgeTarget
  readonly request: BridgeRequest
  /** Relative to the base URL. */
  readonly path: string
  readonly wireRequest: WireRequest
}

/** Builds and checks a request. Throws `PATH_OUTSIDE` and the errors of `buildPath` and `requestHeaders`. */
export function prepareRequest(
  target: BridgeTarget,
  asked: BridgeRequest,
  limits: RequestLimits,
  userAgent: string,
  stream?: { readonly range: ByteRange | null },
): PreparedRequest {
  const { endpoint } = asked
  const path = asked.rawPath ?? buildHostPath(target, endpoint, asked.params, asked.query)
  const base = new URL(target.baseUrl)
  const url = new URL(target.baseUrl + path)
  // The template may come from the host: it may only name a route below the base address.
  if (url.origin !== base.origin || !url.pathname.startsWith(`${base.pathname.replace(/\/$/, '')}/`)) {
    throw createRefusedError('PATH_OUTSIDE', `The path of ${endpoint.id} leads outside the bridge’s address.`, {
      endpoint: endpoint.id,
    })
  }
  const body = asked.body === undefined ? null : Buffer.from(asked.bodyText ?? JSON.stringify(asked.body))
  const accept = endpoint.response.kind === 'json' ? 'application/json' : '*/*'
  const wire: WireRequest = {
    url,
    method: endpoint.method,
    headers: buildRequestHeaders(target, {
      accept,
      body,
      fileSize: asked.file?.size,
      userAgent,
      extra: asked.headers ?? [],
      ...(stream ? { stream } : {}),
    }),
    body,
    file: asked.file ?? null,
    tlsFingerprint: target.tlsFingerprint,
    limits,
    signal: asked.signal,
    isRepeatable: getRowAccess(endpoint, asked.body) === 'read',
    isJsonExpected: endpoint.response.kind === 'json',
  }
  return { target, request: asked, path, wireRequest: wire }
}

/** The facts about an answer that are shown wherever it is. */
export function buildResponseMeta(
  { target, request: asked, path }: PreparedRequest,
  exchangeId: string,
  answer: Pick<WireResponse, 'status' | 'headers'>,
  durationMs: number,
  byteLength: number,
): ResponseMeta {
  const mask = TokenMask.forToken(target.token)
  const headers = Object.entries(pickShownHeaders(answer.headers))
  return {
    exchangeId,
    endpoint: asked.endpoint.id,
    method: asked.endpoint.method,
    path,
    status: answer.status,
    contentType: mask.conceal(getContentType(answer)),
    headers: Object.fromEntries(headers.map(([name, value]) => [name, mask.conceal(value)])),
    durationMs,
    receivedAt: Date.now(),
    epoch: target.epoch,
    byteLength,
  }
}
