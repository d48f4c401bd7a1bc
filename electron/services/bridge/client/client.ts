import type { AppError } from '../../../../shared/errors.ts'
import { createHttpAgents, destroyHttpAgents } from '../wire/http-agents.ts'
import { getHostErrorCode, assertSuccess, parseJsonResponse } from './response.ts'
import { sendWireRequest, type WireResponse, type WireRequest } from '../wire/exchange.ts'
import { assertRead, assertWriteAllowed } from './access-check.ts'
import { maskBytes } from '../../mask/mask.ts'
import { buildResponseMeta, prepareRequest, type PreparedRequest } from './prepared-request.ts'
import { createRelay } from './relay.ts'
import { withRetries } from './retry.ts'
import { toMaskedError } from '../wire/certificate.ts'
import { sendOnce } from './single-send.ts'
import { openResponseStream } from './response-stream.ts'
import { ExchangeObserver } from './exchange-observer.ts'
import type {
  BridgeResponse,
  BridgeClient,
  BridgeRequest,
  BridgeTarget,
  ExchangeRecorder,
  RequestLimits,
} from '../types.ts'
import type { Origin } from '../../../../shared/traffic/exchange.ts'

interface ClientOptions {
  /** Keeps a record of every exchange, repeated ones included. */
  readonly recorder?: ExchangeRecorder | undefined
  /** Read for each request, so that a changed setting takes effect at once. */
  readonly limits: () => RequestLimits
  /** Called before a write is sent, and again when it is over: what was read earlier may be stale. */
  readonly onWrite?: (request: BridgeRequest) => void
  /** The app's version, for `User-Agent: bridge-inspector/<version>`. */
  readonly version?: string
}

/** Default limit in bytes for answers that the service itself reads. */
const MAX_JSON_BYTES = 8 * 1024 * 1024

/** Passes the same checks as a token, and cannot be confused with anything else in a header. */
const PLACEHOLDER_TOKEN = 'x'.repeat(40)
const shownRequest = (headers: WireRequest['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value).replace(PLACEHOLDER_TOKEN, '••••')]),
  )

/** The one request path to a host; see `BridgeClient`. */
export function createBridgeClient(options: ClientOptions): BridgeClient {
  const agents = createHttpAgents()
  const userAgent = `bridge-inspector/${options.version ?? '0'}`

  async function attempt(call: PreparedRequest, watch: ExchangeObserver): Promise<BridgeResponse> {
    const { target, request: asked, wireRequest: wire } = call
    const { endpoint } = asked
    let answer: WireResponse | null = null
    let failure: AppError | null = null
    try {
      answer = await sendWireRequest({ ...wire, trace: watch.trace, onResend: watch.startResend }, agents)
      assertSuccess(endpoint, answer, wire.url)
      asked.onArrived?.(answer.bytes)
    } catch (thrown) {
      failure = toMaskedError(thrown, target.token, watch.id)
    }
    const durationMs = watch.trace.elapsedMs
    if (answer) watch.recordResponse(answer, failure)
    else if (failure) watch.recordFailure(failure)
    if (failure) throw failure
    if (answer === null) throw new Error('an exchange ended with neither answer nor failure')
    const masked = endpoint.response.kind === 'binary' ? 0 : maskBytes(answer.bytes, target.token, true)
    const meta = buildResponseMeta(call, watch.id, answer, durationMs, answer.bytes.byteLength)
    return { bytes: answer.bytes, meta: { ...meta, ...(masked > 0 ? { masked } : {}) } }
  }

  /** Makes attempts, each with a watch of its own. */
  function attempts<T>(call: PreparedRequest, one: (watch: ExchangeObserver) => Promise<T>): Promise<T> {
    let group: string | null = null
    let sentAgain = 0
    return withRetries(call.request, async (number) => {
      const watch = new ExchangeObserver(call, number + sentAgain, group, options.recorder)
      group ??= watch.id
      try {
        return await one(watch)
      } finally {
        sentAgain += watch.resendCount
      }
    })
  }

  async function request(target: BridgeTarget, asked: BridgeRequest): Promise<BridgeResponse> {
    assertWriteAllowed(asked.endpoint, target.isReadOnly, asked)
    const limits = { ...options.limits(), ...asked.limits }
    const call = prepareRequest(target, asked, limits, userAgent)
    return attempts(call, (watch) => attempt(call, watch))
  }

  return {
    request,
    async requestJson(target, asked) {
      const maxBytes = Math.min(options.limits().maxBytes, MAX_JSON_BYTES)
      const { bytes, meta } = await request(target, { ...asked, limits: { maxBytes, ...asked.limits } })
      try {
        return { value: parseJsonResponse(meta.status, meta.contentType, bytes, asked.maxValues), meta }
      } catch (thrown) {
        throw toMaskedError(thrown, target.token, meta.exchangeId)
      }
    },
    async openStream(target, asked) {
      assertWriteAllowed(asked.endpoint, target.isReadOnly, asked)
      const limits = { ...options.limits(), ...asked.limits }
      const call = prepareRequest(target, asked, limits, userAgent, { range: asked.range ?? null })
      return attempts(call, (watch) => openResponseStream(call, watch, agents))
    },
    async sendOnce(target, asked) {
      assertWriteAllowed(asked.endpoint, target.isReadOnly, asked)
      const call = prepareRequest(target, asked, { ...options.limits(), ...asked.limits }, userAgent)
      const writes = asked.endpoint.access === 'write'
      if (writes) options.onWrite?.(asked)
      const outcome = await sendOnce(call, agents, new ExchangeObserver(call, 1, null, options.recorder))
      if (writes) options.onWrite?.(asked)
      return outcome
    },
    async requestExchangeId(target, asked) {
      assertRead(asked.endpoint, asked)
      const call = prepareRequest(target, asked, { ...options.limits(), ...asked.limits }, userAgent)
      const watch = new ExchangeObserver(call, 1, null, options.recorder)
      const { id, trace } = watch
      try {
        const answer = await sendWireRequest(
          { ...call.wireRequest, trace, isRepeatable: false, isJsonExpected: false },
          agents,
        )
        watch.recordResponse(answer, null, getHostErrorCode(asked.endpoint, answer, call.wireRequest.url))
        return id
      } catch (thrown) {
        const failure = toMaskedError(thrown, target.token, id)
        watch.recordFailure(failure)
        throw failure
      }
    },
    describeRequest(target, asked) {
      const masked = { ...target, token: target.token === null ? null : PLACEHOLDER_TOKEN }
      const { path, wireRequest: wire } = prepareRequest(masked, asked, options.limits(), userAgent)
      return { method: wire.method, path, headers: shownRequest(wire.headers), body: wire.body?.toString() ?? null }
    },
    relay: createRelay({ ...options, agents }),
    close: () => destroyHttpAgents(agents),
  }
}

/** Of what the connection itself needs to know. */
export const CONNECTION_ORIGIN: Origin = { kind: 'connection', label: null }

/** A client for one cause: its requests name `origin`, unless they name another one themselves. */
export function withOrigin(client: BridgeClient, origin: Origin): BridgeClient {
  return {
    request: (target, request) => client.request(target, { origin, ...request }),
    requestJson: (target, request) => client.requestJson(target, { origin, ...request }),
    openStream: (target, request) => client.openStream(target, { origin, ...request }),
    sendOnce: (target, request) => client.sendOnce(target, { origin, ...request }),
    requestExchangeId: (target, request) => client.requestExchangeId(target, { origin, ...request }),
    relay: (target, request) => client.relay(target, request),
    describeRequest: (target, request) => client.describeRequest(target, request),
    close: () => client.close(),
  }
}
