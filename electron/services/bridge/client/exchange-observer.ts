import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { AppError } from '../../../../shared/errors.ts'
import { ExchangeTrace } from '../exchange-trace.ts'
import type { DecodedWireStream, WireResponse, WireStream } from '../wire/exchange.ts'
import {
  MAX_ERROR_BYTES,
  createDecoder,
  decodeGzipWithTrailingBytes,
  getContentEncoding,
} from '../wire/body-decoder.ts'
import { BodyPrefix } from '../wire/body-prefix.ts'
import { hasErrorInAnyMediaType } from './response.ts'
import type { PreparedRequest } from './prepared-request.ts'
import type { ExchangeStart, ExchangeEnd, ExchangeRecorder } from '../types.ts'
import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import { inspectJson } from '../../../../shared/json/inspection.ts'
import { finished, type Duplex } from 'node:stream'
import type { StoredBody } from '../../../../shared/traffic/exchange.ts'

/** `isCounted` is false if `receivedBytes` is not the whole size. */
interface StoredPrefix {
  readonly bytes: Buffer | null
  readonly receivedBytes: number
  readonly isCounted: boolean
  readonly missing: StoredBody['missing']
}

/** Maximum bytes that may wait for the decoder. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024

/**
 * The decoded beginning of an encoded body that passes through. Decoding never delays the body,
 * because a decoder that is too slow is abandoned. Decoding stops at `maxBytes`, because a small
 * body may decode to an endless one.
 */
class DecodedBodyPrefix {
  readonly #decoded: BodyPrefix
  /** The bytes as received, for a body that does not decode. */
  readonly #received: BodyPrefix
  readonly #encoding: string
  readonly #maxBytes: number
  readonly #decoder: Duplex | null
  #missing: StoredBody['missing'] = null
  #isUndecodable = false

