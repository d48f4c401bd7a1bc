import type { EventMessage, Reply } from '../../shared/ipc/define.ts'
import type { ContentRequest, ContentResponse } from '../services/content/serve.ts'

export type { PanelDoor, PanelInView, PanelPlace, PanelPort, PanelView, SocketTarget } from '../services/panel/types.ts'

/** One page of a listing, asked for with this cursor. */
export interface ListedPage {
  readonly cursor: string | null
  readonly reply: Reply
}

/** What a transport is given: everything a page may do. `caller` is one page; when it leaves, everything it has under way ends. */
export interface Door {
  call(caller: string, request: unknown): Promise<Reply>
  cancel(caller: string, id: unknown): void
  /** The pages of a listing, one after the other, for a page that reads them all; see `shared/ipc/listing.ts`. */
  listing(caller: string, request: unknown, signal: AbortSignal): AsyncIterable<ListedPage>
  /** The page is gone: all its calls are cancelled. */
  leave(caller: string): void
  subscribe(listener: (event: EventMessage) => void): () => void
}

/** What a transport is given for the bytes of contents. Never rejects because of the host. */
export type ContentDoor = (request: ContentRequest) => Promise<ContentResponse>
