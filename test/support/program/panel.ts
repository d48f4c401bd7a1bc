import { mkdirSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { startBrowserHost } from '../../../electron/browser-host/index.ts'
import type { PanelSource, PanelState } from '../../../shared/panel/panel.ts'
import { TOKEN } from '../services/bridge.ts'
import { startComposed, type Composed } from './composed.ts'
import { tempDir } from '../data/data-dir.ts'
import { rawRequest, requestText, type RawAnswer } from '../browser/raw-http.ts'

export interface Heard {
  readonly method: string
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

export interface LoggingHost {
  readonly baseUrl: string
  /** Everything that arrived, except what the connection itself asks for. */
  readonly heard: Heard[]
  answer: (heard: Heard, response: http.ServerResponse) => void
}

/** A host that writes down what arrives, and lists some routes. */
export async function loggingHost(routes: readonly string[], more: object = {}): Promise<LoggingHost> {
  const heard: Heard[] = []
  const host = { heard, answer: (_: Heard, response: http.ServerResponse): void => json(response, 200, { fine: true }) }
  const listed = routes.map((route) => {
    const [method = '', at = ''] = route.split(' ')
    return { method, path: at }
  })
  const server = http.createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      if (url.endsWith('/status')) return json(response, 200, { app: 'Host', authorized: true, instanceNonce: 'n1' })
      if (url.endsWith('/capabilities')) return json(response, 200, { routes: listed, ...more })
      if (url.endsWith('/immersive/template')) return json(response, 200, { plugins: [{ id: 'plugin.one' }] })
      const one = { method, url, headers, body: Buffer.concat(pieces).toString() }
      heard.push(one)
      host.answer(one, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return Object.assign(host, { baseUrl: `http://127.0.0.1:${port}/bridge/v1` })
}

export function json(response: http.ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify(value))
}

/** A folder with these files; a page unless it is among them. */
export function panelFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = path.join(tempDir(), 'my-panel')
  const all = { 'index.html': '<!doctype html><html><head><title>Mine</title></head><body></body></html>', ...files }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  return folder
}

export interface OpenPanel {
  readonly app: Composed
  readonly state: PanelState
  /** Port of the panel's listener, and the value of its `Host` header. */
  readonly port: number
  readonly host: string
  /** Sends a request as the panel's page would, byte for byte. */
  page(method: string, target: string, headers?: readonly string[], body?: string): Promise<RawAnswer>
  /** The same through the door, without a listener. */
  door(target: string, init?: RequestInit): Promise<Response>
}

/**
 * The whole program behind a browser host, connected to `baseUrl` if there is one, with the panel
 * of this folder or source open.
 */
export async function openPanel(from: string | PanelSource, baseUrl?: string, readOnly = true): Promise<OpenPanel> {
  const app = await startComposed(tempDir(), ['--demo-nodes', '10'])
  const assets = async (_: http.IncomingMessage, response: http.ServerResponse): Promise<void> => void response.end()
  const browser = await startBrowserHost({
    dispatcher: app.app.dispatcher,
    contentReader: app.app.contentReader,
    panel: app.app.panel,
    assets,
    port: 0,
  })
  onTestFinished(() => browser.close())
  if (baseUrl !== undefined) {
    const auth = { header: 'Authorization', scheme: 'Bearer' }
    const { profile } = await app.call('profiles.save', { name: 'Host', baseUrl, auth, readOnly })
    await app.call('vault.set', { profileId: profile.id, token: TOKEN, remember: false })
    await app.call('connection.connect', { profileId: profile.id })
  }
  const state = await app.call('panel.open', {
    source: typeof from === 'string' ? { kind: 'folder', path: from } : from,
  })
  const { host, hostname, port } = new URL(state.url ?? '')
  const own = [`Host: ${host}`, 'Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty']
  return {
    app,
    state,
    port: Number(port),
    host,
    page: (method, target, headers = [], body) =>
      rawRequest(Number(port), requestText(method, target, [...own, ...headers], body)),
    async door(target, init) {
      const door = app.app.panel.findOriginServer(hostname.split('.')[0] ?? '')
      if (!door) throw new Error('no panel runs')
      return door.serve(new Request(`http://${host}${target}`, init))
    },
  }
}
