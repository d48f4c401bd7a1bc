import { createCancelledError, serviceUnreachableError, type WireError } from '../../shared/errors.ts'
import { LISTING_PATH, PAGE_ID_HEADER } from '../../shared/ipc/listing.ts'
import type { CallRequest, CallReply } from '../../shared/ipc/method-definition.ts'
import { discardSecret, getKnownSecret, LoginRefusedError, acquirePageSecret } from './login.web.ts'
import { followEventStream } from './event-stream.web.ts'
import { readBinaryFrame } from './binary-frame.web.ts'
import type { Transport } from './transport.ts'

const BINARY_TYPE = 'application/vnd.bridge-inspector.binary'
/**
 * The limit of the service process. It is checked here because a browser may fail to read a
 * response while it is still sending.
 */
const MAX_BODY_BYTES = 16 * 1024 * 1024

const loadId = crypto.randomUUID()
const pendingCalls = new Map<string, AbortController>()

// The page may also go into the back/forward cache. In both cases its pending requests are no
// longer needed.
addEventListener('pagehide', () => {
  for (const controller of pendingCalls.values()) controller.abort()
})

async function call(request: CallRequest): Promise<CallReply> {
  // The body is sent as bytes, because the browser would pass a blob through a different process
  // first, which delays a short call.
  const body = new TextEncoder().encode(JSON.stringify(request))
  if (body.byteLength > MAX_BODY_BYTES) return { ok: false, error: tooLargeError }
  const controller = new AbortController()
  if (!pendingCalls.has(request.id)) pendingCalls.set(request.id, controller)
  try {
    const headers = { 'content-type': 'application/json' }
    return await parseReply(await send('/ipc/call', { method: 'POST', headers, body, signal: controller.signal }))
  } catch (error) {
    if (controller.signal.aborted) return { ok: false, error: createCancelledError().wire }
    return { ok: false, error: error instanceof LoginRefusedError ? error.error : serviceUnreachableError }
  } finally {
    if (pendingCalls.get(request.id) === controller) pendingCalls.delete(request.id)
  }
}

const createHeaders = (secret: string) => ({ [PAGE_ID_HEADER]: secret, 'x-bridge-inspector-load': loadId })

/**
 * Sends a request with the page's secret. A request that was refused for an outdated secret had no
 * effect, so it is sent again.
 */
async function send(path: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
  for (;;) {
    // The secret is usually known, so that a page that is being mounted sends its requests at once.
    const secret = getKnownSecret() ?? (await acquirePageSecret())
    const response = await fetch(path, { ...init, headers: { ...init.headers, ...createHeaders(secret) } })
    if (response.status !== 401) return response
    discardSecret(secret)
  }
}

async function parseReply(response: Response): Promise<CallReply> {
  const type = response.headers.get('content-type')
  if (type === 'application/json') return (await response.json()) as CallReply
  if (type !== BINARY_TYPE)
    return { ok: false, error: response.status === 403 ? senderRefusedError : serviceUnreachableError }
  const { header: head, bytes } = await readBinaryFrame(response)
  const { value } = JSON.parse(new TextDecoder().decode(head)) as { value: { meta: unknown } }
  return { ok: true, value: { meta: value.meta, bytes } }
}

const senderRefusedError: WireError = {
  kind: 'refused',
  code: 'SENDER_REFUSED',
  message: 'This call did not come from the page of the app.',
  retryable: false,
}

const tooLargeError: WireError = {
  kind: 'refused',
  code: 'INPUT_TOO_LARGE',
  message: 'The input is nested too deeply or too large.',
  retryable: false,
}

/** The browser transport, which uses HTTP to the service process that served the page. */
export const transport: Transport = {
  kind: 'browser',
  call,
  async getListingAccess(refused) {
    const secret = refused?.headers[PAGE_ID_HEADER]
    if (secret !== undefined) discardSecret(secret)
    return { url: LISTING_PATH, headers: createHeaders(await acquirePageSecret()) }
  },
  /**
   * Closing the connection cancels the call. A cancel request would need a connection of its own,
   * and a browser has only six, which long calls may all occupy.
   */
  cancel(id) {
    pendingCalls.get(id)?.abort()
  },
  listen: (listener, onState) => followEventStream((signal) => send('/ipc/events', { signal }), listener, onState),
  getContentUrl: (handle, { download = false } = {}) =>
    `/content/${encodeURIComponent(handle)}${download ? '?download=1' : ''}`,
  async openExternal(url) {
    // With `noopener` a browser returns null whether or not it opened the window.
    window.open(url, '_blank', 'noopener,noreferrer')
    return true
  },
}
