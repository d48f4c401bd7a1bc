import { Readable, Transform } from 'node:stream'
import type { PanelCallChange, PanelCall } from '../../../../shared/panel/panel.ts'
import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import { parseBodyText } from '../../../../shared/operations/prepared-write.ts'
import {
  decodeResponseText,
  type HostApiResponse,
  toHostApiValue,
  isHostApiFailure,
} from '../../../../shared/panel/host-api.ts'
import type { PageCall } from './page-call.ts'
import type { PanelResponse } from './types.ts'
import { createRefusedError } from '../../../../shared/errors.ts'
import type { IpcInput, IpcOutput } from '../../../../shared/ipc/index.ts'
import type { TrafficStore } from '../../traffic/traffic-store.ts'

/** How many calls are kept with both their sides, and how much of a body. */
const MAX_CALLS = 1_000
const MAX_KEPT_BODY_BYTES = 64 * 1024
/**
 * Bytes of bodies that are no text, and of longer ones that an override changed: no recording may
 * have them. The oldest make room.
 */
const MAX_UNRECORDED_BYTES = 64 * 1024 * 1024

interface Begun extends Pick<PanelCall, 'exchangeId' | 'at' | 'decision' | 'reason'> {
  readonly call: PageCall
  /** When the page called, by the clock that only rises. */
  readonly startedMs: number
  readonly changes: readonly PanelCallChange[]
  readonly operationId?: string | null
}

/**
 * Codes of a host's refusal that a panel inside it does not meet (spec §5.5): token, subscription,
 * approval from another device.
 */
const outsideOnly = /MAX_REQUIRED|REQUIRES?_MAX|TOKEN|UNAUTHORI[SZ]ED|SUBSCRIPTION|APPROVAL/i

/** Both sides of the calls that panels made, by exchange; the oldest make room. */
export class PanelCalls {
  readonly #calls = new Map<string, PanelCall>()
  /** Calls whose page no longer waited when they broke off. */
  readonly #givenUp = new Set<string>()
  /** Calls that have not ended: `startedMs` by the clock that only rises. */
  readonly #waiting = new Map<string, { readonly signal: AbortSignal; readonly startedMs: number }>()
  readonly #unrecorded = new Map<string, Buffer>()

  recordCall({ call, changes, startedMs, operationId = null, ...begun }: Begun): void {
    const { exchangeId, at, decision, reason } = begun
    this.#waiting.set(exchangeId, { signal: call.signal, startedMs })
    this.#calls.set(exchangeId, {
      ...{ exchangeId, at, decision, reason, operationId },
      via: call.via,
      page: {
        method: call.method,
        path: call.path.slice(0, 8_000),
        headers: call.headers.map(([name, value]) => [name, hidden.test(name) ? '[redacted]' : value.slice(0, 4_000)]),
        body:
          call.body === null
            ? null
            : textOf(call.body.subarray(0, MAX_KEPT_BODY_BYTES), call.body.byteLength <= MAX_KEPT_BODY_BYTES),
        bodyBytes: call.bodyBytes,
      },
      changes: [...changes],
      answer: null,
      onlyOutside: false,
    })
    const [oldest] = this.#calls.keys()
    if (this.#calls.size > MAX_CALLS && oldest !== undefined) this.#forget(oldest)
  }

  #forget(exchangeId: string): void {
    for (const kept of [this.#calls, this.#waiting, this.#givenUp, this.#unrecorded]) kept.delete(exchangeId)
  }

  get(exchangeId: string): PanelCall | null {
    return this.#calls.get(exchangeId) ?? null
  }

  /**
   * What the page's `fetch` got, while all of it is kept here: `waiting` while it has not ended,
   * null for a call that is not known (any more) and for a body that only the recording has whole.
   */
  getPageResponse(exchangeId: string): HostApiResponse | 'waiting' | null {
    const call = this.#calls.get(exchangeId)
    if (!call) return null
    const { answer } = call
    if (answer === null) return 'waiting'
    if (answer.broken || answer.status === null) return this.#givenUp.has(exchangeId) ? 'aborted' : 'broken'
    const { status, body, bytes } = answer
    const kept = this.#unrecorded.get(exchangeId)
    if (kept) {
      const text = decodeResponseText(kept)
      // JSON has no such characters, so that the rest makes no difference.
      if (kept.byteLength === bytes || notInText.test(text)) return { status, text }
    }
    return body !== null && bytes <= MAX_KEPT_BODY_BYTES ? { status, text: body } : null
  }

  #keepUnrecorded(exchangeId: string, body: Buffer): void {
    this.#unrecorded.set(exchangeId, body)
    let total = [...this.#unrecorded.values()].reduce((sum, { byteLength }) => sum + byteLength, 0)
    for (const [oldest, { byteLength }] of this.#unrecorded) {
      if (total <= MAX_UNRECORDED_BYTES) return
      this.#unrecorded.delete(oldest)
      total -= byteLength
    }
  }

  /** The answer as it is passed on, noted while it passes. */
  recordResponse(exchangeId: string, answer: PanelResponse): PanelResponse {
    if (answer.kind === 'broken') {
      this.#ended(exchangeId, { status: null, headers: [], body: null, bytes: 0, broken: true })
      return answer
    }
    const { status, headers, body } = answer
    const head = { status, headers: headers.map(([name, value]): [string, string] => [name, value]) }
    if (!(body instanceof Readable)) {
      const whole = body ?? Buffer.alloc(0)
      if (answer.changes && whole.byteLength > MAX_KEPT_BODY_BYTES) this.#keepUnrecorded(exchangeId, whole)
      const beginning = this.#noted(exchangeId, whole.subarray(0, MAX_KEPT_BODY_BYTES), whole.byteLength)
      this.#ended(exchangeId, { ...head, ...beginning, broken: false })
      return answer
    }
    const pieces: Buffer[] = []
    let bytes = 0
    const passing = new Transform({
      transform(piece: Buffer, _, done) {
        if (bytes < MAX_KEPT_BODY_BYTES) pieces.push(piece.subarray(0, MAX_KEPT_BODY_BYTES - bytes))
        bytes += piece.byteLength
        done(null, piece)
      },
    })
    const end = (broken: boolean) => (): void => {
      const beginning = this.#noted(exchangeId, Buffer.concat(pieces), bytes)
      this.#ended(exchangeId, { ...head, ...beginning, broken }, answer.getStreamChanges?.())
    }
    passing.once('end', end(false))
    passing.once('close', () => passing.readableEnded || end(true)())
    body.once('error', (error) => passing.destroy(error))
    // Whoever reads the answer gives it up: the host need not send the rest.
    passing.once('close', () => body.destroy())
    passing.on('error', () => undefined)
    return { ...answer, body: body.pipe(passing) }
  }

  #noted(exchangeId: string, beginning: Buffer, bytes: number): { body: string | null; bytes: number } {
    const body = textOf(beginning, beginning.byteLength === bytes)
    if (body === null && !this.#unrecorded.has(exchangeId)) this.#keepUnrecorded(exchangeId, Buffer.from(beginning))
    return { body, bytes }
  }

  #ended(exchangeId: string, answer: NonNullable<PanelCall['answer']>, changed: readonly PanelCallChange[] = []): void {
    const call = this.#calls.get(exchangeId)
    // It ends once: a body that has ended closes as well.
    const waiting = this.#waiting.get(exchangeId)
    if (!call || !waiting) return
    this.#waiting.delete(exchangeId)
    if (answer.broken && waiting.signal.aborted) this.#givenUp.add(exchangeId)
    const code = errorCodeOf(parseBodyText(answer.body)) ?? ''
    const onlyOutside = call.decision === 'passed' && (answer.status === 401 || outsideOnly.test(code))
    const durationMs = performance.now() - waiting.startedMs
    this.#calls.set(exchangeId, { ...call, durationMs, answer, onlyOutside, changes: [...call.changes, ...changed] })
  }
}

