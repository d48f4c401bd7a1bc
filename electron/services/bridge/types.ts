// Sends HTTP requests to the host and keeps the connection to it. The outcome of writes is judged
// in services/operations; recorded traffic is in services/traffic. Read this file first, then
// client/client.ts and connection/connection.ts.
import type { CallInitiator } from '../../../shared/traffic/call-initiator.ts'
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

/** A target is made anew for each request: no other object holds the token. */
export interface BridgeTarget {
  /** Normalised base URL: `http://127.0.0.1:42340/bridge/v1`. */
  readonly baseUrl: string
  readonly auth: { readonly header: string; readonly scheme: string }
  readonly token: string | null
  /** Pinned SHA-256 fingerprint of a self-signed certificate, or null. */
  readonly tlsFingerprint: string | null
  readonly isReadOnly: boolean
  readonly epoch: number
  /** Nonce of the host's current run; null or absent if unknown. */
  readonly instanceNonce?: string | null
  /** Path templates from the capabilities that replace those of the table, by endpoint id. */
  readonly pathOverrides: Readonly<Record<string, string>>
  /** Null if the capabilities were not read, so that the contract's limits apply. */
  readonly limits: HostLimits | null
  /** The reads that the host leaves out of its list of routes; absent if it is not known. */
  readonly unlistedReadIds?: ReadonlySet<string>
}

export interface RequestLimits {
  readonly connectTimeoutMs: number
  readonly idleTimeoutMs: number
  readonly totalTimeoutMs: number
  /** Maximum decoded bytes of a response body. */
  readonly maxBytes: number
}

export interface FileBody {
  readonly path: string
  readonly size: number
  /** Called with the number of bytes that the connection has taken so far. */
  readonly onSent?: (bytes: number) => void
}

/** When a call was made; its request may be sent later. */
export interface CallStart {
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** Milliseconds of the monotonic clock (`performance.now`). */
  readonly startedMs: number
}

export interface BridgeRequest {
  readonly endpoint: Endpoint
  /** Sent in place of the GET of the endpoint. */
  readonly method?: 'HEAD'
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number>>
  readonly body?: unknown
  /** The JSON text of `body` to send byte for byte; without it the body is serialised. */
  readonly bodyText?: string
  readonly file?: FileBody
  readonly signal?: AbortSignal
  readonly limits?: Partial<RequestLimits>
  /** Additional headers that a person composed; `buildRequestHeaders` checks them. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  /** Maximum number of values that `requestJson` builds. Default: 200,000. */
  readonly maxValues?: number
  /** Maximum number of attempts at a read. Default: 3; the heartbeat and the doctor use 1. */
  readonly attempts?: number
  /** The cause of the request. Default: a view of the app's own page. */
  readonly origin?: Origin
  /** Name of the rule that changes the response before it reaches the caller. */
  readonly rule?: string
  readonly panelCall?: PanelCallFacts | undefined
  /** The exchange of a `sendOnce` is recorded as begun at this time. */
  readonly start?: CallStart
  /** Byte for byte, in place of those built from `params` and `query`. The caller checks it. */
  readonly rawPath?: string
  /**
   * For `request`: called with the bytes of a success before they are masked and recorded, so that
   * the next request can start at once. The bytes may hold the token. Must not throw.
   */
  readonly onArrived?: (bytes: Uint8Array) => void
  /** `sendOnce` calls it with a complete response before its check. Must not throw. */
  readonly onResponse?: (response: MaskedResponse) => void
}

/** A response as the host sent it, for another program. The token is masked. */
export interface MaskedResponse {
  readonly exchangeId: string
  readonly status: number
  readonly headers: RawHeaders
  readonly bytes: Uint8Array
}

