import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { AppError } from '../../../../shared/errors.ts'
import { ExchangeTrace } from '../exchange-trace.ts'
import type { WireResponse, WireStream } from '../wire/exchange.ts'
import { BodyPrefix, DecodedBodyPrefix } from './body-prefix.ts'
import { MAX_ERROR_BYTES } from '../wire/body-decoder.ts'
import { hasErrorInAnyMediaType } from './response.ts'
import type { PreparedRequest } from './prepared-request.ts'
import type { ExchangeStart, ExchangeEnd, ExchangeRecorder } from '../types.ts'
import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import { inspectJson } from '../../../../shared/json/inspection.ts'

type Outcome = Pick<
  ExchangeEnd,
  'isComplete' | 'body' | 'receivedBytes' | 'missing' | 'hostCode' | 'error' | 'hasUncountedBytes' | 'isBodyOwned'
>
type Ended = Pick<WireStream, 'completion'>

const OPENING_BRACE = '{'.charCodeAt(0)

/**
 * One exchange from the moment before it is sent to its end, which the recorder is told once. A request that is sent once more, because a
 * kept socket was dead, is another exchange: `id` and `trace` are those of the last one.
 */
export class ExchangeObserver {
  #id = randomUUID()
  #trace = new ExchangeTrace()
  /** How often the request was sent once more. */
  resendCount = 0
  readonly #recorder: ExchangeRecorder | undefined
  #begun: ExchangeStart
  readonly #room: number
  /** Of an answer that passes through. */
  #passing: BodyPrefix
  /** Of a request body that passes through. */
  #sent: BodyPrefix | null = null
  #over = false

  /** `group` is the id of the first attempt at the same request; null if this is it. */
  constructor(
    { request: asked, target, path, wireRequest: wire }: PreparedRequest,
    attempt: number,
    group: string | null,
    recorder?: ExchangeRecorder,
  ) {
    this.#recorder = recorder
    this.#room = recorder?.getMaxStreamedBytes() ?? 0
    this.#passing = new BodyPrefix(this.#room)
    this.#begun = {
      id: this.id,
      group: group ?? this.id,
      attempt,
      startedAt: Date.now(),
      origin: asked.origin ?? { kind: 'place', label: null },
      endpoint: asked.endpoint,
      method: wire.method,
      path,
      target,
      headers: Object.entries(wire.headers).map(([name, value]) => [name, String(value)] as const),
      body: wire.body,
      fileBytes: asked.file?.size ?? null,
      ...(asked.rule === undefined ? {} : { rule: asked.rule }),
    }
    recorder?.recordStart(this.#begun)
  }

  get id(): string {
    return this.#id
  }

  get trace(): ExchangeTrace {
    return this.#trace
  }

  /** Ends this exchange as failed, and begins the one in which the same request is sent once more. */
  readonly startResend = (failure: AppError): ExchangeTrace => {
    this.recordFailure(failure)
    this.resendCount += 1
    this.#over = false
    this.#id = randomUUID()
    this.#trace = new ExchangeTrace()
    this.#passing = new BodyPrefix(this.#room)
    this.#begun = { ...this.#begun, id: this.#id, attempt: this.#begun.attempt + 1, startedAt: Date.now() }
    this.#recorder?.recordStart(this.#begun)
    return this.#trace
  }

  /** The answer arrived in full, whatever it says. `hostCode` is the code of the host's error in it. */
  recordResponse(
    { bytes, isTruncated: cut }: Pick<WireResponse, 'bytes' | 'isTruncated'>,
    error: AppError | null,
    hostCode = codeIn(error),
  ): void {
    const total = Math.max(bytes.byteLength, this.trace.receivedBytes)
    this.#end({ isComplete: true, body: bytes, receivedBytes: total, missing: cut ? 'limit' : null, hostCode, error })
  }

