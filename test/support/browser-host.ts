import { startBrowserHost, type BrowserHost } from '../../electron/browser-host/index.ts'
import type { Door } from '../../electron/handlers/door.ts'
import type { EventMessage } from '../../shared/ipc/wire.ts'
import { rawRequest, requestText, type RawAnswer } from './raw-http.ts'

/** A door that answers every call and remembers what happened at it. */
export interface FakeDoor extends Door {
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
    leave: (caller) => void door.left.push(caller),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    publish: (event) => listeners.forEach((listener) => listener(event)),
  }
  return door
}

/** A running browser host with a session that has entered, as a page would have it. */
export interface EnteredHost {
  readonly host: BrowserHost
  readonly door: FakeDoor
  readonly key: string
  readonly cookie: string
  readonly secret: string
  /** Headers of a call that is allowed. */
  readonly good: readonly string[]
  send(method: string, path: string, headers: readonly string[], body?: string): Promise<RawAnswer>
}

export async function enteredHost(door: FakeDoor = fakeDoor()): Promise<EnteredHost> {
  const host = await startBrowserHost({
    door,
    port: 0,
    assets: async (_request, response, path) => {
      response.writeHead(path === '/' ? 200 : 404, { 'Content-Type': 'text/html; charset=utf-8' })
      response.end(path === '/' ? '<!doctype html><title>Bridge Inspector</title>' : 'none')
    },
  })
  const own = `Host: 127.0.0.1:${host.port}`
  const origin = `Origin: http://127.0.0.1:${host.port}`
  const send: EnteredHost['send'] = (method, path, headers, body) =>
    rawRequest(host.port, requestText(method, path, headers, body))
  const key = new URL(host.url).searchParams.get('key') ?? ''
  const redeemed = await send('GET', `/?key=${key}`, [own])
  const cookie = (redeemed.headers['set-cookie'] ?? '').split(';')[0] ?? ''
  const entered = await send('POST', '/ipc/enter', [own, origin, `Cookie: ${cookie}`], '{}')
  const { secret } = JSON.parse(entered.body) as { secret: string }
  const good = [own, origin, `Cookie: ${cookie}`, `x-bridge-inspector-page: ${secret}`, 'x-bridge-inspector-load: one']
  return { host, door, key, cookie, secret, good, send }
}
