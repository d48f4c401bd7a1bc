// Parses the calls of a panel's page, and records them with their responses.
// Which calls reach the host is decided in panel/policy.
// Read this file first, then page-call.ts and panel-calls.ts.
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { panelMethods } from '../../../../shared/ipc/panel.ts'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import type { PanelCallChange, PanelNote } from '../../../../shared/panel/panel.ts'
import type { RawHeaders } from '../../bridge/exchange-trace.ts'

/** A call of the panel's page to `/bridge/v1`, after its checks. */
export interface PanelRequest {
  readonly method: string
  /** The normalised path with query, relative to the base URL. */
  readonly path: string
  readonly headers: RawHeaders
  readonly body: Buffer | null
  readonly signal: AbortSignal
  /** Whether the page used `host.api` instead of `fetch`. */
  readonly isHostApi: boolean
}

/** The response that the page receives, or a broken connection. */
export type PanelResponse =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: RawHeaders
      /** A stream that fails breaks off the response. */
      readonly body: Readable | Buffer | null
      /** Changes that an override made to the host's response. */
      readonly changes?: readonly PanelCallChange[]
      /** Returns the changes made to the body while it is streamed; final after its end. */
      readonly getStreamChanges?: () => readonly PanelCallChange[]
    }
  /** The connection ends without a response, as if nobody listened or the host had reset it. */
  | { readonly kind: 'broken' }

/** Finds and applies the overrides of the open panel. */
export interface AppliedOverrides {
  /** Returns the first enabled rule that matches; null if none does. */
  findRule(method: string, path: string): OverrideRule | null
  /**
   * Creates the response of a rule.
   * @param getHostResponse is called only if the rule changes the host's response.
   */
  respond(
    rule: OverrideRule,
    request: PanelRequest,
    getHostResponse: () => Promise<PanelResponse>,
  ): Promise<PanelResponse>
}

/**
 * Serves every request to the panel's own origin, both for a loopback listener and for the
 * desktop's URL scheme.
 */
export interface OriginServer {
  serve(request: Request): Promise<Response>
}

/**
 * The desktop app's native view of the panel's page. In a browser there is none, because a frame of
 * our page shows the panel.
 */
export interface PanelView {
  /** Replaces the current page by this one, in a new browser session. */
  open(panel: ViewedPanel): void
  reload(): void
  /** Closes the page even if it does not respond. */
  close(): void
  /** Sets the position and size of the view. They also apply to the next page. */
  setBounds(place: PanelBounds): void
  /** Opens the page's developer tools in a separate window, if a page is open. */
  openDevTools(): void
}

export interface ViewedPanel {
  /** Path with query of the first page. */
  readonly start: string
  readonly originServer: OriginServer
  /** The development server behind the page. The page may open its socket to receive changes. */
  readonly devServer: URL | null
  /** Adds a note about something that the page tried and is not allowed to do. */
  readonly addNote: (note: Pick<PanelNote, 'kind' | 'level' | 'what' | 'text'>) => void
  /** Called when the page stops responding or responds again. */
  readonly onResponsive: (isResponding: boolean) => void
}

export type PanelBounds = z.infer<(typeof panelMethods)['panel.place']['input']>

/** A note that has no number and time yet. */
export type NewPanelNote = Omit<PanelNote, 'seq' | 'at' | 'textLength' | 'original'> &
  Partial<Pick<PanelNote, 'textLength' | 'original'>>

/** The listener of a transport that serves panels in frames of the inspector's page. */
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
  /** The value of the `Host` header. */
  readonly hostHeader: string
}

/** Finds running panels for a transport that has no native view and serves them itself. */
export interface PanelDirectory {
  /** Call when the transport has begun to listen. */
  setListener(listener: PanelListener): void
  /**
   * Returns the server of the running panel with this id; null for any other id. The id is secret:
   * 32 hexadecimal digits that are new each time a panel is opened.
   */
  findOriginServer(id: string): OriginServer | null
  /** Returns where upgraded connections are forwarded; null if the panel's site takes none. */
  findSocketTarget(id: string): SocketTarget | null
}
