import { Readable, Transform } from 'node:stream'
import type { CallInitiator } from '../../../../shared/traffic/call-initiator.ts'
import type { PanelCallChange, PanelCall } from '../../../../shared/panel/panel.ts'
import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import { parseBodyText } from '../../../../shared/operations/prepared-write.ts'
import {
  decodeResponseText,
  type HostApiResponse,
  toHostApiValue,
  isHostApiFailure,
} from '../../../core/panel/host-api.ts'
import type { PageCall } from './page-call.ts'
import type { PanelResponse } from './types.ts'
import { createRefusedError } from '../../../../shared/errors.ts'
import type { IpcInput, IpcOutput } from '../../../../shared/ipc/index.ts'
import type { TrafficStore } from '../../traffic/traffic-store.ts'

/** Maximum number of recorded calls, and maximum bytes that are stored of each body. */
const MAX_CALLS = 1_000
const MAX_KEPT_BODY_BYTES = 64 * 1024
/** Bytes of bodies that the store lacks: binary, or changed by an override. Oldest go first. */
const MAX_UNRECORDED_BYTES = 64 * 1024 * 1024

interface StartedCall extends Pick<PanelCall, 'exchangeId' | 'at' | 'decision' | 'reason'> {
  readonly call: PageCall
  /** The time of the call, in milliseconds of a monotonic clock. */
  readonly startedMs: number
  readonly changes: readonly PanelCallChange[]
  readonly operationId?: string | null
}

/**
 * Codes of refusals that a panel inside the host would not get, because they concern the token, the
 * subscription, or the approval from a different device.
 * @see spec §5.5
 */
const OUTSIDE_ONLY_CODES = /MAX_REQUIRED|REQUIRES?_MAX|TOKEN|UNAUTHORI[SZ]ED|SUBSCRIPTION|APPROVAL/i

/** Requests and responses of panels' calls by exchange id; the oldest are removed first. */
export class PanelCalls {
  readonly #calls = new Map<string, PanelCall>()
  /** Ids of calls that ended without a response because the page aborted them. */
  readonly #abortedIds = new Set<string>()
  /** Calls that have not ended; `startedMs` is a time of a monotonic clock. */
  readonly #pendingCalls = new Map<string, { readonly signal: AbortSignal; readonly startedMs: number }>()
  readonly #unrecorded = new Map<string, Buffer>()

