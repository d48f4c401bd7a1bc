import type { Readable } from 'node:stream'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import type { HostLimits } from '../../../shared/bridge/host-limits.ts'
import type { AppError } from '../../../shared/errors.ts'
import type { ResponseMeta } from '../../../shared/ipc/bridge.ts'
import type { StoredBody, Origin, Timing } from '../../../shared/traffic/exchange.ts'
import type { PanelCallFacts } from '../findings/exchange-step.ts'
import type { MaskStream } from '../mask/mask.ts'
import type { RelayResponse, RelayRequest } from './relay-types.ts'
import type { RawHeaders } from './exchange-trace.ts'

/** Where requests go and what they carry. The connection makes a new one for each request; the token lives nowhere else. */
export interface BridgeTarget {
  /** Normalised base URL, `http://127.0.0.1:42340/bridge/v1`. */
  readonly baseUrl: string
  readonly auth: { readonly header: string; readonly scheme: string }
  readonly token: string | null
  /** Pinned SHA-256 fingerprint of a self-signed certificate, or null. */
  readonly tlsFingerprint: string | null
  readonly isReadOnly: boolean
  readonly epoch: number
  /** The run of the host that answered last; null or absent if unknown. */
  readonly instanceNonce?: string | null
  /** Path templates from the capabilities that replace those in the table, by endpoint id (the tree's path is not in the spec). */
  readonly pathOverrides: Readonly<Record<string, string>>
  /** Limits of the capabilities; null if they were not read, so those of the contract hold. */
  readonly limits: HostLimits | null
}

export interface RequestLimits {
  readonly connectTimeoutMs: number
  readonly idleTimeoutMs: number
  readonly totalTimeoutMs: number
  /** Decoded bytes. */
  readonly maxBytes: number
}

export interface FileBody {
  readonly path: string
  readonly size: number
  /** Called with how many bytes have been handed to the connection. */
  readonly onSent?: (bytes: number) => void
}

export interface BridgeRequest {
  readonly endpoint: Endpoint
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number>>
  readonly body?: unknown
  /** The JSON text of `body` to send, byte for byte; without it the body is serialised again. */
  readonly bodyText?: string
  /** A file whose bytes are the body, in place of JSON. */
  readonly file?: FileBody
  readonly signal?: AbortSignal
  readonly limits?: Partial<RequestLimits>
  /** Headers of a read besides our own, as whoever composes it wrote them; checked by `requestHeaders`. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  /** Maximum number of values in an answer that `requestJson` builds. Default 200,000. */
  readonly maxValues?: number
  /** Maximum number of attempts; only reads are ever repeated. Default 3; the heartbeat and the doctor use 1. */
  readonly attempts?: number
  /** What causes it. Default: a place of the page. */
  readonly origin?: Origin
  /** The name of a rule that changes the answer before it reaches who asked. */
  readonly rule?: string
  /** Path and query, byte for byte, in place of those built from `params` and `query`; checked by whoever makes the request. */
  readonly rawPath?: string
  /**
   * Of `request`: called with the bytes of a success before they are masked and recorded, so that what follows from them can be requested at
   * once. They may hold the token. Must not throw.
   */
  readonly onArrived?: (bytes: Uint8Array) => void
  /** Of `once`: called with a complete answer as the host sent it, but for the token, before it is judged. Must not throw. */
  readonly onResponse?: (answer: MaskedResponse) => void
}

/** An answer as the host sent it, for whoever asked through us. The token is masked. */
export interface MaskedResponse {
  readonly exchangeId: string
  readonly status: number
  readonly headers: RawHeaders
  readonly bytes: Uint8Array
}

