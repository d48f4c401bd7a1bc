import type { Readable } from 'node:stream'
import type { Endpoint } from '../../../shared/bridge/endpoint.ts'
import type { AppError } from '../../../shared/errors.ts'
import type { AnswerMeta } from '../../../shared/ipc/bridge.ts'
import type { MaskStream } from '../mask/mask.ts'

/** Where requests go and what they carry. Made anew for each request by the connection; the token lives nowhere else. */
export interface BridgeTarget {
  /** Normalised base URL, `http://127.0.0.1:42340/bridge/v1`. */
  readonly baseUrl: string
  readonly auth: { readonly header: string; readonly scheme: string }
  readonly token: string | null
  /** Pinned SHA-256 fingerprint of a self-signed certificate, or null. */
  readonly tlsFingerprint: string | null
  readonly readOnly: boolean
  readonly epoch: number
  /** Path templates that the capabilities list in place of the table's, by endpoint id (the tree's path is not in the spec). */
  readonly pathOverrides: Readonly<Record<string, string>>
}

export interface Limits {
  readonly connectTimeoutMs: number
  readonly idleTimeoutMs: number
  readonly totalTimeoutMs: number
  /** Decoded bytes. */
  readonly maxBytes: number
}

export interface BridgeRequest {
  readonly endpoint: Endpoint
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number>>
  readonly body?: unknown
  readonly signal?: AbortSignal
  readonly limits?: Partial<Limits>
  /** Values of an answer that `requestJson` builds. Default 200,000. */
  readonly maxValues?: number
  /** Attempts at the most; only reads are ever repeated. Default 3; the heartbeat and the doctor use 1. */
  readonly attempts?: number
}

export interface BridgeAnswer {
  readonly meta: AnswerMeta
  /** Decoded bytes, exactly as the host sent them. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Bytes `start` to `end`, both included; null = to the last one. */
export interface ByteRange {
  readonly start: number
  readonly end: number | null
}

export interface StreamRequest extends BridgeRequest {
  /** Asks for these bytes alone; a host may answer all of them nevertheless. */
  readonly range?: ByteRange | null
}

/** An answer whose bytes come as they are read. `meta.byteLength` is what the host announced, 0 where it announced nothing. */
export interface BridgeStream {
  readonly meta: AnswerMeta
  /** Bytes that the body will have; null where the host did not say, or compressed it although it was not asked to. */
  readonly length: number | null
  /** Decoded bytes. Fails with `AppError`; destroying it ends the request to the host. */
  readonly body: Readable
  /** Takes the token out of the text that comes, for whoever gives it to a page. */
  readonly mask: () => MaskStream
}

/** One exchange with the host as it went, told to whoever keeps a record. Carries no token and no request headers. */
export interface Exchange {
  readonly id: string
  readonly endpoint: string
  readonly method: string
  readonly path: string
  readonly attempt: number
  readonly startedAt: number
  readonly durationMs: number
  readonly status: number | null
  readonly bytes: number
  readonly error: { readonly kind: string; readonly code?: string } | null
}

/** What came of a request that was sent one time. */
export type SendResult =
  | {
      readonly kind: 'answer'
      readonly status: number
      /** The parsed body, without the token; its text where it is no JSON. Of a long one, what it is judged by and its beginning: `cut`. */
      readonly value: unknown
      readonly cut: boolean
      readonly exchangeId: string
      readonly durationMs: number
      /** What a busy host asks to wait; null where it asks for nothing. */
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
export interface Described {
  readonly method: string
  /** With query, relative to the base URL. */
  readonly path: string
  /** The token's value is replaced. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** The one request path to a host. Throws `AppError` only. */
export interface BridgeClient {
  /** Sends to the target given; the answer is a success: 2xx, of the promised kind, without an `error` member. */
  request(target: BridgeTarget, request: BridgeRequest): Promise<BridgeAnswer>
  /** `request` plus parse, for small answers that the service itself needs; the caller checks the value with its schema. */
  requestJson(target: BridgeTarget, request: BridgeRequest): Promise<{ value: unknown; meta: AnswerMeta }>
  /**
   * Sends a read and answers with the head; the answer is judged as in `request`. A read is repeated like any other until then,
   * and never once its bytes have begun.
   */
  stream(target: BridgeTarget, request: StreamRequest): Promise<BridgeStream>
  /**
   * Sends one time, whatever the request is, and gives whatever was answered in full, errors of the host among it. Throws only what is
   * refused before anything is sent.
   */
  once(target: BridgeTarget, request: BridgeRequest): Promise<SendResult>
  /** What `once` would send. Throws like it. */
  describe(target: BridgeTarget, request: BridgeRequest): Described
  /** Closes all sockets; for the end of the program. */
  close(): void
}
