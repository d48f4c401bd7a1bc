import type { Readable } from 'node:stream'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import type { Origin } from '../../../shared/traffic/exchange.ts'
import type { PanelCallFacts } from '../findings/exchange-step.ts'
import type { RawHeaders } from './exchange-trace.ts'

/** A request of another program, passed on to the host unchanged. */
export interface RelayRequest {
  /** The result of `resolveRelayedRow`. An unknown route's endpoint is not in the table. */
  readonly endpoint: Endpoint
  readonly method: string
  /** Path and query byte for byte, relative to the base URL. */
  readonly rawPath: string
  /** Raw; the relay drops authorization, cookies, host, origin, referrer, hop-by-hop, `Sec-*`. */
  readonly headers: RawHeaders
  /** A buffer if the profile is read-only: its access check takes a stream for a write. */
  readonly body: Readable | Buffer | null
  /** Bytes of the body as the caller declared them; null if the body is chunked. */
  readonly length: number | null
  readonly origin: Origin
  /** Name of the rule that changes the response before it reaches the caller. */
  readonly rule?: string | undefined
  readonly panelCall?: PanelCallFacts | undefined
  /** Awaited before sending, after the recorded start. The exchange fails with its error. */
  readonly beforeSend?: (() => Promise<void>) | undefined
  readonly signal: AbortSignal
  /** Masks the token, except in media, and asks for no compression; false if the client has it. */
  readonly isMasked: boolean
  /** The host is ready for the body that a caller holds back with `Expect: 100-continue`. */
  readonly onContinue?: () => void
}

/** The head of the host's response. The body follows, still encoded unless it was masked. */
export interface RelayResponse {
  readonly exchangeId: string
  readonly status: number
  readonly statusText: string
  /** Response headers without hop-by-hop headers. */
  readonly headers: RawHeaders
  /** Fails if the host breaks off; destroying it ends the request to the host. */
  readonly body: Readable
  /** How often the token was masked, in headers and in the body; final when the body has ended. */
  readonly getMaskedCount: () => number
}