const hidden = /^(?:authorization|proxy-authorization|cookie)$|token|secret|password|api-?key/i

/** What no text has, and JSON least of all. */
const notInText = /[\u0000-\u0008\u000e-\u001f]/

/**
 * The beginning of a text; null for bytes that are none. Of what is not whole, the last character
 * may be cut.
 */
function textOf(beginning: Buffer, isWhole: boolean): string | null {
  const text = new TextDecoder().decode(beginning, { stream: !isWhole })
  return notInText.test(text) || text.includes('\ufffd') ? null : text
}

/** Tells what `host.api` resolved to, or would have. Errors are those of `panel.resolvedValue`. */
export type ResolvedValueReader = (asked: IpcInput<'panel.resolvedValue'>) => Promise<IpcOutput<'panel.resolvedValue'>>

interface Options {
  readonly calls: Pick<PanelCalls, 'getPageResponse'>
  readonly store: Pick<TrafficStore, 'exchange' | 'body'>
}

/**
 * Of a call of a panel, what its page got counts, override and gate included; of any other
 * exchange, what the host sent.
 */
export function createResolvedValueReader({ calls, store }: Options): ResolvedValueReader {
  return async ({ exchangeId }) => {
    const response = calls.getPageResponse(exchangeId) ?? (await recordedResponse(store, exchangeId))
    if (response === 'waiting') throw createRefusedError('STILL_WAITING', 'The response has not arrived yet.')
    return toResolvedValue(response)
  }
}

/** The value as JSON text in UTF-8, and whether a caller has to take it for a failure. */
export function toResolvedValue(response: HostApiResponse): IpcOutput<'panel.resolvedValue'> {
  const value = toHostApiValue(response)
  const text = new TextEncoder().encode(JSON.stringify(value))
  return { meta: { isFailure: isHostApiFailure(value) }, bytes: text.buffer }
}

async function recordedResponse(store: Options['store'], id: string): Promise<HostApiResponse | 'waiting'> {
  const detail = await store.exchange({ id })
  if (!detail) throw createRefusedError('EXCHANGE_UNKNOWN', 'There is no such exchange (any more).')
  const { row, response } = detail
  if (row.state === 'pending') return 'waiting'
  if (row.state === 'cancelled') return 'aborted'
  if (row.state !== 'answered' || row.status === null) return 'broken'
  const body = response.kept === 0 ? null : await store.body(row.seq, 'response', 0, response.kept)
  const bytes = body?.bytes ?? new Uint8Array()
  if (response.missing !== null || bytes.byteLength < response.kept)
    throw createRefusedError('BODY_NOT_KEPT', 'Its body was not kept whole.')
  return { status: row.status, text: decodeResponseText(bytes) }
}