  constructor(maxBytes: number, headers: IncomingHttpHeaders) {
    this.#maxBytes = maxBytes
    this.#encoding = getContentEncoding(headers)
    this.#decoder = this.#tryCreateDecoder()
    this.#received = new BodyPrefix(maxBytes, Number(headers['content-length'] ?? 0))
    this.#decoded = new BodyPrefix(maxBytes)
    this.#decoder?.on('data', (piece: Buffer) => {
      this.#decoded.append(piece)
      if (this.#decoded.isTruncated) this.#abandonDecoder('limit')
    })
    this.#decoder?.on('error', () => (this.#isUndecodable = true))
  }

  append(piece: Buffer): void {
    if (this.#missing !== null) return
    this.#received.append(piece)
    const decoder = this.#decoder
    if (decoder === null || decoder.destroyed) return
    if (decoder.writableLength > MAX_WAITING_BYTES) this.#abandonDecoder('busy')
    else decoder.write(Buffer.from(piece))
  }

  /** Waits for all pieces. `isComplete` is false for a broken body, stored as far as decoded. */
  async finish(isComplete: boolean): Promise<StoredPrefix> {
    const decoder = this.#decoder
    if (decoder && !decoder.destroyed) {
      decoder.end()
      await new Promise<void>((resolve) => finished(decoder, { writable: false }, () => resolve()))
    }
    const isCounted = this.#missing === null
    if (this.#isUndecodable && isComplete) {
      const { bytes, isTruncated } = this.#received
      const decoded = isTruncated ? null : decodeGzipWithTrailingBytes(this.#encoding, bytes, this.#maxBytes)
      if (decoded) return { bytes: decoded, receivedBytes: decoded.byteLength, isCounted, missing: null }
    }
    const isAsReceived = decoder === null || (this.#isUndecodable && (isComplete || this.#decoded.bytes === null))
    const { bytes, receivedBytes, isTruncated } = isAsReceived ? this.#received : this.#decoded
    const reason = this.#isUndecodable && receivedBytes > 0 ? 'encoded' : null
    return { bytes, receivedBytes, isCounted, missing: isTruncated ? 'limit' : (this.#missing ?? reason) }
  }

  #tryCreateDecoder(): Duplex | null {
    try {
      return createDecoder(this.#encoding)
    } catch {
      this.#isUndecodable = true
      return null
    }
  }

  #abandonDecoder(reason: StoredBody['missing']): void {
    this.#missing = reason
    this.#decoder?.destroy()
  }
}

type Outcome = Pick<
  ExchangeEnd,
  'isComplete' | 'body' | 'receivedBytes' | 'missing' | 'hostCode' | 'error' | 'hasUncountedBytes' | 'isBodyOwned'
>
type StreamedResponse = Pick<WireStream, 'completion'>

const OPENING_BRACE = '{'.charCodeAt(0)

/**
 * Follows one exchange and reports its start and its end to the recorder, each once. A request that
 * is resent because a kept socket was dead is a new exchange, and `id` and `trace` are those of the
 * latest exchange.
 */
export class ExchangeObserver {
  #id = randomUUID()
  #trace: ExchangeTrace
  /** Number of times the request was resent over a new socket. */
  resendCount = 0
  readonly #recorder: ExchangeRecorder | undefined
  #start: ExchangeStart
  readonly #maxStreamedBytes: number
  #responsePrefix: BodyPrefix
  /** Null unless the request body is streamed. */
  #requestPrefix: BodyPrefix | null = null
  /** Null unless the request body passes through encoded. */
  #encodedRequest: DecodedBodyPrefix | null = null
  #hasEnded = false

  /** `groupId` is the id of the first attempt at the same request; null if this is the first. */
  constructor(
    { request, target, path, wireRequest }: PreparedRequest,
    attempt: number,
    groupId: string | null,
    recorder?: ExchangeRecorder,
  ) {
    this.#recorder = recorder
    this.#trace = new ExchangeTrace(request.start?.startedMs)
    this.#maxStreamedBytes = recorder?.getMaxStreamedBytes() ?? 0
    this.#responsePrefix = new BodyPrefix(this.#maxStreamedBytes)
    this.#start = {
      id: this.id,
      group: groupId ?? this.id,
      attempt,
      startedAt: Date.now(),
      ...request.start,
      origin: request.origin ?? { kind: 'place', label: null },
      endpoint: request.endpoint,
      method: wireRequest.method,
      path,
      target,
      headers: Object.entries(wireRequest.headers).map(([name, value]) => [name, String(value)] as const),
      body: wireRequest.body,
      fileBytes: request.file?.size ?? null,
      ...(request.rule === undefined ? {} : { rule: request.rule }),
      panelCall: request.panelCall,
    }
    recorder?.recordStart(this.#start)
  }

  get id(): string {
    return this.#id
  }

  get trace(): ExchangeTrace {
    return this.#trace
  }

  /** Ends this exchange as failed and starts a new exchange for the resent request. */
  readonly startResend = (failure: AppError): ExchangeTrace => {
    const { panelCall } = this.#start
    // The rules judge the call once, with its last exchange.
    this.#start = { ...this.#start, panelCall: undefined }
    this.recordFailure(failure)
    this.resendCount += 1
    this.#hasEnded = false
    this.#id = randomUUID()
    this.#trace = new ExchangeTrace()
    this.#responsePrefix = new BodyPrefix(this.#maxStreamedBytes)
    const start = { startedAt: Date.now(), startedMs: performance.now() }
    this.#start = { ...this.#start, ...start, panelCall, id: this.#id, attempt: this.#start.attempt + 1 }
    this.#recorder?.recordStart(this.#start)
    return this.#trace
  }

  /** Ends with a complete response; `hostCode` is the code of its error, null without an error. */
  recordResponse(
    { bytes, isTruncated, decodingError }: WireResponse,
    error: AppError | null,
    hostCode = hostCodeOf(error),
  ): void {
    const receivedBytes = decodingError ? bytes.byteLength : Math.max(bytes.byteLength, this.trace.receivedBytes)
    const missing = isTruncated ? 'limit' : decodingError ? 'encoded' : null
    this.#end({ isComplete: true, body: bytes, receivedBytes, missing, hostCode, error })
  }

  /** Records bytes that did arrive; `isUndecodable`: as received, because they do not decode. */
  recordFailure(error: AppError, isUndecodable = false): void {
    const body = this.#responsePrefix.bytes ?? this.trace.partialBody
    const receivedBytes = this.#responsePrefix.receivedBytes || this.trace.receivedBytes
    const missing = (body?.byteLength ?? 0) < receivedBytes ? 'limit' : isUndecodable ? 'encoded' : null
    // The client reads only the beginning of an error response that is streamed.
    const isComplete = error.kind === 'host' || error.kind === 'http'
    this.#end({ isComplete, body, receivedBytes, missing, hostCode: hostCodeOf(error), error })
  }

  /** Called with each piece of a response body that passes through. */
  observeResponsePiece(piece: Buffer): void {
    // A body with an opening brace may be an error in any media type, so it is stored whole.
    if (this.#responsePrefix.receivedBytes === 0 && piece[0] === OPENING_BRACE) {
      this.#responsePrefix = new BodyPrefix(Math.max(this.#maxStreamedBytes, MAX_ERROR_BYTES))
    }
    this.#responsePrefix.append(piece)
  }

  /** Records the request body decoded, if the caller's headers say that it is encoded. */
  decodeRequest(): void {
    const headers = Object.fromEntries(this.#start.headers.map(([name, value]) => [name.toLowerCase(), value]))
    if (/^(?:identity)?$/.test(getContentEncoding(headers))) return
    this.#encodedRequest = new DecodedBodyPrefix(this.#maxStreamedBytes, headers)
    if (this.#start.body) this.observeRequestPiece(this.#start.body)
  }

  /** Called with each piece of a request body that passes through. */
  observeRequestPiece(piece: Buffer): void {
    this.#encodedRequest?.append(piece)
    this.#requestPrefix ??= new BodyPrefix(this.#maxStreamedBytes)
    this.#requestPrefix.append(piece)
  }

  /** Ends the exchange when the streamed response body ends. `maskError` removes the token. */
  endWithBody(
    { completion, isUndecodable }: Pick<DecodedWireStream, 'completion' | 'isUndecodable'>,
    maskError: (error: AppError) => AppError,
  ): void {
    void completion.then(({ receivedBytes, error }) => {
      const body = this.#responsePrefix.bytes ?? Buffer.alloc(0)
      const reason = isUndecodable() && receivedBytes > 0 ? 'encoded' : null
      const missing = body.byteLength < receivedBytes ? 'media' : reason
      const maskedError = error && maskError(error)
      const isWhole = error === null && missing === null && hasErrorInAnyMediaType(this.#start.endpoint)
      const hostCode = isWhole && this.trace.status !== 206 ? parseHostCode(body) : null
      this.#end({ isComplete: error === null, body, receivedBytes, missing, hostCode, error: maskedError })
    })
  }

  /** Like `endWithBody` for an encoded body; the returned function takes each piece of it. */
  endWithEncodedBody(
    { completion }: StreamedResponse,
    headers: IncomingHttpHeaders,
    maskError: (error: AppError) => AppError,
  ): (piece: Buffer) => void {
    const prefix = new DecodedBodyPrefix(this.#maxStreamedBytes, headers)
    void completion.then(async ({ error }) => {
      const { bytes: body, receivedBytes, isCounted, missing } = await prefix.finish(error === null)
      const hostCode = error || body === null || missing !== null ? null : parseHostCode(body)
      const outcome = {
        isComplete: error === null,
        body,
        receivedBytes,
        missing,
        hostCode,
        error: error && maskError(error),
        isBodyOwned: true,
      }
      this.#end({ ...outcome, ...(isCounted ? {} : { hasUncountedBytes: true }) })
    })
    return (piece) => prefix.append(piece)
  }

  #end(outcome: Outcome): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const { trace } = this
    trace.markEnded()
    const { status, timing, wireBytes, requestHeaders, responseHeaders, elapsedMs: durationMs } = trace
    const wire = { status, timing, wireBytes, requestHeaders, responseHeaders, durationMs }
    const start = this.#start
    const isSent = timing.sent !== null
    const sentBody = this.#requestPrefix && {
      body: this.#requestPrefix.bytes,
      bytes: this.#requestPrefix.receivedBytes,
      isWhole: isSent,
    }
    const record = (decodedBody: ExchangeEnd['sentBody'] | null): void =>
      this.#recorder?.recordEnd(start, { ...wire, ...outcome, ...(decodedBody ? { sentBody: decodedBody } : {}) })
    if (sentBody === null || this.#encodedRequest === null) record(sentBody)
    else {
      void this.#encodedRequest
        .finish(isSent)
        .then(({ bytes: body, receivedBytes: bytes, isCounted, missing }) =>
          record({ body, bytes, isWhole: isSent && isCounted, missing, encodedBytes: sentBody.bytes }),
        )
    }
    this.#responsePrefix = new BodyPrefix(0)
    this.#requestPrefix = null
    this.#encodedRequest = null
  }
}

const hostCodeOf = (error: AppError | null): string | null => (error?.kind === 'host' ? (error.code ?? '') : null)

/** Null if the body holds no error or is too long for one. */
function parseHostCode(bytes: Buffer): string | null {
  if (bytes.byteLength > MAX_ERROR_BYTES || bytes[0] !== OPENING_BRACE) return null
  // Without the member, spelled as it is or with escaped letters, nothing has to be parsed.
  if (!bytes.includes('"error"') && !bytes.includes('\\u')) return null
  const { isValid, value } = inspectJson(bytes)
  return isValid ? errorCodeOf(value) : null
}
