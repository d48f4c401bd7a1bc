import type { ListingAccess } from '../../shared/ipc/listing.ts'
import type { CallRequest, EventMessage, CallReply } from '../../shared/ipc/method-definition.ts'

/**
 * The page's only connection to the outside. There are two transports, chosen at build time by the
 * alias `#transport`: Electron's preload (`index.ts`) and HTTP (`index.web.ts`). `renderer/ipc`
 * parses all messages. Each module exports its transport as `transport`. Read this file first.
 */
export interface Transport {
  readonly kind: 'desktop' | 'browser'
  /** Never rejects for host or service; a failure is `{ ok: false, error }`. */
  call(request: CallRequest): Promise<CallReply>
  /**
   * Gets access for a worker that reads a listing (`shared/ipc/listing.ts`), or null if listings
   * must be read by calls. Rejects if this page is refused.
   * @param refused outdated access that the service process refused
   */
  getListingAccess(refused?: ListingAccess): Promise<ListingAccess | null>
  /** Cancels the call with this id, and does nothing for an unknown id. */
  cancel(id: string): void
  /** Passes on pushes until the returned function is called; `onState` gets false on a break. */
  listen(listener: (event: EventMessage) => void, onState: (connected: boolean) => void): () => void
  /**
   * Returns the URL of an opened content for an `<img>`, `<audio>` or `<video>`. With `download`,
   * the URL is for a link that saves the content, in a browser only (the desktop app saves through
   * `content.save`). The URL contains no data besides the handle.
   */
  getContentUrl(handle: string, options?: { readonly download?: boolean }): string
  /** Ends the session of this browser, with all its pages; null in the desktop app. */
  readonly logOut: (() => Promise<void>) | null
  /** Opens a parsed http(s) address outside the app. Returns false if the address was refused. */
  openExternal(url: string): Promise<boolean>
}