export interface BridgeResponse {
  readonly meta: ResponseMeta
  /** Decoded bytes as the host sent them, except that the token is masked. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** First and last byte, both inclusive; a null `end` means the end of the body. */
export interface ByteRange {
  readonly start: number
  readonly end: number | null
}

interface StreamRequest extends BridgeRequest {
  /** A host may ignore the range and send all bytes. */
  readonly range?: ByteRange | null
}

/** The body arrives while it is read. `meta.byteLength` is the announced size, or 0. */
export interface BridgeStream {
  readonly meta: ResponseMeta
  /** Bytes of the body; null if not announced, or compressed without being asked. */
  readonly length: number | null
  /** Decoded bytes. Fails with `AppError`; destroying it ends the request to the host. */
  readonly body: Readable
  /** True if the body is as received because it does not decode; known with its first byte. */
  readonly isUndecodable: () => boolean
  /** Creates a mask for the token, for a body that is passed on to a page as text. */
  readonly createMask: () => MaskStream
  /** Throws the host's error if the whole body, of at most 64 KB, is an error. */
  readonly assertNoHostError: (bytes: Buffer) => void
}

/** An exchange to be sent. It holds the token: only a recorder that masks it may receive it. */
export interface ExchangeStart {
  readonly id: string
  /** Id of the first attempt at the same request. */
  readonly group: string
  readonly attempt: number
  readonly startedAt: number
  /** Milliseconds of the monotonic clock, if the call was made before its exchange begins. */
  readonly startedMs?: number
  readonly origin: Origin
  readonly endpoint: Endpoint
  /** The method on the wire. A relayed HEAD is recorded with the endpoint of its GET. */
  readonly method: string
  /** Path with query, relative to the base URL. */
  readonly path: string
  readonly target: BridgeTarget
  readonly headers: RawHeaders
  readonly body: Buffer | null
  /** Size of the file that is the body. */
  readonly fileBytes: number | null
  /** Name of the rule that responds in place of the host. */
  readonly rule?: string
  readonly panelCall?: PanelCallFacts | undefined
}

export interface ExchangeEnd {
  readonly durationMs: number
  readonly timing: Timing
  /** False if the response broke off or was abandoned. */
  readonly isComplete: boolean
  readonly status: number | null
  readonly wireBytes: number | null
  /** Empty if no byte of the request was written. */
  readonly requestHeaders: RawHeaders
  readonly responseHeaders: RawHeaders
  /** Decoded bytes. A recorder must copy those that it stores, unless `isBodyOwned` is set. */
  readonly body: Uint8Array | null
  /** True if the recorder may detach the bytes of `body`, which nobody reads after `recordEnd`. */
  readonly isBodyOwned?: boolean
  /** Number of decoded bytes, unlike `wireBytes`. */
  readonly receivedBytes: number
  readonly missing: StoredBody['missing']
  /** More than `receivedBytes` may have arrived: the body was not decoded to the end. */
  readonly hasUncountedBytes?: boolean
  /** Beginning of a request body that was streamed or sent encoded. */
  readonly sentBody?: {
    /** Decoded bytes. */
    readonly body: Uint8Array | null
    /** Number of all decoded bytes, unless `isWhole` is false. */
    readonly bytes: number
    readonly isWhole: boolean
    readonly missing?: StoredBody['missing']
    /** Number of bytes sent, of a body that was sent encoded. */
    readonly encodedBytes?: number
  }
  /** Code of the host's error; empty if the error has none, null if there is no error. */
  readonly hostCode: string | null
  readonly error: AppError | null
}

/** Its methods must not throw and must return quickly: the caller waits for the response. */
export interface ExchangeRecorder {
  /** How many bytes of a streamed body are stored. */
  getMaxStreamedBytes(): number
  recordStart(exchange: ExchangeStart): void
  recordEnd(exchange: ExchangeStart, how: ExchangeEnd): void
  /** Adds what became known about the code that made a panel's call. */
  recordInitiator?(id: string, initiator: CallInitiator): void
  /** The panel's pages up to this `load` were left, by a reload or as the panel stopped. */
  recordPageLeft?(caller: string, load: number): void
  /** The page may only be reloading: `isReplaced` is true once a newer load began or it closed. */
  recordLoadEnd?(caller: string, load: number, isReplaced: () => boolean): void
  /** Called when a panel is closed, so that its page can send no further request. */
  recordCallerEnd?(caller: string): void
}

export type SendResult =
  | {
      readonly kind: 'answer'
      readonly status: number
      /** Parsed, or text; without the token. Of a long body, the start and outcome members. */
      readonly value: unknown
      readonly isTruncated: boolean
      readonly exchangeId: string
      readonly durationMs: number
      /** Null if the host does not ask to wait. */
      readonly retryAfterSeconds: number | null
    }
  | {
      readonly kind: 'failure'
      /** `no` means that nothing of the request was written. */
      readonly reached: 'no' | 'maybe'
      readonly error: AppError
      readonly exchangeId: string
    }

/** A request as it would be sent, with the token replaced. */
export interface RequestDescription {
  readonly method: string
  /** Path with query, relative to the base URL. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/**
 * Relays requests of other programs to a host, each once, and records them. The whole exchange has
 * no time limit while bytes move.
 * @throws READ_ONLY or PATH_OUTSIDE before anything is sent; later the errors of a request to a
 *   host. Always `AppError`.
 */
export interface Relay {
  relay(target: BridgeTarget, request: RelayRequest): Promise<RelayResponse>
}

/**
 * Sends requests to a host over HTTP and records every exchange; no other code sends any. Its
 * methods throw `AppError` only. This folder decides nothing about operations and stores nothing.
 * Read `client/client.ts` next.
 */
export interface BridgeClient extends Relay {
  /** Resolves with a success: a 2xx status, the promised kind of body, and no `error` member. */
  request(target: BridgeTarget, request: BridgeRequest): Promise<BridgeResponse>
  /** Like `request`, for a small response of which the caller checks the schema. */
  requestJson(target: BridgeTarget, request: BridgeRequest): Promise<{ value: unknown; meta: ResponseMeta }>
  /** Resolves with the head. A failed attempt may be repeated until then, never afterwards. */
  openStream(target: BridgeTarget, request: StreamRequest): Promise<BridgeStream>
  /** Resolves with any response, errors too. Rejects only if it is refused before it is sent. */
  sendOnce(target: BridgeTarget, request: BridgeRequest): Promise<SendResult>
  /** Resolves with the id of the recorded exchange once any response has arrived in full. */
  requestExchangeId(target: BridgeTarget, request: BridgeRequest): Promise<string>
  /** Throws the errors with which `sendOnce` refuses a request. */
  describeRequest(target: BridgeTarget, request: BridgeRequest): RequestDescription
  close(): void
}
