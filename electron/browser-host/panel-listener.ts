import { type IncomingMessage, type ServerResponse } from 'node:http'
import net, { type AddressInfo, type Socket } from 'node:net'
import type { OriginServer, PanelDirectory, SocketTarget } from '../handlers/app-ports.ts'
import {
  closeServer,
  createLimitedServer,
  defaultConnectionLimits,
  programConnectionLimits,
  type ConnectionLimits,
} from '../system/connection-limiter.ts'
import { canUseKey, findPeer, readSocketTable } from './peer.ts'
import { respondAndClose } from './responses.ts'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createRequest, NodeAbortController } from '../core/node-abort.ts'

/** Its signal is aborted when the client leaves. Null for a method that web requests lack. */
function toWebRequest(request: IncomingMessage, response: ServerResponse): Request | null {
  const abort = new NodeAbortController()
  response.once('close', () => response.writableFinished || abort.abort())
  const { method = 'GET', headers, rawHeaders } = request
  const webHeaders = new Headers()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    webHeaders.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  const body = hasBody && method !== 'GET' && method !== 'HEAD' ? Readable.toWeb(request) : undefined
  try {
    const init = {
      method,
      headers: webHeaders,
      ...(body ? { body: body as ReadableStream<Uint8Array<ArrayBuffer>>, duplex: 'half' as const } : {}),
    }
    return createRequest(`http://${String(headers.host)}${request.url ?? '/'}`, init, abort.signal)
  } catch {
    return null
  }
}

/**
 * The head of a response that every browser takes for a network error. A connection that ends
 * without a response is no such sign: over a kept connection, Chromium and Firefox send the request
 * again several times, even a POST (RFC 9110 §9.2.2 forbids it). Two lengths that contradict each
 * other make the response invalid (RFC 9112 §6.3), and a client that accepts them gets a redirect
 * that the Fetch standard makes a network error.
 */
const NETWORK_ERROR_HEAD = [
  'HTTP/1.1 302 Failed',
  'Location: data:,',
  'Content-Length: 0',
  'Content-Length: 1',
  'Connection: close',
  '\r\n',
].join('\r\n')

/** Fails as the network would, for code, elements and workers, without a browser's repetition. */
function failResponse({ socket }: IncomingMessage, response: ServerResponse): void {
  if (!response.headersSent) socket.write(NETWORK_ERROR_HEAD, 'latin1')
  // Bytes that were written still reach the browser.
  socket.destroySoon()
}

/** Sends a web response. A response of type `error` becomes a network error of the browser. */
async function sendWebResponse(
  webResponse: Response,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (webResponse.type === 'error') return failResponse(request, response)
  for (const [name, value] of webResponse.headers) response.setHeader(name, value)
  if (!request.complete && webResponse.status >= 400) {
    // The rest of a large request is not read.
    const type = webResponse.headers.get('content-type') ?? 'text/plain; charset=utf-8'
    return respondAndClose(request, response, webResponse.status, type, await readFirstBytes(webResponse))
  }
  response.writeHead(webResponse.status)
  if (webResponse.body === null) return void response.end()
  // A response that breaks off before its head was sent would be requested again.
  response.flushHeaders()
  const body = Readable.fromWeb(webResponse.body as Parameters<typeof Readable.fromWeb>[0])
  await pipeline(body, response)
}

/** The maximum number of bytes of a refusal's text; the rest is cut. */
const MAX_REASON_BYTES = 64 * 1024

async function readFirstBytes({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body ?? []) {
    pieces.push(piece)
    size += piece.byteLength
    if (size >= MAX_REASON_BYTES) break
  }
  return Buffer.concat(pieces).toString('utf8', 0, MAX_REASON_BYTES)
}

/**
 * Panels have a separate port and hosts. Each opened panel has an origin
 * `http://<id>.localhost:PORT`: browsers resolve such names to this machine and treat each as a
 * separate site with its own process, cookies and storage. The id is 128 random bits in the `Host`
 * header. Without the id nothing is served, and no cookie or token of the inspector reaches this
 * port.
 */
export interface PanelServer {
  readonly port: number
  /** The source of frames in the content security policy of the inspector's page. */
  readonly frameSource: string
  close(): Promise<void>
}

interface PanelAccess {
  /** The panel that a request means; an empty text if it means none. */
  readonly getPanelId: (request: IncomingMessage, port: number) => string
  /** True for the panel's own page, and for places from which it may be opened. */
  readonly isAllowed: (request: IncomingMessage) => boolean
  readonly getOrigin: (id: string, port: number) => string
  readonly frameAncestors: string
}

/**
 * Serves panels to frames of the inspector's page, to programs of this user only.
 *
 * @param frameAncestors the origins of the inspector's page, the only one that may frame a panel.
 */
export function startPanelListener(
  panel: PanelDirectory,
  frameAncestors: string,
  limits: ConnectionLimits = defaultConnectionLimits,
): Promise<PanelServer> {
  return startServer(panel, limits, {
    getPanelId: (request, port) => (isOwnPeer(request.socket) ? parsePanelId(request, port) : ''),
    isAllowed: isOwnRequest,
    getOrigin: (id, port) => `http://${id}.localhost:${port}`,
    frameAncestors,
  })
}