export interface BridgeResponse {
  readonly meta: ResponseMeta
  /** Decoded bytes, exactly as the host sent them. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Bytes `start` to `end`, both inclusive; null means to the last one. */
export interface ByteRange {
  readonly start: number
  readonly end: number | null
}

interface StreamRequest extends BridgeRequest {
  /** Requests only these bytes; a host may send all of them nevertheless. */
  readonly range?: ByteRange | null
}

/** An answer whose bytes arrive as they are read. `meta.byteLength` is what the host announced, or 0. */
export interface BridgeStream {
  readonly meta: ResponseMeta
  /** Number of bytes in the body; null if the host did not say, or compressed it without being asked to. */
  readonly length: number | null
  /** Decoded bytes. Fails with `AppError`; destroying it ends the request to the host. */
  readonly body: Readable
  /** Masks the token in the text that arrives, for whoever passes it on to a page. */
  readonly createMask: () => MaskStream
  /** Throws the host's error if all bytes of the body, which are at most 64 KB, are one. */
  readonly assertNoHostError: (bytes: Buffer) => void
}

/** An exchange that is about to be sent. Holds the token: only for a recorder, which masks it. */
export interface ExchangeStart {
  readonly id: string
  /** Id of the first attempt at the same request. */
  readonly group: string
  readonly attempt: number
  readonly startedAt: number
  readonly origin: Origin
  readonly endpoint: Endpoint
  /** As sent: a HEAD has the row of its GET. */
  readonly method: string
  /** With the query, relative to the base URL. */
  readonly path: string
  readonly target: BridgeTarget
  readonly headers: RawHeaders
  readonly body: Buffer | null
  /** Size of a file that is the body. */
  readonly fileBytes: number | null
  /** It is answered from rules instead of the host: the name of the rule. */
  readonly rule?: string
}

/** How it ended. */
export interface ExchangeEnd {
  readonly durationMs: number
  readonly timing: Timing
  /** The answer arrived in full. */
  readonly isComplete: boolean
  readonly status: number | null
  readonly wireBytes: number | null
  /** Empty if not a byte was written. */
  readonly requestHeaders: RawHeaders
  readonly responseHeaders: RawHeaders
  /** Decoded bytes of the answer that are at hand; whoever keeps them makes a copy, unless they are `given`. */
  readonly body: Uint8Array | null
  /** Nobody else reads `body`. */
  readonly isBodyOwned?: boolean
  /** How many decoded bytes arrived. */
  readonly receivedBytes: number
  readonly missing: StoredBody['missing']
  /** More than `bytes` may have arrived: they were not decoded to the end. */
  readonly hasUncountedBytes?: boolean
  /** A request body that passed through: its beginning, the bytes handed over, and whether that is all of it. */
  readonly sentBody?: { readonly body: Uint8Array | null; readonly bytes: number; readonly isWhole: boolean }
  /** The code of the host's error; empty if it has none, null if there is no error. */
  readonly hostCode: string | null
  readonly error: AppError | null
}

/** Keeps a record of exchanges. Neither method may throw or take time: the caller is waiting for the answer. */
export interface ExchangeRecorder {
  /** How many bytes of a body that passes through are kept. */
  getMaxStreamedBytes(): number
  recordStart(exchange: ExchangeStart): void
  recordEnd(exchange: ExchangeStart, how: ExchangeEnd): void
  /** How the page of a panel called, as far as the exchange does not show it. */
  recordPanelCall?(id: string, page: PanelCallFacts): void
  /** The pages of the panel with this `caller` up to this `load` were left, by a reload or because the panel was stopped. */
  recordPageLeft?(caller: string, load: number): void
}

/** The result of a request that was sent once. */
export type SendResult =
  | {
      readonly kind: 'answer'
      readonly status: number
      /**
       * The parsed body, without the token; its text if it is not JSON. Of a long one only what it is judged by and its beginning
       * (`cut`).
       */
      readonly value: unknown
      readonly isTruncated: boolean
      readonly exchangeId: string
      readonly durationMs: number
      /** How long a busy host asks to wait; null if it does not ask. */
      readonly retryAfterSeconds: number | null
    }
  | {
      readonly kind: 'failure'
      /** `no`: not a byte of the request was written. */
      readonly reached: 'no' | 'maybe'
      readonly error: AppError
      readonly exchangeId: string
    }

/** A request as it would be sent. */
export interface RequestDescription {
  readonly method: string
  /** With query, relative to the base URL. */
  readonly path: string
  /** The token's value is replaced. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/**
 * Passes requests of other programs on to a host, each once, and records them. Throws `AppError` where no answer came: `READ_ONLY` and
 * `PATH_OUTSIDE` before the host is asked, and what a request to a host throws. Bytes that move either way keep it going; there is no
 * limit for the whole.
 */
export interface Relay {
  relay(target: BridgeTarget, request: RelayRequest): Promise<RelayResponse>
}

/** The one request path to a host. Throws `AppError` only. */
export interface BridgeClient extends Relay {
  /** Sends to the given target. The answer is a success: 2xx, of the promised kind, without an `error` member. */
  request(target: BridgeTarget, request: BridgeRequest): Promise<BridgeResponse>
  /** `request` plus parsing, for small answers that the service itself needs; the caller checks the value against its schema. */
  requestJson(target: BridgeTarget, request: BridgeRequest): Promise<{ value: unknown; meta: ResponseMeta }>
  /**
   * Sends a read and resolves with the head of the answer, which is judged as in `request`. Up to then a read is repeated like any other;
   * never once its bytes have begun.
   */
  openStream(target: BridgeTarget, request: StreamRequest): Promise<BridgeStream>
  /**
   * Sends once, whatever the request is, and returns any complete answer, the host's errors included. Throws only what is refused before
   * sending.
   */
  sendOnce(target: BridgeTarget, request: BridgeRequest): Promise<SendResult>
  /**
   * Sends a read once, and resolves with the id of its exchange once any answer has arrived in full; the recorder has it. Throws like
   * `request`, but not because of what the answer says.
   */
  requestExchangeId(target: BridgeTarget, request: BridgeRequest): Promise<string>
  /** What `once` would send. Throws like it. */
  describeRequest(target: BridgeTarget, request: BridgeRequest): RequestDescription
  /** Closes all sockets; for the end of the program. */
  close(): void
}
