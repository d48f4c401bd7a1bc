import { accessOf } from '../../../../shared/bridge/access.ts'
import { pathFor } from './path.ts'
import { refused } from '../../../../shared/errors.ts'
import type { AnswerMeta } from '../../../../shared/ipc/bridge.ts'
import { TokenMask } from '../../mask/mask.ts'
import { contentType } from './answer.ts'
import type { WireAnswer, WireRequest } from '../wire/exchange.ts'
import { requestHeaders, shownHeaders } from '../wire/headers.ts'
import type { BridgeRequest, BridgeTarget, ByteRange, Limits } from '../types.ts'

/** One request, checked and ready to be sent. */
export interface Call {
  readonly target: BridgeTarget
  readonly asked: BridgeRequest
  /** Relative to the base URL. */
  readonly path: string
  readonly wire: WireRequest
}

/** Builds and checks a request. Throws `PATH_OUTSIDE` and the errors of `buildPath` and `requestHeaders`. */
export function prepare(
  target: BridgeTarget,
  asked: BridgeRequest,
  limits: Limits,
  userAgent: string,
  stream?: { readonly range: ByteRange | null },
): Call {
  const { endpoint } = asked
  const path = asked.rawPath ?? pathFor(target, endpoint, asked.params, asked.query)
  const base = new URL(target.baseUrl)
  const url = new URL(target.baseUrl + path)
  // The template may come from the host: it may only name a route below the base address.
  if (url.origin !== base.origin || !url.pathname.startsWith(`${base.pathname.replace(/\/$/, '')}/`)) {
    throw refused('PATH_OUTSIDE', `The path of ${endpoint.id} leads outside the bridge’s address.`, {
      endpoint: endpoint.id,
    })
  }
  const body = asked.body === undefined ? null : Buffer.from(asked.bodyText ?? JSON.stringify(asked.body))
  const accept = endpoint.response.kind === 'json' ? 'application/json' : '*/*'
  const wire: WireRequest = {
    url,
    method: endpoint.method,
    headers: requestHeaders(target, {
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
    repeatable: accessOf(endpoint, asked.body) === 'read',
    json: endpoint.response.kind === 'json',
  }
  return { target, asked, path, wire }
}

/** The facts about an answer that are shown wherever it is. */
export function metaOf(
  { target, asked, path }: Call,
  exchangeId: string,
  answer: Pick<WireAnswer, 'status' | 'headers'>,
  durationMs: number,
  byteLength: number,
): AnswerMeta {
  const mask = TokenMask.ofOne(target.token)
  const headers = Object.entries(shownHeaders(answer.headers))
  return {
    exchangeId,
    endpoint: asked.endpoint.id,
    method: asked.endpoint.method,
    path,
    status: answer.status,
    contentType: mask.conceal(contentType(answer)),
    headers: Object.fromEntries(headers.map(([name, value]) => [name, mask.conceal(value)])),
    durationMs,
    receivedAt: Date.now(),
    epoch: target.epoch,
    byteLength,
  }
}