  /** No complete answer arrived; what did arrive is kept. */
  recordFailure(error: AppError): void {
    const body = this.#passing.bytes ?? this.trace.partialBody
    const bytes = this.#passing.receivedBytes || this.trace.receivedBytes
    const missing = (body?.byteLength ?? 0) < bytes ? 'limit' : null
    // Of a stream, only the beginning of an error is read.
    const complete = error.kind === 'host' || error.kind === 'http'
    this.#end({ isComplete: complete, body, receivedBytes: bytes, missing, hostCode: codeIn(error), error })
  }

  /** A piece of a body that passes through. */
  observeResponsePiece(piece: Buffer): void {
    // What begins like an object may be an error of the host, whatever its media type: it is kept whole.
    if (this.#passing.receivedBytes === 0 && piece[0] === OPENING_BRACE) {
      this.#passing = new BodyPrefix(Math.max(this.#room, MAX_ERROR_BYTES))
    }
    this.#passing.append(piece)
  }

  /** A piece of the request's body that passes through. */
  observeRequestPiece(piece: Buffer): void {
    this.#sent ??= new BodyPrefix(this.#room)
    this.#sent.append(piece)
  }

  /** Ends when such a body does. */
  endWithBody({ completion: ended }: Ended, seal: (error: AppError) => AppError): void {
    void ended.then(({ receivedBytes: received, error }) => {
      const body = this.#passing.bytes ?? Buffer.alloc(0)
      const missing = body.byteLength < received ? 'media' : null
      const sealed = error && seal(error)
      const isWhole = error === null && missing === null && hasErrorInAnyMediaType(this.#begun.endpoint)
      const hostCode = isWhole && this.trace.status !== 206 ? hostCodeIn(body) : null
      this.#end({ isComplete: error === null, body, receivedBytes: received, missing, hostCode, error: sealed })
    })
  }

  /** The same for a body that passes as it is encoded. Returns what takes its pieces. */
  endWithEncodedBody(
    { completion: ended }: Ended,
    headers: IncomingHttpHeaders,
    seal: (error: AppError) => AppError,
  ): (piece: Buffer) => void {
    const kept = new DecodedBodyPrefix(this.#room, headers)
    void ended.then(async ({ error }) => {
      const { bytes: body, receivedBytes: received, isCounted: counted, missing } = await kept.finish()
      const hostCode = error || body === null || missing !== null ? null : hostCodeIn(body)
      const outcome = {
        isComplete: error === null,
        body,
        receivedBytes: received,
        missing,
        hostCode,
        error: error && seal(error),
        isBodyOwned: true,
      }
      this.#end({ ...outcome, ...(counted ? {} : { hasUncountedBytes: true }) })
    })
    return (piece) => kept.append(piece)
  }

  #end(outcome: Outcome): void {
    if (this.#over) return
    this.#over = true
    const { trace } = this
    trace.markEnded()
    const { status, timing, wireBytes, requestHeaders, responseHeaders, elapsedMs: durationMs } = trace
    const wire = { status, timing, wireBytes, requestHeaders, responseHeaders, durationMs }
    const sent = this.#sent && {
      body: this.#sent.bytes,
      bytes: this.#sent.receivedBytes,
      isWhole: timing.sent !== null,
    }
    this.#recorder?.recordEnd(this.#begun, { ...wire, ...outcome, ...(sent ? { sentBody: sent } : {}) })
    this.#passing = new BodyPrefix(0)
    this.#sent = null
  }
}

const codeIn = (error: AppError | null): string | null => (error?.kind === 'host' ? (error.code ?? '') : null)

/** Code of the host's error in an answer that passes through; null if it has none, or is too long to be one. */
function hostCodeIn(bytes: Uint8Array): string | null {
  if (bytes.byteLength > MAX_ERROR_BYTES || bytes[0] !== '{'.charCodeAt(0)) return null
  const { isValid: ok, value } = inspectJson(bytes)
  return ok ? errorCodeOf(value) : null
}
