// Parses the calls of a panel's page, and records them with their responses. Which calls reach the
// host is decided in panel/policy. Read this file first, then page-call.ts and panel-calls.ts.
import type { Readable } from 'node:stream'
import type { MatchedCall } from '../../../../shared/panel/call-match.ts'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import type { PanelCallChange, PanelNote } from '../../../../shared/panel/panel.ts'
import type { RawHeaders } from '../../bridge/exchange-trace.ts'

/** A call of the panel's page to `/bridge/v1` that passed all checks. */
export interface PanelRequest {
  readonly method: string
  /** The normalised path with query, relative to the base URL. */
  readonly path: string
  readonly headers: RawHeaders
  readonly body: Buffer | null
  readonly signal: AbortSignal
  /** True if the page used `host.api` instead of `fetch`. */
  readonly isHostApi: boolean
}

/** The response to the page, or a broken connection. */
export type PanelResponse =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: RawHeaders
      /** If the stream fails, the connection of the response is closed. */
      readonly body: Readable | Buffer | null
      /** Changes that an override made to the host's response. */
      readonly changes?: readonly PanelCallChange[]
      /** Changes made to the body so far; final after its end. */
      readonly getStreamChanges?: () => readonly PanelCallChange[]
    }
  /** Ends without a response, as if no host were listening or it had reset the connection. */
  | { readonly kind: 'broken' }

/** A call that an override may respond to. */
export interface OverridableCall extends MatchedCall {
  readonly headers: RawHeaders
  /** Null if there is none. */
  readonly bodyText: string | null
  readonly signal: AbortSignal
}

/** A rule of the program itself, which no file holds. It may come and go at any time. */
export interface ProgramRule {
  /** Null if its responses are not known in advance. */
  readonly rule: OverrideRule | null
  /** Asked for every call of the page. */
  readonly fits: (call: MatchedCall, load: number) => boolean
  /** Asked for a call that fits; null leaves the call to the next rule. */
  readonly choose: (call: OverridableCall) => Promise<OverrideRule | null>
}

export interface AppliedOverrides {
  /** The first matching rule that is switched on; `load` numbers the page's load. */
  findRule(call: OverridableCall, load: number): Promise<OverrideRule | null>
  /** @param getHostResponse is called only if the rule changes the host's response. */
  respond(
    rule: OverrideRule,
    request: PanelRequest,
    getHostResponse: () => Promise<PanelResponse>,
  ): Promise<PanelResponse>
}

export interface OriginServer {
  serve(request: Request): Promise<Response>
}

/** The process of the panel's page, which only the desktop app can see and end. */
export interface PanelProcess {
  /** Ends it at once, even if the page does not respond. */
  end(): void
  /** The memory that it uses, in bytes; null if there is no such process. */
  getMemory(): number | null
  /** Absent if the program was started without them. */
  readonly openDevTools?: (() => void) | undefined
}

/** A note without its number, which is added when the note is stored. */
export type NewPanelNote = Omit<PanelNote, 'seq' | OptionalMember> & Partial<Pick<PanelNote, OptionalMember>>
type OptionalMember = 'at' | 'textLength' | 'original' | 'calls' | 'rejectedCall'

/** The listener with which a transport serves panels in frames of the inspector's page. */
export interface PanelListener {
  /** Returns the origin of the panel with this id, without a slash at the end. */
  readonly getOrigin: (id: string) => string
  /** The value of `frame-ancestors` in the panel's content security policy. */
  readonly frameAncestors: string
}

/** A loopback address to which the panel's WebSocket connections are forwarded. */
export interface SocketTarget {
  readonly address: string
  readonly port: number
  readonly hostHeader: string
}

/** The running panels, for a transport, which serves them. */
export interface PanelDirectory {
  /** Must be called when the transport has begun to listen. */
  setListener(listener: PanelListener): void
  /** Finds a running panel by its id: 32 secret hexadecimal digits, new at each opening. */
  findOriginServer(id: string): OriginServer | null
  /** Returns null if the panel's site accepts no WebSocket connections. */
  findSocketTarget(id: string): SocketTarget | null
  /** The id of the running panel; null if none is running. */
  getRunningId(): string | null
  /** Resolves when the host's rules for panels have been read, or cannot be. */
  waitForRules(): Promise<void>
  /** Resolves when the original lines of the calls so far are known. */
  settleInitiators(): Promise<void>
}