  recordCall({ call, changes, startedMs, operationId = null, ...begun }: StartedCall): void {
    const { exchangeId, at, decision, reason } = begun
    this.#pendingCalls.set(exchangeId, { signal: call.signal, startedMs })
    this.#calls.set(exchangeId, {
      exchangeId,
      at,
      decision,
      reason,
      operationId,
      via: call.via,
      pageId: call.pageId,
      frames: call.frames === null ? null : [...call.frames],
      loader: call.loader,
      page: {
        method: call.method,
        path: call.path.slice(0, 8_000),
        headers: call.headers.map(([name, value]) => [
          name,
          SECRET_HEADER.test(name) ? '[redacted]' : value.slice(0, 4_000),
        ]),
        body:
          call.body === null
            ? null
            : decodeText(call.body.subarray(0, MAX_KEPT_BODY_BYTES), call.body.byteLength <= MAX_KEPT_BODY_BYTES),
        bodyBytes: call.bodyBytes,
      },
      changes: [...changes],
      answer: null,
      onlyOutside: false,
    })
    const [oldest] = this.#calls.keys()
    if (this.#calls.size > MAX_CALLS && oldest !== undefined) this.#removeCall(oldest)
  }

  /** Adds to what is known of a call's code, and returns it; null if the call is gone. */
  setInitiator(exchangeId: string, initiator: Partial<CallInitiator>): CallInitiator | null {
    const call = this.#calls.get(exchangeId)
    if (!call) return null
    const changedCall = { ...call, ...initiator }
    this.#calls.set(exchangeId, changedCall)
    return { frames: changedCall.frames, loader: changedCall.loader }
  }

  #removeCall(exchangeId: string): void {
    for (const collection of [this.#calls, this.#pendingCalls, this.#abortedIds, this.#unrecorded])
      collection.delete(exchangeId)
  }

  get(exchangeId: string): PanelCall | null {
    return this.#calls.get(exchangeId) ?? null
  }

  /**
   * Returns the response that the page's `fetch` received; `waiting` before the call has ended;
   * null for an unknown call, or if only the traffic store has the complete body.
   */
  getPageResponse(exchangeId: string): HostApiResponse | 'waiting' | null {
    const call = this.#calls.get(exchangeId)
    if (!call) return null
    const { answer } = call
    if (answer === null) return 'waiting'
    if (answer.broken || answer.status === null) return this.#abortedIds.has(exchangeId) ? 'aborted' : 'broken'
    const { status, body, bytes } = answer
    const unrecordedBody = this.#unrecorded.get(exchangeId)
    if (unrecordedBody) {
      const text = decodeResponseText(unrecordedBody)
      // Text with control characters is no JSON, whether or not the end is missing.
      if (unrecordedBody.byteLength === bytes || CONTROL_CHARACTERS.test(text)) return { status, text }
    }
    return body !== null && bytes <= MAX_KEPT_BODY_BYTES ? { status, text: body } : null
  }

  #storeUnrecorded(exchangeId: string, body: Buffer): void {
    this.#unrecorded.set(exchangeId, body)
    let total = [...this.#unrecorded.values()].reduce((sum, { byteLength }) => sum + byteLength, 0)
    for (const [oldest, { byteLength }] of this.#unrecorded) {
      if (total <= MAX_UNRECORDED_BYTES) return
      this.#unrecorded.delete(oldest)
      total -= byteLength
    }
  }

  /** Returns the response to pass on to the page. The body is recorded while the page reads it. */
  recordResponse(exchangeId: string, response: PanelResponse): PanelResponse {
    if (response.kind === 'broken') {
      this.#finishCall(exchangeId, { status: null, headers: [], body: null, bytes: 0, broken: true })
      return response
    }
    const { status, headers, body } = response
    const head = { status, headers: headers.map(([name, value]): [string, string] => [name, value]) }
    if (!(body instanceof Readable)) {
      const completeBody = body ?? Buffer.alloc(0)
      if (response.changes && completeBody.byteLength > MAX_KEPT_BODY_BYTES)
        this.#storeUnrecorded(exchangeId, completeBody)
      const beginning = this.#storeBodyText(
        exchangeId,
        completeBody.subarray(0, MAX_KEPT_BODY_BYTES),
        completeBody.byteLength,
      )
      this.#finishCall(exchangeId, { ...head, ...beginning, broken: false })
      return response
    }
    const pieces: Buffer[] = []
    let bytes = 0
    const recordingStream = new Transform({
      transform(piece: Buffer, _, done) {
        if (bytes < MAX_KEPT_BODY_BYTES) pieces.push(piece.subarray(0, MAX_KEPT_BODY_BYTES - bytes))
        bytes += piece.byteLength
        done(null, piece)
      },
    })
    const createEndHandler = (isBroken: boolean) => (): void => {
      const beginning = this.#storeBodyText(exchangeId, Buffer.concat(pieces), bytes)
      this.#finishCall(exchangeId, { ...head, ...beginning, broken: isBroken }, response.getStreamChanges?.())
    }
    recordingStream.once('end', createEndHandler(false))
    recordingStream.once('close', () => recordingStream.readableEnded || createEndHandler(true)())
    body.once('error', (error) => recordingStream.destroy(error))
    // When the page stops reading the response, the request to the host ends too.
    recordingStream.once('close', () => body.destroy())
    recordingStream.on('error', () => undefined)
    return { ...response, body: body.pipe(recordingStream) }
  }

  #storeBodyText(exchangeId: string, bodyPrefix: Buffer, bytes: number): { body: string | null; bytes: number } {
    const body = decodeText(bodyPrefix, bodyPrefix.byteLength === bytes)
    if (body === null && !this.#unrecorded.has(exchangeId)) this.#storeUnrecorded(exchangeId, Buffer.from(bodyPrefix))
    return { body, bytes }
  }

  #finishCall(
    exchangeId: string,
    response: NonNullable<PanelCall['answer']>,
    streamChanges: readonly PanelCallChange[] = [],
  ): void {
    const call = this.#calls.get(exchangeId)
    // Only the first event ends the call; a body that has ended emits `close` too.
    const pendingCall = this.#pendingCalls.get(exchangeId)
    if (!call || !pendingCall) return
    this.#pendingCalls.delete(exchangeId)
    if (response.broken && pendingCall.signal.aborted) this.#abortedIds.add(exchangeId)
    const code = errorCodeOf(parseBodyText(response.body)) ?? ''
    const onlyOutside = call.decision === 'passed' && (response.status === 401 || OUTSIDE_ONLY_CODES.test(code))
    const durationMs = performance.now() - pendingCall.startedMs
    this.#calls.set(exchangeId, {
      ...call,
      durationMs,
      answer: response,
      onlyOutside,
      changes: [...call.changes, ...streamChanges],
    })
  }
}

const SECRET_HEADER = /^(?:authorization|proxy-authorization|cookie)$|token|secret|password|api-?key/i

/** Control characters that text does not contain. */
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000e-\u001f]/

/** Null if the bytes are not text. Of an incomplete text the last character may be missing. */
function decodeText(bodyPrefix: Buffer, isComplete: boolean): string | null {
  const text = new TextDecoder().decode(bodyPrefix, { stream: !isComplete })
  return CONTROL_CHARACTERS.test(text) || text.includes('\ufffd') ? null : text
}

/** Returns the value to which `host.api` resolved. Errors are those of `panel.resolvedValue`. */
export type ResolvedValueReader = (input: IpcInput<'panel.resolvedValue'>) => Promise<IpcOutput<'panel.resolvedValue'>>

interface Options {
  readonly calls: Pick<PanelCalls, 'getPageResponse'>
  readonly store: Pick<TrafficStore, 'exchange' | 'body'>
}

/**
 * For a call of a panel, the value comes from the response that the page received, even if an
 * override or the policy made that response; for all other exchanges, from the host's response.
 */
export function createResolvedValueReader({ calls, store }: Options): ResolvedValueReader {
  return async ({ exchangeId }) => {
    const response = calls.getPageResponse(exchangeId) ?? (await readRecordedResponse(store, exchangeId))
    if (response === 'waiting') throw createRefusedError('STILL_WAITING', 'The response has not arrived yet.')
    return toResolvedValue(response)
  }
}

/** JSON text in UTF-8, and whether the caller would treat the value as a failure. */
export function toResolvedValue(response: HostApiResponse): IpcOutput<'panel.resolvedValue'> {
  const value = toHostApiValue(response)
  const text = new TextEncoder().encode(JSON.stringify(value))
  return { meta: { isFailure: isHostApiFailure(value) }, bytes: text.buffer }
}

async function readRecordedResponse(store: Options['store'], id: string): Promise<HostApiResponse | 'waiting'> {
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
