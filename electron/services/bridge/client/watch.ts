import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { AppError } from '../../../../shared/errors.ts'
import { Trace } from '../trace.ts'
import type { WireAnswer, WireStream } from '../wire/exchange.ts'
import { Beginning, DecodedBeginning } from './beginning.ts'
import { ERROR_BYTES } from '../wire/decode.ts'
import { isErrorWhatever } from './answer.ts'
import type { Call } from './prepare.ts'
import type { ExchangeBegun, ExchangeEnded, ExchangeRecorder } from '../types.ts'
import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import { inspectJson } from '../../../../shared/json/inspect.ts'

type Outcome = Pick<
  ExchangeEnded,
  'complete' | 'body' | 'bytes' | 'missing' | 'hostCode' | 'error' | 'uncounted' | 'given'
>
type Ended = Pick<WireStream, 'ended'>

const OPENING_BRACE = '{'.charCodeAt(0)

/**
 * One exchange from the moment before it is sent to its end, which the recorder is told once. A request that is sent once more, because a
 * kept socket was dead, is another exchange: `id` and `trace` are those of the last one.
 */
export class Watch {
  #id = randomUUID()
  #trace = new Trace()
  /** How often the request was sent once more. */
  sentAgain = 0
  readonly #recorder: ExchangeRecorder | undefined
  #begun: ExchangeBegun
  readonly #room: number
  /** Of an answer that passes through. */
  #passing: Beginning
  /** Of a request body that passes through. */
  #sent: Beginning | null = null
  #over = false

  /** `group` is the id of the first attempt at the same request; null if this is it. */
  constructor({ asked, target, path, wire }: Call, attempt: number, group: string | null, recorder?: ExchangeRecorder) {
    this.#recorder = recorder
    this.#room = recorder?.mediaBytes() ?? 0
    this.#passing = new Beginning(this.#room)
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
    recorder?.began(this.#begun)
  }

  get id(): string {
    return this.#id
  }

  get trace(): Trace {
    return this.#trace
  }

  /** Ends this exchange as failed, and begins the one in which the same request is sent once more. */
  readonly again = (failure: AppError): Trace => {
    this.failed(failure)
    this.sentAgain += 1
    this.#over = false
    this.#id = randomUUID()
    this.#trace = new Trace()
    this.#passing = new Beginning(this.#room)
    this.#begun = { ...this.#begun, id: this.#id, attempt: this.#begun.attempt + 1, startedAt: Date.now() }
    this.#recorder?.began(this.#begun)
    return this.#trace
  }

  /** The answer arrived in full, whatever it says. `hostCode` is the code of the host's error in it. */
  answered({ bytes, cut }: Pick<WireAnswer, 'bytes' | 'cut'>, error: AppError | null, hostCode = codeIn(error)): void {
    const total = Math.max(bytes.byteLength, this.trace.received)
    this.#end({ complete: true, body: bytes, bytes: total, missing: cut ? 'limit' : null, hostCode, error })
  }

  /** No complete answer arrived; what did arrive is kept. */
  failed(error: AppError): void {
    const body = this.#passing.bytes ?? this.trace.beginning
    const bytes = this.#passing.received || this.trace.received
    const missing = (body?.byteLength ?? 0) < bytes ? 'limit' : null
    // Of a stream, only the beginning of an error is read.
    const complete = error.kind === 'host' || error.kind === 'http'
    this.#end({ complete, body, bytes, missing, hostCode: codeIn(error), error })
  }

  /** A piece of a body that passes through. */
  passes(piece: Buffer): void {
    // What begins like an object may be an error of the host, whatever its media type: it is kept whole.
    if (this.#passing.received === 0 && piece[0] === OPENING_BRACE) {
      this.#passing = new Beginning(Math.max(this.#room, ERROR_BYTES))
    }
    this.#passing.take(piece)
  }

  /** A piece of the request's body that passes through. */
  sends(piece: Buffer): void {
    this.#sent ??= new Beginning(this.#room)
    this.#sent.take(piece)
  }

  /** Ends when such a body does. */
  follows({ ended }: Ended, seal: (error: AppError) => AppError): void {
    void ended.then(({ received, error }) => {
      const body = this.#passing.bytes ?? Buffer.alloc(0)
      const missing = body.byteLength < received ? 'media' : null
      const sealed = error && seal(error)
      const isWhole = error === null && missing === null && isErrorWhatever(this.#begun.endpoint)
      const hostCode = isWhole && this.trace.status !== 206 ? hostCodeIn(body) : null
      this.#end({ complete: error === null, body, bytes: received, missing, hostCode, error: sealed })
    })
  }

  /** The same for a body that passes as it is encoded. Returns what takes its pieces. */
  relays({ ended }: Ended, headers: IncomingHttpHeaders, seal: (error: AppError) => AppError): (piece: Buffer) => void {
    const kept = new DecodedBeginning(this.#room, headers)
    void ended.then(async ({ error }) => {
      const { bytes: body, received, counted, missing } = await kept.end()
      const hostCode = error || body === null || missing !== null ? null : hostCodeIn(body)
      const outcome = {
        complete: error === null,
        body,
        bytes: received,
        missing,
        hostCode,
        error: error && seal(error),
        given: true,
      }
      this.#end({ ...outcome, ...(counted ? {} : { uncounted: true }) })
    })
    return (piece) => kept.take(piece)
  }

  #end(outcome: Outcome): void {
    if (this.#over) return
    this.#over = true
    const { trace } = this
    trace.over()
    const { status, timing, wireBytes, requestHeaders, responseHeaders, elapsedMs: durationMs } = trace
    const wire = { status, timing, wireBytes, requestHeaders, responseHeaders, durationMs }
    const sent = this.#sent && { body: this.#sent.bytes, bytes: this.#sent.received, whole: timing.sent !== null }
    this.#recorder?.ended(this.#begun, { ...wire, ...outcome, ...(sent ? { sent } : {}) })
    this.#passing = new Beginning(0)
    this.#sent = null
  }
}

const codeIn = (error: AppError | null): string | null => (error?.kind === 'host' ? (error.code ?? '') : null)

/** Code of the host's error in an answer that passes through; null if it has none, or is too long to be one. */
function hostCodeIn(bytes: Uint8Array): string | null {
  if (bytes.byteLength > ERROR_BYTES || bytes[0] !== '{'.charCodeAt(0)) return null
  const { ok, value } = inspectJson(bytes)
  return ok ? errorCodeOf(value) : null
}