/** Serves the running panel alone, to any browser or program of this user, on 127.0.0.1. */
export function startDirectPanelListener(panel: PanelDirectory): Promise<PanelServer> {
  return startServer(panel, programConnectionLimits, {
    getPanelId: ({ headers, url = '', socket }, port) =>
      headers.host === `127.0.0.1:${port}` && url.startsWith('/') && isOwnPeer(socket)
        ? (panel.getRunningId() ?? '')
        : '',
    isAllowed: isDirectRequest,
    getOrigin: (_id, port) => `http://127.0.0.1:${port}`,
    frameAncestors: "'none'",
  })
}

async function startServer(panel: PanelDirectory, limits: ConnectionLimits, access: PanelAccess): Promise<PanelServer> {
  const { server, connections } = createLimitedServer(limits)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const getPanelId = (request: IncomingMessage): string => access.getPanelId(request, port)

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    response.once('close', connections.beginRequest(request.socket))
    const originServer = panel.findOriginServer(getPanelId(request))
    if (!originServer) return sendRefusal(request, response, 404, 'There is nothing here.')
    connections.admitConnection(request.socket)
    // With too many connections, this one was closed, and the browser may repeat the request.
    if (request.socket.destroyed) return
    if (!access.isAllowed(request))
      return sendRefusal(request, response, 403, 'Only the panel itself, in its frame, is served here.')
    serveRequest(originServer, request, response).catch(() => failResponse(request, response))
  }
  server.on('request', serve)
  // Without this listener, Node accepts such requests without any check.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (panel.findOriginServer(getPanelId(request)) && access.isAllowed(request)) response.writeContinue()
    serve(request, response)
  })
  server.on('checkExpectation', serve)
  server.on('clientError', (_error, socket) => socket.destroy())
  server.on('upgrade', (request, socket: Socket, head: Buffer) => {
    const target = panel.findSocketTarget(getPanelId(request))
    const isOrigin = request.headers.origin === `http://${String(request.headers.host)}`
    if (!target || !isOrigin) return void socket.destroy()
    connections.admitConnection(socket)
    connections.beginRequest(socket)
    forwardSocket(request, socket, head, target)
  })
  panel.setListener({ getOrigin: (id) => access.getOrigin(id, port), frameAncestors: access.frameAncestors })
  return {
    port,
    frameSource: `http://*.localhost:${port}`,
    close: () => closeServer(server),
  }
}

/** Returns an empty text unless the request has exactly one well-formed `Host` header. */
function parsePanelId(request: IncomingMessage, port: number): string {
  const hosts = request.rawHeaders.filter(
    (_, index) => index % 2 === 1 && request.rawHeaders[index - 1]?.toLowerCase() === 'host',
  )
  const [, id = '', hostPort] = /^([0-9a-f]{32})\.localhost:(\d+)$/.exec(hosts[0] ?? '') ?? []
  const target = request.url ?? ''
  return hosts.length === 1 && Number(hostPort) === port && target.startsWith('/') ? id : ''
}

/**
 * Returns true for requests of the panel's own page, and of the inspector's page for the panel's
 * frame. A page cannot forge fetch metadata, and a request without fetch metadata is refused.
 */
function isOwnRequest({ method, headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  const dest = headers['sec-fetch-dest']
  const { origin } = headers
  if (origin !== undefined && origin !== `http://${String(headers.host)}`) return false
  if (dest === 'document') return false
  if (site === 'same-origin') return true
  return site === 'cross-site' && method === 'GET' && dest === 'iframe' && headers['sec-fetch-mode'] === 'navigate'
}

/**
 * Returns true for requests of the panel's own page, of a person who opens the address, and of
 * programs without fetch metadata. Every current browser sends them, and an `Origin` with a write.
 */
function isDirectRequest({ headers }: IncomingMessage): boolean {
  const { origin, host } = headers
  if (origin !== undefined && origin !== `http://${String(host)}`) return false
  const site = headers['sec-fetch-site'] ?? 'none'
  return site === 'same-origin' || site === 'none'
}

/** The user of each connection is looked up once. */
const ownPeers = new WeakMap<Socket, boolean>()

function isOwnPeer(socket: Socket): boolean {
  const isKnownOwn =
    ownPeers.get(socket) ?? canUseKey(findPeer(socket, readSocketTable()), process.getuid?.(), process.env)
  ownPeers.set(socket, isKnownOwn)
  return isKnownOwn
}

function sendRefusal(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Cache-Control', 'no-store')
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
  respondAndClose(request, response, status, 'text/plain; charset=utf-8', text)
}

async function serveRequest(
  originServer: OriginServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const webRequest = toWebRequest(request, response)
  if (!webRequest) return sendRefusal(request, response, 405, 'This method is not used here.')
  await sendWebResponse(await originServer.serve(webRequest), request, response)
}

/** Connects the page to its development server, with the headers of a page loaded from there. */
function forwardSocket(
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  { address, port, hostHeader }: SocketTarget,
): void {
  const target = net.connect(port, address, () => {
    const lines = [`GET ${request.url ?? '/'} HTTP/1.1`, `Host: ${hostHeader}`, `Origin: http://${hostHeader}`]
    for (const [name, value] of Object.entries(request.headers)) {
      if (/^(?:upgrade|connection|sec-websocket-.*)$/.test(name)) lines.push(`${name}: ${String(value)}`)
    }
    target.write(`${lines.join('\r\n')}\r\n\r\n`)
    target.write(head)
    target.pipe(socket).pipe(target)
  })
  const end = (): void => {
    target.destroy()
    socket.destroy()
  }
  target.once('error', end).once('close', end)
  socket.once('error', end).once('close', end)
}
