import { startBrowserHost, type BrowserHost } from '../../../electron/browser-host/index.ts'
import type { ConnectionLimits } from '../../../electron/system/connection-limiter.ts'
import type { ContentReader, IpcDispatcher } from '../../../electron/handlers/app-ports.ts'
import type { EventMessage } from '../../../shared/ipc/method-definition.ts'
import { sendRawRequest, buildRequestText, type RawResponse } from './raw-http.ts'

export const respondNotFound: ContentReader = async () => ({ status: 404, headers: {}, body: null })

/** A dispatcher that replies to every call and records it. */
export interface FakeDispatcher extends IpcDispatcher {
  readonly calls: { caller: string; request: unknown }[]
  readonly cancelled: unknown[]
  readonly removedCallers: string[]
  publish(event: EventMessage): void
}

export function createFakeDispatcher(): FakeDispatcher {
  const listeners = new Set<(event: EventMessage) => void>()
  const door: FakeDispatcher = {
    calls: [],
    cancelled: [],
    removedCallers: [],
    async call(caller, request) {
      door.calls.push({ caller, request })
      return { ok: true, value: { pong: true } }
    },
    cancel: (_caller, id) => void door.cancelled.push(id),
    async *readListing() {},
    findCaller: () => null,
    removeCaller: (caller) => void door.removedCallers.push(caller),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    publish: (event) => listeners.forEach((listener) => listener(event)),
  }
  return door
}

/** A running browser host with an established session, as a page would have it. */
export interface BrowserHostSession {
  readonly host: BrowserHost
  readonly dispatcher: FakeDispatcher
  readonly loginKey: string
  /** For the `Cookie` header. */
  readonly cookie: string
  /** From the `Set-Cookie` header. */
  readonly setCookie: string
  readonly entryTicket: string
  readonly pageSecret: string
  /** Addresses printed for those not let in yet. */
  readonly freshLinks: string[]
  /** Headers of an allowed call. */
  readonly allowedHeaders: readonly string[]
  send(method: string, path: string, headers: readonly string[], body?: string): Promise<RawResponse>
}

export async function startBrowserHostSession(
  door: FakeDispatcher = createFakeDispatcher(),
  content: ContentReader = respondNotFound,
  limits: Partial<ConnectionLimits> = {},
): Promise<BrowserHostSession> {
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
  const hostHeader = `Host: 127.0.0.1:${host.port}`
  const origin = `Origin: http://127.0.0.1:${host.port}`
  const send: BrowserHostSession['send'] = (method, path, headers, body) =>
    sendRawRequest(host.port, buildRequestText(method, path, headers, body))
  const key = loginKeyOf(host.url)
  const { headers } = await send('GET', `/?key=${key}`, [hostHeader])
  const setCookie = headers['set-cookie'] ?? ''
  const cookie = setCookie.split(';')[0] ?? ''
  const ticket = entryTicketOf(headers['location'])
  const entered = await send(
    'POST',
    '/ipc/enter',
    [hostHeader, origin, `Cookie: ${cookie}`],
    JSON.stringify({ ticket }),
  )
  const { secret } = JSON.parse(entered.body) as { secret: string }
  const good = [
    hostHeader,
    origin,
    `Cookie: ${cookie}`,
    `x-bridge-inspector-page: ${secret}`,
    'x-bridge-inspector-load: one',
  ]
  return {
    host,
    dispatcher: door,
    loginKey: key,
    cookie,
    setCookie,
    entryTicket: ticket,
    pageSecret: secret,
    freshLinks: fresh,
    allowedHeaders: good,
    send,
  }
}

export const loginKeyOf = (url: string | undefined): string =>
  new URL(url ?? 'http://none').searchParams.get('key') ?? ''

export const entryTicketOf = (location: string | undefined): string =>
  /#enter=([\w-]+)$/.exec(location ?? '')?.[1] ?? ''
