import { cancelled, serviceGone, type WireError } from '../../shared/errors.ts'
import { LISTING_PATH, PAGE_HEADER } from '../../shared/ipc/listing.ts'
import type { CallRequest, Reply } from '../../shared/ipc/define.ts'
import { forget, knownSecret, NotLetIn, pageSecret } from './entry.web.ts'
import { followEvents } from './events.web.ts'
import { takeFrame } from './frame.web.ts'
import type { Host } from './types.ts'

const BINARY_TYPE = 'application/vnd.bridge-inspector.binary'
/** The service process's limit; checked here because a browser may not get to read a response while it is still sending. */
const MAX_BODY = 16 * 1024 * 1024

const load = crypto.randomUUID()
const underWay = new Map<string, AbortController>()

// Also when the page is only put aside: its pending requests are no longer worth the host's work.
addEventListener('pagehide', () => {
  for (const abort of underWay.values()) abort.abort()
})

async function call(request: CallRequest): Promise<Reply> {
  // Bytes: a blob would be handed to the browser's process first, which a short call waits for.
  const body = new TextEncoder().encode(JSON.stringify(request))
  if (body.byteLength > MAX_BODY) return { ok: false, error: tooLarge }
  const abort = new AbortController()
  if (!underWay.has(request.id)) underWay.set(request.id, abort)
  try {
    const headers = { 'content-type': 'application/json' }
    return await replyOf(await ask('/ipc/call', { method: 'POST', headers, body, signal: abort.signal }))
  } catch (error) {
    if (abort.signal.aborted) return { ok: false, error: cancelled().wire }
    return { ok: false, error: error instanceof NotLetIn ? error.error : serviceGone }
  } finally {
    if (underWay.get(request.id) === abort) underWay.delete(request.id)
  }
}

const headersWith = (secret: string) => ({ [PAGE_HEADER]: secret, 'x-bridge-inspector-load': load })

/** A request that identifies itself as this page's. If it was refused for an outdated secret, it did nothing and may be sent again. */
async function ask(path: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
  for (;;) {
    // Known by now, as a rule: what is asked for while a place is mounted is sent at once, not after it.
    const secret = knownSecret() ?? (await pageSecret())
    const response = await fetch(path, { ...init, headers: { ...init.headers, ...headersWith(secret) } })
    if (response.status !== 401) return response
    forget(secret)
  }
}

async function replyOf(response: Response): Promise<Reply> {
  const type = response.headers.get('content-type')
  if (type === 'application/json') return (await response.json()) as Reply
  if (type !== BINARY_TYPE) return { ok: false, error: response.status === 403 ? notOurs : serviceGone }
  const { head, bytes } = await takeFrame(response)
  const { value } = JSON.parse(new TextDecoder().decode(head)) as { value: { meta: unknown } }
  return { ok: true, value: { meta: value.meta, bytes } }
}

const notOurs: WireError = {
  kind: 'refused',
  code: 'SENDER_REFUSED',
  message: 'This call did not come from the page of the app.',
  retryable: false,
}

const tooLarge: WireError = {
  kind: 'refused',
  code: 'INPUT_TOO_LARGE',
  message: 'The input is nested too deeply or too large.',
  retryable: false,
}

/** The browser host as the page's outside world. */
export const host: Host = {
  kind: 'browser',
  call,
  async listingDoor(refused) {
    const secret = refused?.headers[PAGE_HEADER]
    if (secret !== undefined) forget(secret)
    return { url: LISTING_PATH, headers: headersWith(await pageSecret()) }
  },
  /**
   * Hanging up cancels: a cancel request would need a connection of its own, and a browser has only six for us, which long calls may all
   * occupy.
   */
  cancel(id) {
    underWay.get(id)?.abort()
  },
  listen: (listener, onState) => followEvents((signal) => ask('/ipc/events', { signal }), listener, onState),
  contentUrl: (handle, { download = false } = {}) =>
    `/content/${encodeURIComponent(handle)}${download ? '?download=1' : ''}`,
  async openExternal(url) {
    // With `noopener` a browser returns null, whether or not it opened the window.
    window.open(url, '_blank', 'noopener,noreferrer')
    return true
  },
}
