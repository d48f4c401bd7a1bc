import type { ListingAccess } from '../../shared/ipc/listing.ts'
import type { CallRequest, EventMessage, CallReply } from '../../shared/ipc/method-definition.ts'

/**
 * The page's whole outside world. There are two, chosen at build time by the alias `#transport`: Electron's preload and the browser host.
 * Neither parses anything; `renderer/ipc` does. Each module exports it as `host: Host`.
 */
export interface Transport {
  readonly kind: 'desktop' | 'browser'
  /** Never rejects because of the host or the service process: a failure is `{ ok: false, error }`. */
  call(request: CallRequest): Promise<CallReply>
  /**
   * The way in for a worker that reads a listing (`shared/ipc/listing.ts`); null where there is none, and it is read by calls. `refused` is
   * one that was refused as outdated. Rejects if this page is not let in any more.
   */
  getListingAccess(refused?: ListingAccess): Promise<ListingAccess | null>
  /** Cancels the call with this id; unknown ids are ignored. */
  cancel(id: string): void
  /**
   * Receives every push. `onState` says whether the service process can be reached: `false` when the stream breaks, `true` when it is up
   * (again). Returns the disposer.
   */
  listen(listener: (event: EventMessage) => void, onState: (connected: boolean) => void): () => void
  /**
   * URL of an opened content for an `<img>`, `<audio>` or `<video>`; with `download`, for a link that saves it, in a browser only (the
   * desktop app saves through `content.save`). Contains nothing but the handle.
   */
  getContentUrl(handle: string, options?: { readonly download?: boolean }): string
  /** Opens a parsed http(s) address outside the app; returns false if it was refused. */
  openExternal(url: string): Promise<boolean>
}
