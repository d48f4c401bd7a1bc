/**
 * Sends requests to a host over HTTP and records every exchange; reads and relays share this path.
 * It decides nothing about operations and stores nothing.
 * Read `../types.ts` first, then this file.
 */
import type { AppError } from '../../../../shared/errors.ts'
import { createHttpAgents, destroyHttpAgents, type StandInAddress } from '../wire/http-agents.ts'
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
  /** Records every exchange, retries included. */
  readonly recorder?: ExchangeRecorder | undefined
  /** Called for each request, so that a changed setting takes effect at once. */
  readonly limits: () => RequestLimits
  /**
   * Called before a write is sent and again after its end, because data that was read before may be
   * stale.
   */
  readonly onWrite?: (request: BridgeRequest) => void
  /** The app's version, sent as `User-Agent: bridge-inspector/<version>`. */
  readonly version?: string
  /** Where every connection goes in place of the host: there a recording is served. */
  readonly standIn?: StandInAddress | undefined
}

/** Default limit for responses that the service itself parses. */
const MAX_JSON_BYTES = 8 * 1024 * 1024

/** A placeholder for the token. It passes the same checks and occurs nowhere else in a header. */
const PLACEHOLDER_TOKEN = 'x'.repeat(40)
const toShownHeaders = (headers: WireRequest['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value).replace(PLACEHOLDER_TOKEN, '••••')]),
  )

/** Creates the only client that sends requests to a host. */
export function createBridgeClient(options: ClientOptions): BridgeClient {
  const agents = createHttpAgents(options.standIn)
  const userAgent = `bridge-inspector/${options.version ?? '0'}`

  async function attemptRequest(prepared: PreparedRequest, observer: ExchangeObserver): Promise<BridgeResponse> {
    const { target, request, wireRequest } = prepared
    const { endpoint } = request
    let response: WireResponse | null = null
    let failure: AppError | null = null
    try {
      response = await sendWireRequest(
        { ...wireRequest, trace: observer.trace, onResend: observer.startResend },
        agents,
      )
      assertSuccess(endpoint, response, wireRequest.url)
      request.onArrived?.(response.bytes)
    } catch (thrown) {
      failure = toMaskedError(thrown, target.token, observer.id)
    }
    const durationMs = observer.trace.elapsedMs
    if (response) observer.recordResponse(response, failure)
    else if (failure) observer.recordFailure(failure)
    if (failure) throw failure
    if (response === null) throw new Error('an exchange ended with neither a response nor a failure')
    const maskedCount = endpoint.response.kind === 'binary' ? 0 : maskBytes(response.bytes, target.token, true)
    const meta = buildResponseMeta(prepared, observer.id, response, durationMs, response.bytes.byteLength)
    return { bytes: response.bytes, meta: { ...meta, ...(maskedCount > 0 ? { masked: maskedCount } : {}) } }
  }

  /** Retries a read as `withRetries` decides. Each attempt has its own observer. */
  function observeAttempts<T>(
    prepared: PreparedRequest,
    attempt: (observer: ExchangeObserver) => Promise<T>,
  ): Promise<T> {
    let groupId: string | null = null
    let resendCount = 0
    return withRetries(prepared.request, async (attemptNumber) => {
      const observer = new ExchangeObserver(prepared, attemptNumber + resendCount, groupId, options.recorder)
      groupId ??= observer.id
      try {
        return await attempt(observer)
      } finally {
        resendCount += observer.resendCount
      }
    })
  }

  async function sendRequest(target: BridgeTarget, request: BridgeRequest): Promise<BridgeResponse> {
    assertWriteAllowed(request.endpoint, target.isReadOnly, request)
    const limits = { ...options.limits(), ...request.limits }
    const prepared = prepareRequest(target, request, limits, userAgent)
    return observeAttempts(prepared, (observer) => attemptRequest(prepared, observer))
  }

  return {
    request: sendRequest,
    async requestJson(target, request) {
      const maxBytes = Math.min(options.limits().maxBytes, MAX_JSON_BYTES)
      const { bytes, meta } = await sendRequest(target, { ...request, limits: { maxBytes, ...request.limits } })
      try {
        return { value: parseJsonResponse(meta.status, meta.contentType, bytes, request.maxValues), meta }
      } catch (thrown) {
        throw toMaskedError(thrown, target.token, meta.exchangeId)
      }
    },
    async openStream(target, request) {
      assertWriteAllowed(request.endpoint, target.isReadOnly, request)
      const limits = { ...options.limits(), ...request.limits }
      const prepared = prepareRequest(target, request, limits, userAgent, { range: request.range ?? null })
      return observeAttempts(prepared, (observer) => openResponseStream(prepared, observer, agents))
    },
    async sendOnce(target, request) {
      assertWriteAllowed(request.endpoint, target.isReadOnly, request)
      const prepared = prepareRequest(target, request, { ...options.limits(), ...request.limits }, userAgent)
      const isWrite = request.endpoint.access === 'write'
      if (isWrite) options.onWrite?.(request)
      const result = await sendOnce(prepared, agents, new ExchangeObserver(prepared, 1, null, options.recorder))
      if (isWrite) options.onWrite?.(request)
      return result
    },
    async requestExchangeId(target, request) {
      assertRead(request.endpoint, request)
      const prepared = prepareRequest(target, request, { ...options.limits(), ...request.limits }, userAgent)
      const observer = new ExchangeObserver(prepared, 1, null, options.recorder)
      const { id, trace } = observer
      try {
        const response = await sendWireRequest(
          { ...prepared.wireRequest, trace, isRepeatable: false, isJsonExpected: false },
          agents,
        )
        observer.recordResponse(response, null, getHostErrorCode(request.endpoint, response, prepared.wireRequest.url))
        return id
      } catch (thrown) {
        const failure = toMaskedError(thrown, target.token, id)
        observer.recordFailure(failure)
        throw failure
      }
    },
    describeRequest(target, request) {
      const maskedTarget = { ...target, token: target.token === null ? null : PLACEHOLDER_TOKEN }
      const { path, wireRequest } = prepareRequest(maskedTarget, request, options.limits(), userAgent)
      return {
        method: wireRequest.method,
        path,
        headers: toShownHeaders(wireRequest.headers),
        body: wireRequest.body?.toString() ?? null,
      }
    },
    relay: createRelay({ ...options, agents }),
    close: () => destroyHttpAgents(agents),
  }
}

/** Origin of the requests by which the connection itself learns about the host. */
export const CONNECTION_ORIGIN: Origin = { kind: 'connection', label: null }

/** A client whose requests carry `origin`, unless a request names its own origin. */
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
