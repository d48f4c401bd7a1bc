import { startBrowserHost, type BrowserHost } from '../../../electron/browser-host/index.ts'
import type { ConnectionLimits } from '../../../electron/browser-host/connection-limiter.ts'
import type { ContentReader, IpcDispatcher } from '../../../electron/handlers/ipc-dispatcher.ts'
import type { EventMessage } from '../../../shared/ipc/method-definition.ts'
import { rawRequest, requestText, type RawAnswer } from './raw-http.ts'

/** A door without any content. */
export const noContent: ContentReader = async () => ({ status: 404, headers: {}, body: null })

/** A door that answers every call and records what happens. */
export interface FakeDoor extends IpcDispatcher {
  readonly calls: { caller: string; request: unknown }[]
  readonly cancelled: unknown[]
  readonly left: string[]
  publish(event: EventMessage): void
}

export function fakeDoor(): FakeDoor {
  const listeners = new Set<(event: EventMessage) => void>()
  const door: FakeDoor = {
    calls: [],
    cancelled: [],
    left: [],
    async call(caller, request) {
      door.calls.push({ caller, request })
      return { ok: true, value: { pong: true } }
    },
    cancel: (_caller, id) => void door.cancelled.push(id),
    async *readListing() {},
    findCaller: () => null,
    removeCaller: (caller) => void door.left.push(caller),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    publish: (event) => listeners.forEach((listener) => listener(event)),
  }
  return door
}

/** A running browser host with an established session, as a page would have it. */
export interface EnteredHost {
  readonly host: BrowserHost
  readonly door: FakeDoor
  readonly key: string
  /** For the `Cookie` header. */
  readonly cookie: string
  /** From the `Set-Cookie` header. */
  readonly setCookie: string
  readonly ticket: string
  readonly secret: string
  /** Addresses printed for those not let in yet. */
  readonly fresh: string[]
  /** Headers of an allowed call. */
  readonly good: readonly string[]
  send(method: string, path: string, headers: readonly string[], body?: string): Promise<RawAnswer>
}

export async function enteredHost(
  door: FakeDoor = fakeDoor(),
  content: ContentReader = noContent,
  limits: Partial<ConnectionLimits> = {},
): Promise<EnteredHost> {
  const fresh: string[] = []
  const host = await startBrowserHost({
    dispatcher: door,
    contentReader: content,
    port: 0,
    limits,
    onFreshLink: (url) => fresh.push(url),
    assets: async (_request, response, path) => {
      response.writeHead(path === '/' ? 200 : 404, { 'Content-Type': 'text/html; charset=utf-8' })
      response.end(path === '/' ? '<!doctype html><title>Bridge Inspector</title>' : 'none')
    },
  })
  const own = `Host: 127.0.0.1:${host.port}`
  const origin = `Origin: http://127.0.0.1:${host.port}`
  const send: EnteredHost['send'] = (method, path, headers, body) =>
    rawRequest(host.port, requestText(method, path, headers, body))
  const key = keyOf(host.url)
  const { headers } = await send('GET', `/?key=${key}`, [own])
  const setCookie = headers['set-cookie'] ?? ''
  const cookie = setCookie.split(';')[0] ?? ''
  const ticket = ticketOf(headers['location'])
  const entered = await send('POST', '/ipc/enter', [own, origin, `Cookie: ${cookie}`], JSON.stringify({ ticket }))
  const { secret } = JSON.parse(entered.body) as { secret: string }
  const good = [own, origin, `Cookie: ${cookie}`, `x-bridge-inspector-page: ${secret}`, 'x-bridge-inspector-load: one']
  return { host, door, key, cookie, setCookie, ticket, secret, fresh, good, send }
}

export const keyOf = (url: string | undefined): string => new URL(url ?? 'http://none').searchParams.get('key') ?? ''

export const ticketOf = (location: string | undefined): string => /#enter=([\w-]+)$/.exec(location ?? '')?.[1] ?? ''
