/**
 * Sends requests to a host over HTTP and records every exchange; reads and relays share this path.
 * It decides nothing about operations and stores nothing. Read `../types.ts` first, then this file.
 */
import type { AppError } from '../../../../shared/errors.ts'
import { createHttpAgents, destroyHttpAgents, type StandInAddress, type HttpAgents } from '../wire/http-agents.ts'
import {
  getHostErrorCode,
  assertSuccess,
  parseJsonResponse,
  getContentType,
  hasErrorInAnyMediaType,
  isJsonType,
} from './response.ts'
import {
  sendWireRequest,
  type WireResponse,
  type WireRequest,
  openWireStream,
  type WireStream,
  type DecodedWireStream,
} from '../wire/exchange.ts'
import { assertListed, assertRead, assertWriteAllowed } from './access-check.ts'
import { maskBytes, MaskStream } from '../../mask/mask.ts'
import { buildResponseMeta, prepareRequest, type PreparedRequest } from './prepared-request.ts'
import { createRelay } from './relay.ts'
import { withRetries } from './retry.ts'
import { toMaskedError } from '../wire/certificate.ts'
import { sendOnce } from './single-send.ts'
import { ExchangeObserver } from './exchange-observer.ts'
import type {
  BridgeResponse,
  BridgeClient,
  BridgeRequest,
  BridgeTarget,
  ExchangeRecorder,
  RequestLimits,
  BridgeStream,
} from '../types.ts'
import type { Origin } from '../../../../shared/traffic/exchange.ts'
import { Readable } from 'node:stream'
import { MAX_ERROR_BYTES } from '../wire/body-decoder.ts'

/** Makes one attempt. Throws `AppError` only. */
async function openResponseStream(
  prepared: PreparedRequest,
  observer: ExchangeObserver,
  agents: HttpAgents,
): Promise<BridgeStream> {
  const { token } = prepared.target
  let wire: DecodedWireStream | null = null
  try {
    const onPiece = (piece: Buffer): void => observer.observeResponsePiece(piece)
    wire = await openWireStream(
      { ...prepared.wireRequest, trace: observer.trace, onResend: observer.startResend, onPiece },
      agents,
    )
    const { id, trace } = observer
    const body = await getSuccessfulBody(prepared, wire)
    observer.endWithBody(wire, (error) => toMaskedError(error, token, id))
    const length = parseContentLength(wire)
    const meta = buildResponseMeta(prepared, id, wire, trace.elapsedMs, length ?? 0)
    return {
      meta,
      length,
      body,
      isUndecodable: wire.isUndecodable,
      createMask: () => new MaskStream(token),
      assertNoHostError: createErrorCheck(prepared, wire, id),
    }
  } catch (thrown) {
    wire?.body.destroy()
    const failure = toMaskedError(thrown, token, observer.id)
    observer.recordFailure(failure, wire?.isUndecodable())
    throw failure
  }
}

/** Reads only a body that may be an error. @throws The errors of `assertSuccess` */
async function getSuccessfulBody(
  { request: { endpoint }, wireRequest: { url } }: PreparedRequest,
  wire: WireStream,
): Promise<Readable> {
  const { status, headers, body } = wire
  const isSuccess = status >= 200 && status < 300
  if (isSuccess && !isJsonType(getContentType(wire))) return body
  const { bytes, isWhole } = await readBeginning(body)
  if (!isSuccess || isWhole) assertSuccess(endpoint, { status, headers, bytes, isTruncated: !isWhole }, url)
  if (isWhole) return Readable.from(bytes.byteLength === 0 ? [] : [bytes], { objectMode: false })
  body.unshift(bytes)
  return body
}

/** Some hosts send an error under the media type of the requested file; only the bytes show it. */
function createErrorCheck(
  { request: { endpoint }, wireRequest: { url }, target }: PreparedRequest,
  wire: WireStream,
  id: string,
) {
  const { status, headers } = wire
  return (bytes: Buffer): void => {
    if (status === 206 || !hasErrorInAnyMediaType(endpoint)) return
    try {
      assertSuccess(endpoint, { status, headers, bytes: Buffer.from(bytes), isTruncated: false }, url)
    } catch (error) {
      throw toMaskedError(error, target.token, id)
    }
  }
}

async function readBeginning(body: Readable): Promise<{ bytes: Buffer<ArrayBuffer>; isWhole: boolean }> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of body.iterator({ destroyOnReturn: false })) {
    pieces.push(piece as Buffer)
    size += (piece as Buffer).byteLength
    if (size >= MAX_ERROR_BYTES) return { bytes: Buffer.concat(pieces), isWhole: false }
  }
  return { bytes: Buffer.concat(pieces), isWhole: true }
}

function parseContentLength({ headers }: WireStream): number | null {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  const length = headers['content-length']
  if (length === undefined || (encoding !== '' && encoding !== 'identity') || !/^\d{1,15}$/.test(length)) return null
  return Number(length)
}

interface ClientOptions {
  /** Records every exchange, retries included. */
  readonly recorder?: ExchangeRecorder | undefined
  /** Called for each request, so that a changed setting takes effect at once. */
  readonly limits: () => RequestLimits
  /** Called before a write is sent and after its end: data read before may be stale. */
  readonly onWrite?: (request: BridgeRequest) => void
  /** The app's version, sent as `User-Agent: bridge-inspector/<version>`. */
  readonly version?: string
  /** Every connection goes here in place of the host: there a recording is served. */
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
      if (response.decodingError) throw response.decodingError
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
    assertListed(request.endpoint, target)
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
      assertListed(request.endpoint, target)
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
        const hostCode = getHostErrorCode(request.endpoint, response, prepared.wireRequest.url)
        observer.recordResponse(response, null, response.decodingError ? null : hostCode)
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
