import { pipeline, Transform } from 'node:stream'
import { parseJsonOr, assertWriteAllowed, isReadRequest, type RequestParts } from './access-check.ts'
import type { HttpAgents } from '../wire/http-agents.ts'
import {
  assertPathInside,
  buildRelayHeaders,
  type BodyLength,
  removeHopByHopHeaders,
  openRelay,
  type WireRelayResponse,
} from '../wire/relay-exchange.ts'
import { toMaskedError } from '../wire/certificate.ts'
import type { SourceBody } from '../wire/source-body.ts'
import type { RawHeaders } from '../exchange-trace.ts'
import type { RelayRequest, RelayResponse } from '../relay-types.ts'
import type { BridgeRequest, BridgeTarget, ExchangeRecorder, RequestLimits, Relay } from '../types.ts'
import { getRowAccess } from '../../../../shared/bridge/row-access.ts'
import type { PreparedRequest } from './prepared-request.ts'
import { ExchangeObserver } from './exchange-observer.ts'
import { MaskStream, TokenMask } from '../../mask/mask.ts'
import { decodePassingBody, getContentEncoding } from '../wire/body-decoder.ts'
import { getContentType } from './response.ts'

/** Media types that hold no text, so nothing in them is masked. */
const MEDIA_TYPES = /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|gzip|x-7z-compressed)\b)/i

/** Masks the token in a relayed response. With a null token the response passes unchanged. */
class ResponseMasker {
  readonly #token: string | null
  readonly #method: string
  #inlineMask: MaskStream | null = null

  constructor(token: string | null, method: string) {
    this.#token = token
    this.#method = method
  }

