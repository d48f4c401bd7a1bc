import { serviceGone } from '../../shared/errors.ts'
import { LISTING_KEY_METHOD, LISTING_PATH, PAGE_HEADER } from '../../shared/ipc/listing.ts'
import type { CallRequest, EventMessage, Reply } from '../../shared/ipc/define.ts'
import type { Host } from './types.ts'

/** What `electron/preload.ts` exposes to the page. */
interface Preload {
  call(request: CallRequest): Promise<Reply>
  cancel(id: string): void
  listen(callback: (event: EventMessage) => void): () => void
}

declare global {
  interface Window {
    readonly bridgeInspector?: Preload
  }
}

let asked = 0

async function call(request: CallRequest): Promise<Reply> {
  try {
    return (await window.bridgeInspector?.call(request)) ?? { ok: false, error: serviceGone }
  } catch {
    // The main process is exiting, or the value can't be cloned: either way there is no reply.
    return { ok: false, error: serviceGone }
  }
}

/** Electron's main process, behind the preload, as the page's outside world. */
export const host: Host = {
  kind: 'desktop',
  call,
  async listingDoor(refused) {
    asked += 1
    const reply = await call({ id: `listing-key-${asked}`, method: LISTING_KEY_METHOD, input: {} })
    const key = reply.ok ? reply.value : null
    // Refused although it is the one that holds: then the listing is read by calls.
    if (typeof key !== 'string' || refused?.headers[PAGE_HEADER] === key) return null
    return { url: LISTING_PATH, headers: { [PAGE_HEADER]: key } }
  },
  cancel(id) {
    window.bridgeInspector?.cancel(id)
  },
  listen(listener, onState) {
    const stop = window.bridgeInspector?.listen(listener)
    // There is no stream to break: page and main process end together.
    onState(stop !== undefined)
    return stop ?? (() => undefined)
  },
  contentUrl: (handle) => `bridge-content://bridge-inspector/${encodeURIComponent(handle)}`,
  async openExternal(url) {
    asked += 1
    const reply = await call({ id: `outside-${asked}`, method: 'app.openExternal', input: { url } })
    return reply.ok && (reply.value as { opened?: unknown } | null)?.opened === true
  },
}
