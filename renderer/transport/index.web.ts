import { createCancelledError, serviceUnreachableError, type WireError } from '../../shared/errors.ts'
import { LISTING_PATH, PAGE_ID_HEADER } from '../../shared/ipc/listing.ts'
import type { CallRequest, CallReply, EventMessage } from '../../shared/ipc/method-definition.ts'
import {
  discardSecret,
  endLogin,
  getKnownSecret,
  LoginRefusedError,
  acquirePageSecret,
  waitForLogin,
} from './login.web.ts'
import { readBinaryFrame } from './binary-frame.web.ts'
import type { Transport } from './transport.ts'

/**
 * Follows the event stream of the service process until the returned function is called. Uses
 * fetch, because an EventSource cannot send the page's secret. Reconnects after a break, first
 * after 0.5 s, later after up to 5 s. Waits for a login if the page has no secret.
 */
function followEventStream(
  open: (signal: AbortSignal) => Promise<Response>,
  listener: (event: EventMessage) => void,
  onState: (connected: boolean) => void,
): () => void {
  const abort = new AbortController()
  void reconnectForever()
  return () => abort.abort()

  async function reconnectForever(): Promise<void> {
    let failures = 0
    while (!abort.signal.aborted) {
      const error = await stream(() => {
        failures = 0
      })
      if (abort.signal.aborted) return
      onState(false)
      if (error instanceof LoginRefusedError) await waitForLogin()
      else await new Promise((resolve) => setTimeout(resolve, Math.min(5_000, 500 * 2 ** failures)))
      failures += 1
    }
  }

  /** Reads one stream from start to end. Resolves with the reason of the end. */
  async function stream(onOpen: () => void): Promise<unknown> {
    try {
      const response = await open(abort.signal)
      if (!response.ok || !response.body) return null
      onOpen()
      onState(true)
      return await readStream(response.body, listener)
    } catch (error) {
      return error
    }
  }
}

async function readStream(body: ReadableStream<Uint8Array>, listener: (event: EventMessage) => void): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let unread = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    unread += decoder.decode(value, { stream: true })
    const blocks = unread.split('\n\n')
    unread = blocks.pop() ?? ''
    for (const block of blocks) {
      if (block.startsWith('data: ')) listener(JSON.parse(block.slice(6)) as EventMessage)
    }
  }
}

const BINARY_TYPE = 'application/vnd.bridge-inspector.binary'
/** The service process has the same limit, but a browser may fail on its early response. */
const MAX_BODY_BYTES = 16 * 1024 * 1024

const loadId = crypto.randomUUID()
const pendingCalls = new Map<string, AbortController>()

// The page may also go into the back/forward cache. In both cases its pending requests are no
// longer needed.
addEventListener('pagehide', () => {
  for (const controller of pendingCalls.values()) controller.abort()
})

async function call(request: CallRequest): Promise<CallReply> {
  // As bytes: a blob would pass through another process first, which delays a short call.
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

/** A request refused for an outdated secret had no effect, so it is sent again. */
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
  /** A request to cancel would need one of a browser's six connections, all maybe busy. */
  cancel(id) {
    pendingCalls.get(id)?.abort()
  },
  listen: (listener, onState) => followEventStream((signal) => send('/ipc/events', { signal }), listener, onState),
  getContentUrl: (handle, { download = false } = {}) =>
    `/content/${encodeURIComponent(handle)}${download ? '?download=1' : ''}`,
  async logOut() {
    await send('/ipc/leave', { method: 'POST' })
    endLogin()
  },
  async openExternal(url) {
    // With `noopener` a browser returns null whether or not it opened the window.
    window.open(url, '_blank', 'noopener,noreferrer')
    return true
  },
}
