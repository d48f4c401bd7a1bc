import type { Readable } from 'node:stream'
import type { EventMessage, Reply } from '../../shared/ipc/wire.ts'

/** What a transport gets: everything a page may do. `caller` is one page; what it has under way ends with it. */
export interface Door {
  call(caller: string, request: unknown): Promise<Reply>
  cancel(caller: string, id: unknown): void
  /** The page is gone: every call of it is cancelled. */
  leave(caller: string): void
  subscribe(listener: (event: EventMessage) => void): () => void
}

/** A request of an element of a page (`<img>`, `<video>`, a link that saves) for the bytes behind a handle. */
export interface ContentRequest {
  readonly method: string
  readonly handle: string
  /** The `Range` header. */
  readonly range: string | null
  /** The `If-Range` header: the range counts only where the content is still this one. */
  readonly ifRange: string | null
  /** To be saved, not shown. */
  readonly download: boolean
  /** An `<img>` asks: only there an SVG is sent as one. */
  readonly asImage: boolean
  /** Who asks comes back for the rest where it gets less than it asked for: true for HTTP, false for a scheme of Electron. */
  readonly takesPieces: boolean
  /** Whether what asks belongs to this caller: who opened the content. */
  readonly mayUse: (caller: string) => boolean
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

export interface ContentResponse {
  readonly status: number
  /** Every header of the answer: the transport adds none that loosens them. */
  readonly headers: Readonly<Record<string, string>>
  /** Null where there is none. Destroying it ends what is asked of the host for it. */
  readonly body: Readable | null
}

/** What a transport gets for the bytes of contents. Never rejects because of the host. */
export type ContentDoor = (request: ContentRequest) => Promise<ContentResponse>
