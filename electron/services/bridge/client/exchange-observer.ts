import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { AppError } from '../../../../shared/errors.ts'
import { ExchangeTrace } from '../exchange-trace.ts'
import type { WireResponse, WireStream } from '../wire/exchange.ts'
import { MAX_ERROR_BYTES, createDecoder, getContentEncoding } from '../wire/body-decoder.ts'
import { hasErrorInAnyMediaType } from './response.ts'
import type { PreparedRequest } from './prepared-request.ts'
import type { ExchangeStart, ExchangeEnd, ExchangeRecorder } from '../types.ts'
import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import { inspectJson } from '../../../../shared/json/inspection.ts'
import { finished, type Transform } from 'node:stream'
import type { StoredBody } from '../../../../shared/traffic/exchange.ts'

const INITIAL_BUFFER_BYTES = 16 * 1024

/**
 * The first bytes of a body that passes through. They are copied, because the pieces belong to the
 * reader. `expectedBytes` is the announced size of the body, 0 if unknown.
 */
class BodyPrefix {
  #buffer: Buffer | null = null
  #size = 0
  readonly #maxBytes: number
  readonly #expectedBytes: number
  receivedBytes = 0

  constructor(maxBytes: number, expectedBytes = 0) {
    this.#maxBytes = maxBytes
    this.#expectedBytes = expectedBytes
  }