  /** Mask for a body that passes through; null if it is decoded first or not masked. */
  readonly onHead = (head: Pick<WireRelayResponse, 'status' | 'headers'>): MaskStream | null => {
    if (this.#token === null || this.#isPassedUnchanged(head)) return null
    if (/^(?:identity)?$/.test(getContentEncoding(head.headers))) this.#inlineMask = new MaskStream(this.#token)
    return this.#inlineMask
  }

  async buildResponse(wire: WireRelayResponse, exchangeId: string): Promise<RelayResponse> {
    const { status, statusText, body } = wire
    const endToEndHeaders = removeHopByHopHeaders(wire.rawHeaders)
    const head = { exchangeId, status, statusText }
    if (this.#token === null) return { ...head, headers: endToEndHeaders, body, getMaskedCount: () => 0 }
    const tokenMask = TokenMask.forToken(this.#token)
    const headers = endToEndHeaders.map(([name, value]) => [tokenMask.conceal(name), tokenMask.conceal(value)] as const)
    const maskedInHeaders = headers.filter(([, value], index) => value !== endToEndHeaders[index]?.[1]).length
    const inlineMask = this.#inlineMask
    if (inlineMask || this.#isPassedUnchanged(wire))
      return { ...head, headers, body, getMaskedCount: () => maskedInHeaders + (inlineMask?.maskedCount ?? 0) }
    const length = wire.headers['content-length']
    const declaredBytes = length === undefined ? null : Number(length)
    const passed = await decodePassingBody(body, getContentEncoding(wire.headers), declaredBytes)
    const maskStream = new MaskStream(this.#token)
    const maskedBody = new Transform({
      transform: (piece: Buffer, _, done) => done(null, maskStream.push(piece)),
      flush: (done) => done(null, maskStream.end()),
    })
    // A failure on one side ends the other; the reader of the last stream sees it.
    pipeline(passed.stream, maskedBody, () => undefined)
    const decodedHeaders = headers.filter(([name]) => !/^content-(?:encoding|length)$/i.test(name))
    return {
      ...head,
      headers: passed.isDecoded ? decodedHeaders : headers,
      body: maskedBody,
      getMaskedCount: () => maskedInHeaders + maskStream.maskedCount,
    }
  }

  #isPassedUnchanged(head: Pick<WireRelayResponse, 'status' | 'headers'>): boolean {
    return (
      this.#method === 'HEAD' || head.status === 204 || head.status === 304 || MEDIA_TYPES.test(getContentType(head))
    )
  }
}

interface Options {
  readonly agents: HttpAgents
  readonly limits: () => RequestLimits
  readonly recorder?: ExchangeRecorder | undefined
  readonly onWrite?: ((request: BridgeRequest) => void) | undefined
}

/** The longest delay of a Node timer: a relayed exchange may take any time while bytes move. */
const MAX_TIMER_MS = 2 ** 31 - 1
/**
 * Creates the function that relays requests of other programs. The host receives the caller's
 * method, path, headers and body unchanged, except that the token replaces the caller's
 * authorization. The caller receives the host's response unchanged unless `isMasked` is set.
 * Recording an exchange delays neither side.
 */
export function createRelay({ agents, limits, recorder, onWrite }: Options): Relay['relay'] {
  return async (target, request) => {
    const { endpoint, isMasked } = request
    const body = parseNavigationBody(request)
    assertWriteAllowed(endpoint, target.isReadOnly, toRequestParts(request))
    const prepared = prepareRelay(target, request, limits())
    const isWrite = getRowAccess(endpoint, body) === 'write'
    const observer = new ExchangeObserver(prepared, 1, null, recorder)
    observer.decodeRequest()
    const maskError = (error: unknown) => toMaskedError(error, target.token, observer.id)
    const bodySource = createSourceBody(request, observer)
    let recordPiece: (piece: Buffer) => void = () => undefined
    const onPiece = (piece: Buffer): void => recordPiece(piece)
    const masker = new ResponseMasker(isMasked ? target.token : null, request.method)
    let wire: WireRelayResponse | null = null
    try {
      await request.beforeSend?.()
      if (isWrite) onWrite?.({ endpoint })
      const hooks = { trace: observer.trace, onResend: observer.startResend, onPiece }
      wire = await openRelay({ ...prepared.wireRequest, bodySource, ...hooks }, agents, masker.onHead)
      recordPiece = observer.endWithEncodedBody(wire, wire.headers, maskError)
      if (isWrite) void wire.completion.then(() => onWrite?.({ endpoint }))
      return await masker.buildResponse(wire, observer.id)
    } catch (thrown) {
      const failure = maskError(thrown)
      wire?.body.destroy(failure)
      if (!wire) observer.recordFailure(failure)
      throw failure
    }
  }
}

/**
 * Returns the parsed body if one of its members decides whether a read of this endpoint navigates.
 * Null is an unreadable body, which counts as navigating; undefined means that the body does not
 * matter.
 */
function parseNavigationBody({ endpoint: { navigationMember }, body }: RelayRequest): unknown {
  if (navigationMember === null || body === null) return undefined
  return parseJsonOr(Buffer.isBuffer(body) ? body : null, null)
}

/** Returns what the access check reads. A streamed body counts as an override, as it may be. */
function toRequestParts(request: RelayRequest): RequestParts {
  const { rawPath, headers, body } = request
  const bodyText = body === null ? null : Buffer.isBuffer(body) ? body.toString() : UNREAD_BODY
  return { body: parseNavigationBody(request), bodyText, rawPath, headers }
}

const UNREAD_BODY = '{"_method":"unread"}'

function prepareRelay(target: BridgeTarget, request: RelayRequest, limits: RequestLimits): PreparedRequest {
  const { endpoint, method, rawPath, body, origin, rule, panelCall, signal } = request
  assertPathInside(rawPath)
  const url = new URL(target.baseUrl)
  const isUncompressed = request.isMasked
  const headers = buildRelayHeaders(target, removeRangeHeaders(request), getBodyLength(request), isUncompressed)
  return {
    target,
    request: { endpoint, origin, panelCall, ...(rule === undefined ? {} : { rule }) },
    path: rawPath,
    wireRequest: {
      url,
      path: `${url.pathname.replace(/\/$/, '')}${rawPath}`,
      method,
      headers,
      body: Buffer.isBuffer(body) ? body : null,
      file: null,
      tlsFingerprint: target.tlsFingerprint,
      limits: { ...limits, totalTimeoutMs: MAX_TIMER_MS },
      signal,
      isRepeatable:
        body === null && (method === 'GET' || method === 'HEAD') && isReadRequest(endpoint, toRequestParts(request)),
      isJsonExpected: false,
    },
  }
}

function getBodyLength({ body, length }: RelayRequest): BodyLength {
  if (Buffer.isBuffer(body)) return body.byteLength
  if (body === null) return length === 0 ? 0 : null
  return length ?? 'chunked'
}

/** Removes range headers where text is masked: ranges could each hold a part of the token. */
function removeRangeHeaders({ isMasked, endpoint, headers }: RelayRequest): RawHeaders {
  if (!isMasked || endpoint.response.kind === 'binary') return headers
  return headers.filter(([name]) => !/^(?:if-)?range$/i.test(name))
}

function createSourceBody({ body, onContinue }: RelayRequest, observer: ExchangeObserver): SourceBody | undefined {
  if (body === null || Buffer.isBuffer(body)) return undefined
  let lastMoveMs = performance.now()
  const onMoved = (): void => {
    lastMoveMs = performance.now()
  }
  return {
    stream: body,
    onPiece: (piece) => observer.observeRequestPiece(piece),
    onContinue,
    onMoved,
    getLastMoveMs: () => lastMoveMs,
  }
}
