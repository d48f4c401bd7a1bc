import { serviceUnreachableError } from '../../shared/errors.ts'
import { LISTING_PATH, PAGE_ID_HEADER } from '../../shared/ipc/listing.ts'
import type { CallRequest, EventMessage, CallReply } from '../../shared/ipc/method-definition.ts'
import type { Transport } from './transport.ts'

/** The API that `electron/preload.ts` exposes to the page. */
interface Preload {
  call(request: CallRequest): Promise<CallReply>
  cancel(id: string): void
  listen(callback: (event: EventMessage) => void): () => void
}

declare global {
  interface Window {
    readonly bridgeInspector?: Preload
  }
}

let lastCallId = 0

async function call(request: CallRequest): Promise<CallReply> {
  try {
    return (await window.bridgeInspector?.call(request)) ?? { ok: false, error: serviceUnreachableError }
  } catch {
    // The main process is exiting or the value cannot be cloned, so there is no reply.
    return { ok: false, error: serviceUnreachableError }
  }
}

/** The desktop transport, which calls Electron's main process through the preload. */
export const transport: Transport = {
  kind: 'desktop',
  call,
  async getListingAccess(refused) {
    lastCallId += 1
    const reply = await call({ id: `listing-key-${lastCallId}`, method: 'listing.key', input: {} })
    const key = reply.ok ? reply.value : null
    // If the current key was refused, listings must be read by calls.
    if (typeof key !== 'string' || refused?.headers[PAGE_ID_HEADER] === key) return null
    return { url: LISTING_PATH, headers: { [PAGE_ID_HEADER]: key } }
  },
  cancel(id) {
    window.bridgeInspector?.cancel(id)
  },
  listen(listener, onState) {
    const stop = window.bridgeInspector?.listen(listener)
    // Page and main process end together, so there is no connection that could break.
    onState(stop !== undefined)
    return stop ?? (() => undefined)
  },
  logOut: null,
  getContentUrl: (handle) => `bridge-content://bridge-inspector/${encodeURIComponent(handle)}`,
  async openExternal(url) {
    lastCallId += 1
    const reply = await call({ id: `outside-${lastCallId}`, method: 'app.openExternal', input: { url } })
    return reply.ok && (reply.value as { opened?: unknown } | null)?.opened === true
  },
}
