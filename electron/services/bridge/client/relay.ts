import { PassThrough, pipeline, Transform } from 'node:stream'
import { parseJsonOr, assertWriteAllowed, type RequestParts } from './access-check.ts'
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
import { createDecoder, getContentEncoding } from '../wire/body-decoder.ts'
import { getContentType } from './response.ts'

/** What is no text, whatever the host calls it: nothing in it is masked. */
const media = /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|gzip|x-7z-compressed)\b)/i

/** Keeps the token out of an answer that passes through; with none, the answer passes as it came. */
class Masking {
  readonly #token: string | null
  readonly #method: string
  #inline: MaskStream | null = null

  constructor(token: string | null, method: string) {
    this.#token = token
    this.#method = method
  }

  /** What masks the body while it passes: null where it has to be decoded first, or nothing in it is masked. */
  readonly onHead = (head: Pick<WireRelayResponse, 'status' | 'headers'>): MaskStream | null => {
    if (this.#token === null || this.#isPassed(head)) return null
    if (/^(?:identity)?$/.test(getContentEncoding(head.headers))) this.#inline = new MaskStream(this.#token)
    return this.#inline
  }

  /** Throws `ENCODING_UNKNOWN` for a text that has to be masked and cannot be read. */
  answer(wire: WireRelayResponse, exchangeId: string): RelayResponse {
    const { status, statusText, body } = wire
    const passed = removeHopByHopHeaders(wire.rawHeaders)
    const head = { exchangeId, status, statusText }
    if (this.#token === null) return { ...head, headers: passed, body, getMaskedCount: () => 0 }
    const text = TokenMask.forToken(this.#token)
    const headers = passed.map(([name, value]) => [text.conceal(name), text.conceal(value)] as const)
    const inHeaders = headers.filter(([, value], at) => value !== passed[at]?.[1]).length
    const inline = this.#inline
    if (inline || this.#isPassed(wire))
      return { ...head, headers, body, getMaskedCount: () => inHeaders + (inline?.maskedCount ?? 0) }
    const decoder = createDecoder(getContentEncoding(wire.headers)) ?? new PassThrough()
    const mask = new MaskStream(this.#token)
    const masked = new Transform({
      transform: (piece: Buffer, _, done) => done(null, mask.push(piece)),
      flush: (done) => done(null, mask.end()),
    })
    // A failure on one side ends the other; the reader of the last part sees it.
    pipeline(body, decoder, masked, () => undefined)
    const decoded = headers.filter(([name]) => !/^content-(?:encoding|length)$/i.test(name))
    return { ...head, headers: decoded, body: masked, getMaskedCount: () => inHeaders + mask.maskedCount }
  }

  #isPassed(head: Pick<WireRelayResponse, 'status' | 'headers'>): boolean {
    return this.#method === 'HEAD' || head.status === 204 || head.status === 304 || media.test(getContentType(head))
  }
}

interface Options {
  readonly agents: HttpAgents
  readonly limits: () => RequestLimits
  readonly recorder?: ExchangeRecorder | undefined
  readonly onWrite?: ((request: BridgeRequest) => void) | undefined
}

/** The largest time limit that a timer takes: what another program asks for may go on for as long as bytes move. */
const NO_LIMIT = 2 ** 31 - 1
/**
 * Passes requests on. The host sees the caller's method, path, headers and body as they came, with the token in place of theirs; the caller
 * sees the host's answer as it came. Only `masked` changes bytes. Each is recorded like any other exchange, which holds neither side up.
 */
export function createRelay({ agents, limits, recorder, onWrite }: Options): Relay['relay'] {
  return async (target, request) => {
    const { endpoint, isMasked: masked } = request
    const given = bodyOf(request)
    assertWriteAllowed(endpoint, target.isReadOnly, judgedOf(request))
    const call = callOf(target, request, limits())
    const writes = getRowAccess(endpoint, given) === 'write'
    const watch = new ExchangeObserver(call, 1, null, recorder)
    const seal = (error: unknown) => toMaskedError(error, target.token, watch.id)
    const source = sourceOf(request, watch)
    let keep: (piece: Buffer) => void = () => undefined
    const onPiece = (piece: Buffer): void => keep(piece)
    const masking = new Masking(masked ? target.token : null, request.method)
    let wire: WireRelayResponse | null = null
    try {
      await request.beforeSend?.()
      if (writes) onWrite?.({ endpoint })
      const noted = { trace: watch.trace, onResend: watch.startResend, onPiece }
      wire = await openRelay({ ...call.wireRequest, bodySource: source, ...noted }, agents, masking.onHead)
      keep = watch.endWithEncodedBody(wire, wire.headers, seal)
      if (writes) void wire.completion.then(() => onWrite?.({ endpoint }))
      return masking.answer(wire, watch.id)
    } catch (thrown) {
      const failure = seal(thrown)
      wire?.body.destroy(failure)
      if (!wire) watch.recordFailure(failure)
      throw failure
    }
  }
}

/** The value of a body that is at hand: some reads take over the screen if it says so. What cannot be told apart counts as that. */
function bodyOf({ endpoint: { navigationMember: navigatesWith }, body }: RelayRequest): unknown {
  if (navigatesWith === null || body === null) return undefined
  return parseJsonOr(Buffer.isBuffer(body) ? body : null, null)
}

/** What the lock judges. A body that is still to come may hold a method of its own. */
function judgedOf(request: RelayRequest): RequestParts {
  const { rawPath, headers, body } = request
  const bodyText = body === null ? null : Buffer.isBuffer(body) ? body.toString() : UNREAD_BODY
  return { body: bodyOf(request), bodyText, rawPath, headers }
}

const UNREAD_BODY = '{"_method":"unread"}'

function callOf(target: BridgeTarget, request: RelayRequest, limits: RequestLimits): PreparedRequest {
  const { endpoint, method, rawPath, body, origin, rule, signal } = request
  assertPathInside(rawPath)
  const url = new URL(target.baseUrl)
  const reads = getRowAccess(endpoint, bodyOf(request)) === 'read'
  const plain = request.isMasked
  const headers = buildRelayHeaders(target, withoutRange(request), lengthOf(request), plain)
  return {
    target,
    request: { endpoint, origin, ...(rule === undefined ? {} : { rule }) },
    path: rawPath,
    wireRequest: {
      url,
      path: `${url.pathname.replace(/\/$/, '')}${rawPath}`,
      method,
      headers,
      body: Buffer.isBuffer(body) ? body : null,
      file: null,
      tlsFingerprint: target.tlsFingerprint,
      limits: { ...limits, totalTimeoutMs: NO_LIMIT },
      signal,
      isRepeatable: reads && body === null && (method === 'GET' || method === 'HEAD'),
      isJsonExpected: false,
    },
  }
}

function lengthOf({ body, length }: RelayRequest): BodyLength {
  if (Buffer.isBuffer(body)) return body.byteLength
  if (body === null) return length === 0 ? 0 : null
  return length ?? 'chunked'
}

/** A masked text could be put together from ranges that each cut the token in two. */
function withoutRange({ isMasked: masked, endpoint, headers }: RelayRequest): RawHeaders {
  if (!masked || endpoint.response.kind === 'binary') return headers
  return headers.filter(([name]) => !/^(?:if-)?range$/i.test(name))
}

function sourceOf({ body, onContinue }: RelayRequest, watch: ExchangeObserver): SourceBody | undefined {
  if (body === null || Buffer.isBuffer(body)) return undefined
  let at = performance.now()
  const onMoved = (): void => {
    at = performance.now()
  }
  return {
    stream: body,
    onPiece: (piece) => watch.observeRequestPiece(piece),
    onContinue,
    onMoved,
    getLastMoveMs: () => at,
  }
}
