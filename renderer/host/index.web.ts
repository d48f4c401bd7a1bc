import type { WireError } from '../../shared/errors.ts'
import type { CallRequest, Reply } from '../../shared/ipc/wire.ts'
import { followEvents } from './events.web.ts'
import type { Host } from './types.ts'

const BINARY_TYPE = 'application/vnd.bridge-inspector.binary'
const load = crypto.randomUUID()
let entered: Promise<string> | null = null

/** The page's secret, asked for once a load: it stays in memory, so nothing else of this browser can read it. */
function enter(): Promise<string> {
  entered ??= fetch('/ipc/enter', { method: 'POST', body: '{}' }).then(async (response) => {
    if (!response.ok) throw new SessionEnded()
    const { secret } = (await response.json()) as { secret: string }
    return secret
  })
  entered.catch(() => {
    entered = null
  })
  return entered
}

class SessionEnded extends Error {}

/** Headers that show a request to be this page's. */
export async function pageHeaders(): Promise<Record<string, string>> {
  return { 'x-bridge-inspector-page': await enter(), 'x-bridge-inspector-load': load }
}

async function call(request: CallRequest): Promise<Reply> {
  try {
    const response = await fetch('/ipc/call', {
      method: 'POST',
      headers: { ...(await pageHeaders()), 'content-type': 'application/json' },
      body: JSON.stringify(request),
    })
    if (response.status === 401) throw new SessionEnded()
    if (response.headers.get('content-type') !== BINARY_TYPE) return (await response.json()) as Reply
    return binaryReply(await response.arrayBuffer())
  } catch (error) {
    return { ok: false, error: error instanceof SessionEnded ? ended : gone }
  }
}

function binaryReply(frame: ArrayBuffer): Reply {
  const length = new DataView(frame).getUint32(0)
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(frame, 4, length))) as { value: { meta: unknown } }
  return { ok: true, value: { meta: head.value.meta, bytes: frame.slice(4 + length) } }
}

const ended: WireError = {
  kind: 'refused',
  code: 'SESSION_ENDED',
  message: 'This page belongs to an earlier run. Start Bridge Inspector again and open the address it prints.',
  retryable: false,
}

const gone: WireError = {
  kind: 'offline',
  code: 'SERVICE_GONE',
  message: 'Bridge Inspector itself does not answer. Is its process still running?',
  retryable: true,
}

/** The browser host as the page's outside world. */
export const host: Host = {
  kind: 'browser',
  call,
  cancel(id) {
    void pageHeaders()
      .then((headers) =>
        fetch('/ipc/cancel', {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ id }),
          keepalive: true,
        }),
      )
      .catch(() => undefined)
  },
  listen: (listener, onState) => followEvents(pageHeaders, listener, onState),
  async openExternal(url) {
    return window.open(url, '_blank', 'noopener,noreferrer') !== null
  },
}
