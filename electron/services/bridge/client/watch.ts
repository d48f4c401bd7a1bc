import { randomUUID } from 'node:crypto'
import type { AppError } from '../../../../shared/errors.ts'
import { Trace } from '../wire/trace.ts'
import type { WireAnswer, WireStream } from '../wire/exchange.ts'
import type { Call } from './prepare.ts'
import type { ExchangeBegun, ExchangeEnded, ExchangeRecorder } from '../types.ts'

type Outcome = Pick<ExchangeEnded, 'complete' | 'body' | 'bytes' | 'missing' | 'hostCode' | 'error'>

/** One exchange from the moment before it is sent to its end, which the recorder is told once. */
export class Watch {
  readonly id = randomUUID()
  readonly trace = new Trace()
  readonly #recorder: ExchangeRecorder | undefined
  readonly #begun: ExchangeBegun
  /** The beginning of a body that passes through, up to what the recorder keeps of one. */
  #pieces: Buffer[] = []
  #room: number
  #received = 0
  #over = false

  /** `group` is the id of the first attempt at the same request; null if this is it. */
  constructor({ asked, target, path, wire }: Call, attempt: number, group: string | null, recorder?: ExchangeRecorder) {
    this.#recorder = recorder
    this.#room = recorder?.mediaBytes() ?? 0
    this.#begun = {
      id: this.id,
      group: group ?? this.id,
      attempt,
      startedAt: Date.now(),
      origin: asked.origin ?? { kind: 'place', label: null },
      endpoint: asked.endpoint,
      path,
      target,
      headers: Object.entries(wire.headers),
      body: wire.body,
      fileBytes: asked.file?.size ?? null,
    }
    recorder?.began(this.#begun)
  }

  /** The answer arrived in full, whatever it says. `hostCode` is the code of the host's error in it. */
  answered({ bytes, cut }: Pick<WireAnswer, 'bytes' | 'cut'>, error: AppError | null, hostCode = codeIn(error)): void {
    const total = Math.max(bytes.byteLength, this.trace.received)
    this.#end({ complete: true, body: bytes, bytes: total, missing: cut ? 'limit' : null, hostCode, error })
  }

  /** No complete answer arrived; what did arrive is kept. */
  failed(error: AppError): void {
    const body = this.#pieces.length > 0 ? Buffer.concat(this.#pieces) : this.trace.beginning
    const bytes = this.#received || this.trace.received
    const missing = (body?.byteLength ?? 0) < bytes ? 'limit' : null
    // Of a stream, only the beginning of an error is read.
    const complete = error.kind === 'host' || error.kind === 'http'
    this.#end({ complete, body, bytes, missing, hostCode: codeIn(error), error })
  }

  /** A piece of a body that passes through. */
  passes(piece: Buffer): void {
    this.#received += piece.byteLength
    if (this.#room <= 0) return
    this.#pieces.push(piece.subarray(0, this.#room))
    this.#room -= piece.byteLength
  }

  /** Ends when such a body does. */
  follows({ ended }: Pick<WireStream, 'ended'>, seal: (error: AppError) => AppError): void {
    void ended.then(({ received, error }) => {
      const body = Buffer.concat(this.#pieces)
      const missing = body.byteLength < received ? 'media' : null
      const sealed = error && seal(error)
      this.#end({ complete: error === null, body, bytes: received, missing, hostCode: null, error: sealed })
    })
  }

  #end(outcome: Outcome): void {
    if (this.#over) return
    this.#over = true
    const { trace } = this
    trace.over()
    const { status, timing, wireBytes, requestHeaders, responseHeaders, elapsedMs: durationMs } = trace
    const wire = { status, timing, wireBytes, requestHeaders, responseHeaders, durationMs }
    this.#recorder?.ended(this.#begun, { ...wire, ...outcome })
    this.#pieces = []
  }
}

const codeIn = (error: AppError | null): string | null => (error?.kind === 'host' ? (error.code ?? '') : null)
