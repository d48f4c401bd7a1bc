import { buildPath } from '../../../shared/bridge/request.ts'
import { AppError, toWire } from '../../../shared/errors.ts'
import { inspectJson } from '../../../shared/json/inspect.ts'
import type { AnswerMeta } from '../../../shared/ipc/bridge.ts'
import { contentType, judgeAnswer } from './answer.ts'
import { createAgents, exchange, type WireAnswer } from './exchange.ts'
import { cancelled, notJson } from './failure.ts'
import { assertUnlocked } from './gate.ts'
import { requestHeaders, shownHeaders } from './headers.ts'
import { delayBefore, pause, worthRepeating } from './retry.ts'
import type { BridgeAnswer, BridgeClient, BridgeRequest, BridgeTarget, Exchange, Limits } from './types.ts'

export interface ClientOptions {
  /** Read anew for each request, so that a changed setting counts at once. */
  readonly limits: () => Limits
  readonly onExchange?: (exchange: Exchange) => void
}

/** The one request path to a host; see `BridgeClient`. */
export function createBridgeClient(options: ClientOptions): BridgeClient {
  const agents = createAgents()
  let count = 0

  async function attempt(
    target: BridgeTarget,
    request: BridgeRequest,
    path: string,
    number: number,
  ): Promise<BridgeAnswer> {
    count += 1
    const { endpoint } = request
    const id = `x${count}`
    const startedAt = Date.now()
    const started = performance.now()
    const told = (status: number | null, bytes: number, error: Exchange['error']): void => {
      const durationMs = performance.now() - started
      const { method, id: endpointId } = endpoint
      options.onExchange?.({
        id,
        endpoint: endpointId,
        method,
        path,
        attempt: number,
        startedAt,
        durationMs,
        status,
        bytes,
        error,
      })
    }
    let answer: WireAnswer | null = null
    try {
      const body = request.body === undefined ? null : Buffer.from(JSON.stringify(request.body))
      const url = new URL(target.baseUrl + path)
      answer = await exchange(
        {
          url,
          method: endpoint.method,
          headers: requestHeaders(target, acceptFor(request), body),
          body,
          tlsFingerprint: target.tlsFingerprint,
          limits: { ...options.limits(), ...request.limits },
          signal: request.signal,
        },
        agents,
      )
      judgeAnswer(endpoint, answer, url)
      told(answer.status, answer.bytes.byteLength, null)
      return { bytes: answer.bytes, meta: meta(id, target, request, path, answer, started) }
    } catch (thrown) {
      const error = thrown instanceof AppError ? thrown : new AppError(toWire(thrown), { cause: thrown })
      const { kind, code } = error
      told(answer?.status ?? null, answer?.bytes.byteLength ?? 0, code === undefined ? { kind } : { kind, code })
      throw Object.assign(error, { wire: { ...error.wire, exchangeId: id } })
    }
  }

  async function request(target: BridgeTarget, asked: BridgeRequest): Promise<BridgeAnswer> {
    const { endpoint } = asked
    assertUnlocked(endpoint, target.readOnly)
    const path = buildPath(endpoint, asked.params, asked.query, target.pathOverrides[endpoint.id])
    const attempts = endpoint.access === 'read' ? (asked.attempts ?? 3) : 1
    for (let number = 1; ; number += 1) {
      try {
        return await attempt(target, asked, path, number)
      } catch (error) {
        if (!(error instanceof AppError) || number >= attempts || !worthRepeating(error)) throw error
        await pause(delayBefore(number + 1, error), asked.signal)
        if (asked.signal?.aborted) throw cancelled()
      }
    }
  }

  return {
    request,
    async requestJson(target, asked) {
      const answer = await request(target, asked)
      const { value, ok } = inspectJson(answer.bytes)
      if (!ok) throw notJson(answer.meta.status, answer.meta.contentType, answer.bytes)
      return { value, meta: answer.meta }
    },
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

function acceptFor(request: BridgeRequest): string {
  const { kind } = request.endpoint.response
  return kind === 'json' ? 'application/json' : '*/*'
}

function meta(
  exchangeId: string,
  target: BridgeTarget,
  request: BridgeRequest,
  path: string,
  answer: WireAnswer,
  started: number,
): AnswerMeta {
  return {
    exchangeId,
    endpoint: request.endpoint.id,
    method: request.endpoint.method,
    path,
    status: answer.status,
    contentType: contentType(answer),
    headers: shownHeaders(answer.headers),
    durationMs: performance.now() - started,
    receivedAt: Date.now(),
    epoch: target.epoch,
    byteLength: answer.bytes.byteLength,
  }
}
