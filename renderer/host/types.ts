import type { CallRequest, EventMessage, Reply } from '../../shared/ipc/wire.ts'

/**
 * The page's whole outside world. There are two of it, chosen at build time by the alias `#host`: Electron's preload and
 * the browser host. Neither parses anything; `renderer/ipc` does. Each module exports it as `host: Host`.
 */
export interface Host {
  readonly kind: 'desktop' | 'browser'
  /** Never rejects because of the host or the service process: a failure is `{ ok: false, error }`. */
  call(request: CallRequest): Promise<Reply>
  /** Cancels the call with this id; unknown ids are ignored. */
  cancel(id: string): void
  /**
   * Hears every push. `onState` says whether the service process can be reached: `false` when the stream broke, `true`
   * when it stands (again). Returns the disposer.
   */
  listen(listener: (event: EventMessage) => void, onState: (connected: boolean) => void): () => void
  /**
   * Address of an opened content for an `<img>`, `<audio>` or `<video>`; with `download` for a link that saves it, in a browser
   * alone (the desktop app saves by the method `content.save`). Holds nothing but the handle.
   */
  contentUrl(handle: string, options?: { readonly download?: boolean }): string
  /** Opens a parsed http(s) address outside of the app; false when it was refused. */
  openExternal(url: string): Promise<boolean>
}
