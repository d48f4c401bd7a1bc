import { mkdirSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { startBrowserHost } from '../../../electron/browser-host/index.ts'
import type { PanelSource, PanelState } from '../../../shared/panel/panel.ts'
import { TOKEN } from '../services/test-client.ts'
import { startComposedApp, type ComposedApp } from './composed-app.ts'
import { createTempDir } from '../data/temp-dir.ts'
import { sendRawRequest, buildRequestText, type RawResponse } from '../browser/raw-http.ts'

export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

export interface LoggingHost {
  readonly baseUrl: string
  /** Without the requests of the connection itself: status, capabilities and plugins. */
  readonly requests: ReceivedRequest[]
  respond: (request: ReceivedRequest, response: http.ServerResponse) => void
}

/** Starts a host that records its requests and lists these routes in its capabilities. */
export async function startLoggingHost(routes: readonly string[], more: object = {}): Promise<LoggingHost> {
  const requests: ReceivedRequest[] = []
  const host = {
    requests,
    respond: (_: ReceivedRequest, response: http.ServerResponse): void => sendJson(response, 200, { fine: true }),
  }
  const listed = routes.map((route) => {
    const [method = '', path = ''] = route.split(' ')
    return { method, path }
  })
  const server = http.createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      if (url.endsWith('/status'))
        return sendJson(response, 200, { app: 'Host', authorized: true, instanceNonce: 'n1' })
      if (url.endsWith('/capabilities')) return sendJson(response, 200, { routes: listed, ...more })
      if (url.endsWith('/immersive/template')) return sendJson(response, 200, { plugins: [{ id: 'plugin.one' }] })
      const received = { method, url, headers, body: Buffer.concat(pieces).toString() }
      requests.push(received)
      host.respond(received, response)
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

export function sendJson(response: http.ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify(value))
}

/** Creates a folder with these files, and with an empty `index.html` if it is not among them. */
export function createPanelFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = path.join(createTempDir(), 'my-panel')
  const all = { 'index.html': '<!doctype html><html><head><title>Mine</title></head><body></body></html>', ...files }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  return folder
}

export interface OpenPanel {
  readonly composed: ComposedApp
  readonly state: PanelState
  /** Port of the panel's listener; `host` is the value of its `Host` header. */
  readonly port: number
  readonly host: string
  /** Sends a request as the panel's page would, byte for byte. */
  requestAsPage(method: string, target: string, headers?: readonly string[], body?: string): Promise<RawResponse>
  /** Passes a request to the panel's origin server directly, without a listener. */
  serveDirectly(target: string, init?: RequestInit): Promise<Response>
}

/**
 * Opens a panel in the whole program behind a browser host.
 *
 * @param from - The panel's folder or source.
 * @param baseUrl - The host to connect to; without it, nothing is connected.
 */
export async function openPanel(
  from: string | PanelSource,
  baseUrl?: string,
  readOnly = true,
  token = TOKEN,
): Promise<OpenPanel> {
  const app = await startComposedApp(createTempDir(), ['--demo-nodes', '10'])
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
    await app.call('vault.set', { profileId: profile.id, token, remember: false })
    await app.call('connection.connect', { profileId: profile.id })
  }
  const state = await app.call('panel.open', {
    source: typeof from === 'string' ? { kind: 'folder', path: from } : from,
  })
  const { host, hostname, port } = new URL(state.url ?? '')
  const pageHeaders = [`Host: ${host}`, 'Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty']
  return {
    composed: app,
    state,
    port: Number(port),
    host,
    requestAsPage: (method, target, headers = [], body) =>
      sendRawRequest(Number(port), buildRequestText(method, target, [...pageHeaders, ...headers], body)),
    async serveDirectly(target, init) {
      const originServer = app.app.panel.findOriginServer(hostname.split('.')[0] ?? '')
      if (!originServer) throw new Error('no panel runs')
      return originServer.serve(new Request(`http://${host}${target}`, init))
    },
  }
}
