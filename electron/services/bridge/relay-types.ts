import type { Readable } from 'node:stream'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import type { Origin } from '../../../shared/traffic/exchange.ts'
import type { RawHeaders } from './exchange-trace.ts'

/** What another program asks of the host, to be passed on unchanged. */
export interface RelayRequest {
  /** Its row (`relayedRow`): of the table, or one for a route that the host lists or nobody knows. */
  readonly endpoint: Endpoint
  readonly method: string
  /** Path and query byte for byte, relative to the base URL. */
  readonly rawPath: string
  /** As received: hop-by-hop headers, `Host`, `Origin`, `Referer`, `Cookie`, `Sec-*` and any authorization are left out here. */
  readonly headers: RawHeaders
  /** A buffer under the lock: a stream, of which nobody knows what it holds, counts as a write there. */
  readonly body: Readable | Buffer | null
  /** Bytes of the body where the caller declared them; null for chunked. */
  readonly length: number | null
  readonly origin: Origin
  /** The name of a rule that changes the answer before it reaches the caller. */
  readonly rule?: string | undefined
  /** Awaited before anything is sent; the exchange has begun by then, and waits in its queue. What it throws ends the exchange. */
  readonly beforeSend?: (() => Promise<void>) | undefined
  readonly signal: AbortSignal
  /**
   * Masks the token in whatever passes back but media, and asks the host not to compress. For a client that holds the token itself,
   * nothing is changed.
   */
  readonly isMasked: boolean
  /** The caller expects `100-continue`: called when the host is ready for the body. */
  readonly onContinue?: () => void
}

/** The head of the host's answer; its bytes follow, still encoded as the host sent them unless they were masked. */
export interface RelayResponse {
  readonly exchangeId: string
  readonly status: number
  readonly statusText: string
  /** Without hop-by-hop headers. */
  readonly headers: RawHeaders
  /** Fails if the host breaks off; destroying it ends the request to the host. */
  readonly body: Readable
  /** How often the token was masked, in headers and in the body; final once the body has ended. */
  readonly getMaskedCount: () => number
}