  append(piece: Buffer): void {
    this.receivedBytes += piece.byteLength
    const size = Math.min(this.#maxBytes, this.#size + piece.byteLength)
    if (size <= this.#size) return
    this.#size += piece.copy(this.#ensureCapacity(size), this.#size, 0, size - this.#size)
  }

  get isTruncated(): boolean {
    return this.receivedBytes > this.#maxBytes
  }

  get bytes(): Buffer | null {
    return this.#buffer?.subarray(0, this.#size) ?? null
  }

  #ensureCapacity(size: number): Buffer {
    const current = this.#buffer
    if (current && size <= current.byteLength) return current
    const capacity =
      current === null
        ? Math.max(this.#expectedBytes || INITIAL_BUFFER_BYTES, size)
        : Math.max(2 * current.byteLength, size)
    const buffer = Buffer.allocUnsafeSlow(Math.min(this.#maxBytes, capacity))
    current?.copy(buffer, 0, 0, this.#size)
    this.#buffer = buffer
    return buffer
  }
}

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
  readonly #prefix: BodyPrefix
  #decoder: Transform | null
  #missing: StoredBody['missing'] = null

  constructor(maxBytes: number, headers: IncomingHttpHeaders) {
    this.#decoder = tryCreateDecoder(getContentEncoding(headers))
    this.#prefix = new BodyPrefix(maxBytes, this.#decoder ? 0 : Number(headers['content-length'] ?? 0))
    this.#decoder?.on('data', (piece: Buffer) => {
      this.#prefix.append(piece)
      if (this.#prefix.isTruncated) this.#abandonDecoder('limit')
    })
    // A damaged body is stored as far as it could be decoded.
    this.#decoder?.on('error', () => undefined)
  }

  append(piece: Buffer): void {
    if (this.#missing !== null) return
    if (this.#decoder === null) this.#prefix.append(piece)
    else if (this.#decoder.writableLength > MAX_WAITING_BYTES) this.#abandonDecoder('busy')
    else if (!this.#decoder.destroyed) this.#decoder.write(Buffer.from(piece))
  }

  /** Resolves when every piece has been decoded. */
  async finish(): Promise<StoredPrefix> {
    const decoder = this.#decoder
    if (decoder && !decoder.destroyed) {
      decoder.end()
      await new Promise<void>((resolve) => finished(decoder, { writable: false }, () => resolve()))
    }
    const { bytes, receivedBytes, isTruncated } = this.#prefix
    return {
      bytes,
      receivedBytes,
      isCounted: this.#missing === null,
      missing: isTruncated ? 'limit' : this.#missing,
    }
  }

  #abandonDecoder(reason: StoredBody['missing']): void {
    this.#missing = reason
    this.#decoder?.destroy()
  }
}

/** Null without an encoding or with an unknown one; the body is then stored as it arrived. */
function tryCreateDecoder(encoding: string): Transform | null {
  try {
    return createDecoder(encoding)
  } catch {
    return null
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

  /**
   * Ends the exchange with a complete response.
   * @param hostCode Code of the host's error in the response; null if there is no error.
   */
  recordResponse(
    { bytes, isTruncated }: Pick<WireResponse, 'bytes' | 'isTruncated'>,
    error: AppError | null,
    hostCode = hostCodeOf(error),
  ): void {
    const receivedBytes = Math.max(bytes.byteLength, this.trace.receivedBytes)
    this.#end({ isComplete: true, body: bytes, receivedBytes, missing: isTruncated ? 'limit' : null, hostCode, error })
  }

  /** Ends the exchange without a complete response; the bytes that did arrive are recorded. */
  recordFailure(error: AppError): void {
    const body = this.#responsePrefix.bytes ?? this.trace.partialBody
    const receivedBytes = this.#responsePrefix.receivedBytes || this.trace.receivedBytes
    const missing = (body?.byteLength ?? 0) < receivedBytes ? 'limit' : null
    // The client reads only the beginning of an error response that is streamed.
    const isComplete = error.kind === 'host' || error.kind === 'http'
    this.#end({ isComplete, body, receivedBytes, missing, hostCode: hostCodeOf(error), error })
  }

  /** Called with each piece of a response body that passes through. */
  observeResponsePiece(piece: Buffer): void {
    // A body that begins with an opening brace may be an error in any media type, so it is stored
    // whole.
    if (this.#responsePrefix.receivedBytes === 0 && piece[0] === OPENING_BRACE) {
      this.#responsePrefix = new BodyPrefix(Math.max(this.#maxStreamedBytes, MAX_ERROR_BYTES))
    }
    this.#responsePrefix.append(piece)
  }

  /** Called with each piece of a request body that passes through. */
  observeRequestPiece(piece: Buffer): void {
    this.#requestPrefix ??= new BodyPrefix(this.#maxStreamedBytes)
    this.#requestPrefix.append(piece)
  }

  /** Ends the exchange when the streamed response body ends. `maskError` removes the token. */
  endWithBody({ completion }: StreamedResponse, maskError: (error: AppError) => AppError): void {
    void completion.then(({ receivedBytes, error }) => {
      const body = this.#responsePrefix.bytes ?? Buffer.alloc(0)
      const missing = body.byteLength < receivedBytes ? 'media' : null
      const maskedError = error && maskError(error)
      const isWhole = error === null && missing === null && hasErrorInAnyMediaType(this.#start.endpoint)
      const hostCode = isWhole && this.trace.status !== 206 ? parseHostCode(body) : null
      this.#end({ isComplete: error === null, body, receivedBytes, missing, hostCode, error: maskedError })
    })
  }

  /**
   * Like `endWithBody`, for a body that passes through encoded.
   * @returns A function to call with each piece of the body.
   */
  endWithEncodedBody(
    { completion }: StreamedResponse,
    headers: IncomingHttpHeaders,
    maskError: (error: AppError) => AppError,
  ): (piece: Buffer) => void {
    const prefix = new DecodedBodyPrefix(this.#maxStreamedBytes, headers)
    void completion.then(async ({ error }) => {
      const { bytes: body, receivedBytes, isCounted, missing } = await prefix.finish()
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
    const sentBody = this.#requestPrefix && {
      body: this.#requestPrefix.bytes,
      bytes: this.#requestPrefix.receivedBytes,
      isWhole: timing.sent !== null,
    }
    this.#recorder?.recordEnd(this.#start, { ...wire, ...outcome, ...(sentBody ? { sentBody } : {}) })
    this.#responsePrefix = new BodyPrefix(0)
    this.#requestPrefix = null
  }
}

const hostCodeOf = (error: AppError | null): string | null => (error?.kind === 'host' ? (error.code ?? '') : null)

/** Null if the body holds no error or is too long for one. */
function parseHostCode(bytes: Uint8Array): string | null {
  if (bytes.byteLength > MAX_ERROR_BYTES || bytes[0] !== OPENING_BRACE) return null
  const { isValid, value } = inspectJson(bytes)
  return isValid ? errorCodeOf(value) : null
}
