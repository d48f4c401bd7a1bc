import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Timing } from '../../../shared/traffic/exchange.ts'

type Phase = keyof Timing
/** Name and value of each header, with the letter case on the wire. */
export type RawHeaders = readonly (readonly [name: string, value: string])[]

/** Records timing, headers and sizes of a running exchange, for few assignments. Never fails. */
export class ExchangeTrace {
  readonly #startedAtMs: number
  #timing: Record<Phase, number | null> = { ...UNTIMED }
  #socket: Socket | null = null
  #bytesReadBefore = 0
  #requestHeaders: RawHeaders = []
  #response: IncomingMessage | null = null
  #wireBytes: number | null = null
  #received: { readonly buffer: Uint8Array; readonly total: number } | null = null

  /** `startedAtMs` is of the monotonic clock. */
  constructor(startedAtMs = performance.now()) {
    this.#startedAtMs = startedAtMs
  }

  /** Called before each try. A resend over a new socket discards the records of the failed try. */
  markStarted(): void {
    this.#timing = { ...UNTIMED }
    this.#socket = null
    this.#response = null
    this.#wireBytes = null
    this.#received = null
  }

  markSocketAssigned(socket: Socket): void {
    this.#socket = socket
    this.#bytesReadBefore = socket.bytesRead
    this.#markPhase('queued')
  }

  /** Call when the socket is connected and nothing of the request has been written. */
  markConnected(request: ClientRequest, wasKept: boolean): void {
    this.#markPhase('connected', wasKept ? this.#timing.queued : undefined)
    this.#bytesReadBefore = this.#socket?.bytesRead ?? 0
    this.#requestHeaders = getRequestHeaders(request)
    request.once('finish', () => this.#markPhase('sent'))
  }

  markResponseHead(response: IncomingMessage): void {
    this.#response = response
    this.#markPhase('firstByte')
    const markEnded = (): void => this.markEnded()
    response.once('end', markEnded)
    response.once('close', markEnded)
  }

  /** Call when no more bytes will arrive. Only the first call counts. */
  markEnded(): void {
    if (this.#timing.lastByte !== null || this.#response === null) return
    this.#markPhase('lastByte')
    this.#wireBytes = this.#socket === null ? null : this.#socket.bytesRead - this.#bytesReadBefore
  }

  /** Remembers the bytes in case no more arrive; `buffer` begins with `total` decoded ones. */
  markReceived(buffer: Uint8Array, total: number): void {
    this.#received = { buffer, total }
  }

  get elapsedMs(): number {
    return performance.now() - this.#startedAtMs
  }

  get timing(): Timing {
    return { ...this.#timing }
  }

  get wireBytes(): number | null {
    return this.#wireBytes
  }

  /** Empty if no byte of the request was written. */
  get requestHeaders(): RawHeaders {
    return this.#requestHeaders
  }

  get responseHeaders(): RawHeaders {
    return toHeaderPairs(this.#response?.rawHeaders ?? [])
  }

  /** Null if no response arrived. */
  get status(): number | null {
    return this.#response?.statusCode ?? null
  }

  /** Bytes of an incomplete response; null if none arrived. */
  get partialBody(): Uint8Array | null {
    return this.#received?.buffer.subarray(0, this.#received.total) ?? null
  }

  get receivedBytes(): number {
    return this.#received?.total ?? 0
  }

  #markPhase(phase: Phase, elapsedMs: number | null = this.elapsedMs): void {
    this.#timing[phase] = elapsedMs
  }
}

const UNTIMED: Timing = { queued: null, connected: null, sent: null, firstByte: null, lastByte: null }

/** Node does not list its own `Connection` header, which it writes last. */
function getRequestHeaders(request: ClientRequest): RawHeaders {
  const listedHeaders = request.getRawHeaderNames().map((name) => [name, String(request.getHeader(name))] as const)
  return [...listedHeaders, ['Connection', request.shouldKeepAlive ? 'keep-alive' : 'close']]
}

/** Converts Node's flat list of names and values to pairs. */
export function toHeaderPairs(raw: readonly string[]): RawHeaders {
  const headers: [string, string][] = []
  for (let index = 0; index + 1 < raw.length; index += 2) headers.push([raw[index] ?? '', raw[index + 1] ?? ''])
  return headers
}
