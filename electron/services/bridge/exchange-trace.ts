import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Timing } from '../../../shared/traffic/exchange.ts'

type Phase = keyof Timing
/** Name and value of each header, with the letter case it has on the wire. */
export type RawHeaders = readonly (readonly [name: string, value: string])[]

/** What an exchange was like on the wire, noted while it runs. Noting costs a few assignments and never fails. */
export class ExchangeTrace {
  readonly #start = performance.now()
  #timing: Record<Phase, number | null> = { ...untimed }
  #socket: Socket | null = null
  #readBefore = 0
  #requestHeaders: RawHeaders = []
  #response: IncomingMessage | null = null
  #wireBytes: number | null = null
  #arrived: { readonly buffer: Uint8Array; readonly total: number } | null = null

  /** The request is sent, or sent once more because a kept socket was dead: what was noted of an earlier try does not count. */
  markStarted(): void {
    this.#timing = { ...untimed }
    this.#socket = null
    this.#response = null
    this.#wireBytes = null
    this.#arrived = null
  }

  markSocketAssigned(socket: Socket): void {
    this.#socket = socket
    this.#readBefore = socket.bytesRead
    this.#note('queued')
  }

  /** The socket is up, and nothing of the request has been written. */
  markConnected(sent: ClientRequest, wasKept: boolean): void {
    this.#note('connected', wasKept ? this.#timing.queued : undefined)
    this.#readBefore = this.#socket?.bytesRead ?? 0
    this.#requestHeaders = headersOf(sent)
    sent.once('finish', () => this.#note('sent'))
  }

  markResponseHead(response: IncomingMessage): void {
    this.#response = response
    this.#note('firstByte')
    const markEnded = (): void => this.markEnded()
    response.once('end', markEnded)
    response.once('close', markEnded)
  }

  /** The last byte arrived, or no more will; the first call counts. */
  markEnded(): void {
    if (this.#timing.lastByte !== null || this.#response === null) return
    this.#note('lastByte')
    this.#wireBytes = this.#socket === null ? null : this.#socket.bytesRead - this.#readBefore
  }

  /** `buffer` begins with the decoded bytes that have arrived so far, in case no more do. */
  markReceived(buffer: Uint8Array, total: number): void {
    this.#arrived = { buffer, total }
  }

  /** Milliseconds since the exchange began. */
  get elapsedMs(): number {
    return performance.now() - this.#start
  }

  get timing(): Timing {
    return { ...this.#timing }
  }

  get wireBytes(): number | null {
    return this.#wireBytes
  }

  /** Empty if not a byte was written. */
  get requestHeaders(): RawHeaders {
    return this.#requestHeaders
  }

  get responseHeaders(): RawHeaders {
    return toHeaderPairs(this.#response?.rawHeaders ?? [])
  }

  /** Null without an answer. */
  get status(): number | null {
    return this.#response?.statusCode ?? null
  }

  /** What had arrived of an answer that was not completed; null if nothing had. */
  get partialBody(): Uint8Array | null {
    return this.#arrived?.buffer.subarray(0, this.#arrived.total) ?? null
  }

  /** How many decoded bytes have arrived. */
  get receivedBytes(): number {
    return this.#arrived?.total ?? 0
  }

  #note(phase: Phase, at: number | null = this.elapsedMs): void {
    this.#timing[phase] = at
  }
}

const untimed: Timing = { queued: null, connected: null, sent: null, firstByte: null, lastByte: null }

/** Node itself writes `Connection` last. */
function headersOf(sent: ClientRequest): RawHeaders {
  const given = sent.getRawHeaderNames().map((name) => [name, String(sent.getHeader(name))] as const)
  return [...given, ['Connection', sent.shouldKeepAlive ? 'keep-alive' : 'close']]
}

/** Headers as Node lists them, in pairs. */
export function toHeaderPairs(raw: readonly string[]): RawHeaders {
  const headers: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2) headers.push([raw[at] ?? '', raw[at + 1] ?? ''])
  return headers
}
