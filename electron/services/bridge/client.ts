import { randomUUID } from 'node:crypto'
import { buildPath } from '../../../shared/bridge/request.ts'
import { AppError, refused } from '../../../shared/errors.ts'
import type { AnswerMeta } from '../../../shared/ipc/bridge.ts'
import { createAgents, destroyAgents } from './agents.ts'
import { contentType, judgeAnswer, parsed } from './answer.ts'
import { exchange, type WireAnswer, type WireRequest } from './exchange.ts'
import { cancelled } from './failure.ts'
import { assertUnlocked } from './gate.ts'
import { requestHeaders, shownHeaders } from './headers.ts'
import { maskToken } from './mask.ts'
import { delayBefore, pause, worthRepeating } from './retry.ts'
import { sealed } from './seal.ts'
import type { BridgeAnswer, BridgeClient, BridgeRequest, BridgeTarget, Exchange, Limits } from './types.ts'

export interface ClientOptions {
  /** Read anew for each request, so that a changed setting counts at once. */
  readonly limits: () => Limits
  /** Told of every exchange when it has ended, also of those that are repeated. */
  readonly onExchange?: (exchange: Exchange) => void
  /** The app's version, for `User-Agent: bridge-inspector/<version>`. */
  readonly version?: string
}

const DEFAULT_ATTEMPTS = 3

/** The one request path to a host; see `BridgeClient`. */
export function createBridgeClient(options: ClientOptions): BridgeClient {
  const agents = createAgents()
  const userAgent = `bridge-inspector/${options.version ?? '0'}`

  async function attempt(call: Call, number: number): Promise<BridgeAnswer> {
    const { target, asked, path, wire } = call
    const { endpoint } = asked
    const id = randomUUID()
    const startedAt = Date.now()
    const started = performance.now()
    let answer: WireAnswer | null = null
    let failure: AppError | null = null
    try {
      answer = await exchange(wire, agents)
      judgeAnswer(endpoint, answer, wire.url)
    } catch (thrown) {
      failure = sealed(thrown, target.token, id)
    }
    const durationMs = performance.now() - started
    const status = answer?.status ?? null
    options.onExchange?.({
      id,
      endpoint: endpoint.id,
      method: endpoint.method,
      path,
      attempt: number,
      startedAt,
      durationMs,
      status,
      bytes: answer?.bytes.byteLength ?? 0,
      error: failure && { kind: failure.kind, ...(failure.code === undefined ? {} : { code: failure.code }) },
    })
    if (failure) throw failure
    if (answer === null) throw new Error('an exchange ended with neither answer nor failure')
    const masked = endpoint.response.kind === 'binary' ? 0 : maskToken(answer.bytes, target.token)
    return { bytes: answer.bytes, meta: { ...metaOf(call, id, answer, durationMs), ...(masked > 0 ? { masked } : {}) } }
  }

  async function request(target: BridgeTarget, asked: BridgeRequest): Promise<BridgeAnswer> {
    assertUnlocked(asked.endpoint, target.readOnly)
    const limits = { ...options.limits(), ...asked.limits }
    const call = prepare(target, asked, limits, userAgent)
    const attempts = asked.endpoint.access === 'read' ? (asked.attempts ?? DEFAULT_ATTEMPTS) : 1
    for (let number = 1; ; number += 1) {
      try {
        return await attempt(call, number)
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
      const { bytes, meta } = await request(target, asked)
      try {
        return { value: parsed(meta.status, meta.contentType, bytes), meta }
      } catch (thrown) {
        throw sealed(thrown, target.token, meta.exchangeId)
      }
    },
    close: () => destroyAgents(agents),
  }
}

/** One request, checked and ready to be sent. */
interface Call {
  readonly target: BridgeTarget
  readonly asked: BridgeRequest
  /** Relative to the base URL. */
  readonly path: string
  readonly wire: WireRequest
}

function prepare(target: BridgeTarget, asked: BridgeRequest, limits: Limits, userAgent: string): Call {
  const { endpoint } = asked
  const path = buildPath(endpoint, asked.params, asked.query, target.pathOverrides[endpoint.id])
  const base = new URL(target.baseUrl)
  const url = new URL(target.baseUrl + path)
  // The template may be the host's own: it names a route below the base address and nothing else.
  if (url.origin !== base.origin || !url.pathname.startsWith(`${base.pathname.replace(/\/$/, '')}/`)) {
    throw refused('PATH_OUTSIDE', `The path of ${endpoint.id} leads out of the bridge's address.`, {
      endpoint: endpoint.id,
    })
  }
  const body = asked.body === undefined ? null : Buffer.from(JSON.stringify(asked.body))
  const accept = endpoint.response.kind === 'json' ? 'application/json' : '*/*'
  const wire: WireRequest = {
    url,
    method: endpoint.method,
    headers: requestHeaders(target, { accept, body, userAgent }),
    body,
    tlsFingerprint: target.tlsFingerprint,
    limits,
    signal: asked.signal,
    repeatable: endpoint.access === 'read',
  }
  return { target, asked, path, wire }
}

function metaOf({ target, asked, path }: Call, id: string, answer: WireAnswer, durationMs: number): AnswerMeta {
  return {
    exchangeId: id,
    endpoint: asked.endpoint.id,
    method: asked.endpoint.method,
    path,
    status: answer.status,
    contentType: contentType(answer),
    headers: shownHeaders(answer.headers),
    durationMs,
    receivedAt: Date.now(),
    epoch: target.epoch,
    byteLength: answer.bytes.byteLength,
  }
}
