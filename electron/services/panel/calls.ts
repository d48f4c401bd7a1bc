import { Readable, Transform } from 'node:stream'
import type { GateChange, PanelCall } from '../../../shared/panel/panel.ts'
import { errorCodeOf } from '../../../shared/bridge/errors.ts'
import { parsedBody } from '../../../shared/operations/body.ts'
import type { PageCall } from './gate/call.ts'
import type { PanelAnswer } from './types.ts'

/** How many calls are kept with both their sides, and how much of a body. */
const MOST = 1_000
const KEPT = 64 * 1024

interface Begun extends Pick<PanelCall, 'exchangeId' | 'at' | 'decision' | 'reason'> {
  readonly call: PageCall
  readonly changes: readonly GateChange[]
  readonly operationId?: string | null
}

/** Codes of a host's refusal that a panel inside it does not meet (spec §5.5): token, subscription, approval from another device. */
const outsideOnly = /MAX_REQUIRED|REQUIRES?_MAX|TOKEN|UNAUTHORI[SZ]ED|SUBSCRIPTION|APPROVAL/i

/** Both sides of the calls that panels made, by exchange; the oldest make room. */
export class PanelCalls {
  readonly #calls = new Map<string, PanelCall>()

  begin({ call, changes, operationId = null, ...begun }: Begun): void {
    const { exchangeId, at, decision, reason } = begun
    this.#calls.set(exchangeId, {
      ...{ exchangeId, at, decision, reason, operationId },
      via: call.via,
      page: {
        method: call.method,
        path: call.path.slice(0, 8_000),
        headers: call.headers.map(([name, value]) => [name, hidden.test(name) ? '[redacted]' : value.slice(0, 4_000)]),
        body: call.body === null ? null : textOf(call.body),
        bodyBytes: call.bodyBytes,
      },
      changes: [...changes],
      answer: null,
      onlyOutside: false,
    })
    const [oldest] = this.#calls.keys()
    if (this.#calls.size > MOST && oldest !== undefined) this.#calls.delete(oldest)
  }

  get(exchangeId: string): PanelCall | null {
    return this.#calls.get(exchangeId) ?? null
  }

  /** The answer as it is passed on, noted while it passes. */
  follow(exchangeId: string, answer: PanelAnswer): PanelAnswer {
    if (answer.kind === 'broken') {
      this.#ended(exchangeId, { status: null, headers: [], body: null, bytes: 0, broken: true })
      return answer
    }
    const { status, headers, body } = answer
    const head = { status, headers: headers.map(([name, value]): [string, string] => [name, value]) }
    if (!(body instanceof Readable)) {
      this.#ended(exchangeId, { ...head, ...noted(body ?? Buffer.alloc(0)), broken: false })
      return answer
    }
    const pieces: Buffer[] = []
    let bytes = 0
    const passing = new Transform({
      transform(piece: Buffer, _, done) {
        if (bytes < KEPT) pieces.push(piece.subarray(0, KEPT - bytes))
        bytes += piece.byteLength
        done(null, piece)
      },
    })
    const end = (broken: boolean) => (): void => {
      this.#ended(exchangeId, { ...head, ...noted(Buffer.concat(pieces)), bytes, broken }, answer.changedOnTheWay?.())
    }
    passing.once('end', end(false))
    passing.once('close', () => passing.readableEnded || end(true)())
    body.once('error', (error) => passing.destroy(error))
    // Whoever reads the answer gives it up: the host need not send the rest.
    passing.once('close', () => body.destroy())
    passing.on('error', () => undefined)
    return { ...answer, body: body.pipe(passing) }
  }

  #ended(exchangeId: string, answer: NonNullable<PanelCall['answer']>, changed: readonly GateChange[] = []): void {
    const call = this.#calls.get(exchangeId)
    // It ends once: a body that has ended closes as well.
    if (!call || call.answer !== null) return
    const code = errorCodeOf(parsedBody(answer.body)) ?? ''
    const onlyOutside = call.decision === 'passed' && (answer.status === 401 || outsideOnly.test(code))
    this.#calls.set(exchangeId, { ...call, answer, onlyOutside, changes: [...call.changes, ...changed] })
  }
}

const hidden = /^(?:authorization|proxy-authorization|cookie)$|token|secret|password|api-?key/i

const noted = (body: Buffer) => ({ body: textOf(body), bytes: body.byteLength })

/** The beginning of a text; null for bytes that are none. */
function textOf(bytes: Buffer): string | null {
  const beginning = bytes.subarray(0, KEPT)
  const text = new TextDecoder().decode(beginning, { stream: bytes.byteLength > KEPT })
  return /[\u0000-\u0008\u000e-\u001f\ufffd]/.test(text) ? null : text
}
