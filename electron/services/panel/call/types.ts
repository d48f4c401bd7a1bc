import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { panelMethods } from '../../../../shared/ipc/panel.ts'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import type { PanelCallChange, PanelNote } from '../../../../shared/panel/panel.ts'
import type { RawHeaders } from '../../bridge/exchange-trace.ts'

/** A call of the panel's page to `/bridge/v1`, checked and taken apart. */
export interface PanelRequest {
  readonly method: string
  /** With query, relative to the base URL, normalised. */
  readonly path: string
  readonly headers: RawHeaders
  readonly body: Buffer | null
  readonly signal: AbortSignal
  /** Through `host.api`. */
  readonly isHostApi: boolean
}

/** What the page receives. */
export type PanelResponse =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: RawHeaders
      /** Fails to break the answer off. */
      readonly body: Readable | Buffer | null
      /** What an override changed in the host's answer. */
      readonly changes?: readonly PanelCallChange[]
      /** What was changed in the body while it passed; final once it has ended. */
      readonly getStreamChanges?: () => readonly PanelCallChange[]
    }
  /** The connection ends without an answer, as where nobody listens or the host resets it. */
  | { readonly kind: 'broken' }

/** The rules of the open panel, applied. */
export interface AppliedOverrides {
  /** The first rule that is on and matches. */
  findRule(method: string, path: string): OverrideRule | null
  /** The answer that the rule makes; `ask` gets the host's own where it needs that. */
  respond(rule: OverrideRule, request: PanelRequest, ask: () => Promise<PanelResponse>): Promise<PanelResponse>
}

/**
 * Any file or answer of the panel's own origin, for both transports: a loopback listener and the
 * desktop's scheme.
 */
export interface OriginServer {
  serve(request: Request): Promise<Response>
}

/**
 * The desktop app's own view of the panel's page. The browser host has none: there a frame of our
 * page shows it.
 */
export interface PanelView {
  /** Loads the page in place of the one before, in a new session of its own. */
  open(panel: ViewedPanel): void
  reload(): void
  /** Takes the page away, whatever it is doing. */
  close(): void
  /** Where the page lies, as `panel.place` says; kept for the next page. */
  setBounds(place: PanelBounds): void
  /**
   * Opens the developer tools of the page, in a window of their own; nothing if no page is open.
   */
  openDevTools(): void
}

export interface ViewedPanel {
  /** Path with query where its page begins. */
  readonly start: string
  /** Every file and answer of the page's origin. */
  readonly originServer: OriginServer
  /** The development server behind the page, whose socket the page may open to learn of changes. */
  readonly devServer: URL | null
  /** What the page tried and may not, and what became of it. */
  readonly addNote: (note: Pick<PanelNote, 'kind' | 'level' | 'what' | 'text'>) => void
  /** The page does not respond, or responds again. */
  readonly onResponsive: (isResponding: boolean) => void
}

export type PanelBounds = z.infer<(typeof panelMethods)['panel.place']['input']>

/** A note before it has a number and a time. */
export type NewPanelNote = Omit<PanelNote, 'seq' | 'at' | 'textLength' | 'original'> &
  Partial<Pick<PanelNote, 'textLength' | 'original'>>

/** How a transport serves panels in frames of the inspector's page. */
export interface PanelListener {
  /**
   * The start address of a panel with this id, without a slash at the end: an origin of its own.
   */
  readonly getOrigin: (id: string) => string
  /** Who may frame it: the value of `frame-ancestors`. */
  readonly frameAncestors: string
}

/** A loopback address that the panel's sockets are passed on to. */
export interface SocketTarget {
  readonly address: string
  readonly port: number
  /** What its `Host` header says. */
  readonly hostHeader: string
}

/** What a transport without a view of its own is given to serve panels. */
export interface PanelDirectory {
  /** The transport listens. */
  setListener(listener: PanelListener): void
  /**
   * The origin of the running panel with this id: 32 hexadecimal digits, new for each opening, and
   * the only key to it. Null for any other id.
   */
  findOriginServer(id: string): OriginServer | null
  /** Where an upgraded connection of the page goes; null if its source takes none. */
  findSocketTarget(id: string): SocketTarget | null
}
