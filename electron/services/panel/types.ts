import type { Readable } from 'node:stream'
import type { OverrideRule } from '../../../shared/panel/overrides.ts'
import type { RawHeaders } from '../bridge/wire/trace.ts'

/** A call of the panel's page to `/bridge/v1`, checked and taken apart. */
export interface PanelRequest {
  readonly method: string
  /** With query, relative to the base URL, normalised. */
  readonly path: string
  readonly headers: RawHeaders
  readonly body: Buffer | null
  readonly signal: AbortSignal
  /** Through `host.api`. */
  readonly api: boolean
}

/** What the page receives. */
export type PanelAnswer =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: RawHeaders
      /** Fails to break the answer off. */
      readonly body: Readable | Buffer | null
    }
  /** The connection ends without an answer, as where nobody listens or the host resets it. */
  | { readonly kind: 'broken' }

/** The rules of the open panel, applied. */
export interface AppliedOverrides {
  /** The first rule that is on and matches. */
  ruleFor(method: string, path: string): OverrideRule | null
  /** The answer that the rule makes; `ask` gets the host's own where it needs that. */
  answer(rule: OverrideRule, request: PanelRequest, ask: () => Promise<PanelAnswer>): Promise<PanelAnswer>
}

/** Any file or answer of the panel's own origin, for both transports: a loopback listener and the desktop's scheme. */
export interface PanelDoor {
  serve(request: Request): Promise<Response>
}
