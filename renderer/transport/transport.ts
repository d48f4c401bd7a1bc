import type { ListingAccess } from '../../shared/ipc/listing.ts'
import type { CallRequest, EventMessage, CallReply } from '../../shared/ipc/method-definition.ts'

/**
 * The page's only way to the outside. There are two transports, chosen at build time by the alias
 * `#transport`: Electron's preload (`index.ts`) and HTTP (`index.web.ts`). Neither parses anything;
 * `renderer/ipc` does. Each module exports its transport as `transport`. Read this file first.
 */
export interface Transport {
  readonly kind: 'desktop' | 'browser'
  /**
   * Never rejects because of the host or the service process: a failure is `{ ok: false, error }`.
   */
  call(request: CallRequest): Promise<CallReply>
  /**
   * Gets access for a worker that reads a listing (`shared/ipc/listing.ts`); null where there is
   * none, and the listing is read by calls. `refused` is access that was refused as outdated.
   * Rejects if this page is refused.
   */
  getListingAccess(refused?: ListingAccess): Promise<ListingAccess | null>
  /** Cancels the call with this id; unknown ids are ignored. */
  cancel(id: string): void
  /**
   * Receives every push until the returned function is called. `onState` reports whether the
   * service process can be reached: `false` when the stream breaks, `true` when it is up (again).
   */
  listen(listener: (event: EventMessage) => void, onState: (connected: boolean) => void): () => void
  /**
   * URL of an opened content for an `<img>`, `<audio>` or `<video>`; with `download`, for a link
   * that saves it, in a browser only (the desktop app saves through `content.save`). Contains
   * nothing but the handle.
   */
  getContentUrl(handle: string, options?: { readonly download?: boolean }): string
  /** Opens a parsed http(s) address outside the app; returns false if it was refused. */
  openExternal(url: string): Promise<boolean>
}
