import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import net, { type AddressInfo, type Socket } from 'node:net'
import type { PanelDoor, PanelPort } from '../handlers/door.ts'
import { createConnections, type DoorLimits } from './connections.ts'
import { answerAndHangUp } from './responses.ts'
import { sendResponse, webRequest } from './web.ts'

/**
 * Panels have a port and hosts of their own. Every opening is an origin `http://<id>.localhost:PORT`: browsers resolve such names to this
 * machine and take each for a site of its own, with a process, cookies and a storage of its own. The id is 128 random bits in the `Host`
 * header: whoever does not know it finds nothing here, and no cookie or token of the inspector ever reaches this port.
 */
interface PanelServer {
  /** Source of frames for the policy of the inspector's page. */
  readonly frames: string
  close(): Promise<void>
}

/** Starts to listen on any free port of 127.0.0.1. `pagePort` is that of the inspector's page, the only one that may frame a panel. */
export async function startPanelListener(panel: PanelPort, pagePort: number, limits: DoorLimits): Promise<PanelServer> {
  const server = http.createServer({
    maxHeaderSize: 32 * 1024,
    headersTimeout: limits.headersMs,
    keepAliveTimeout: limits.idleMs,
    requestTimeout: 0,
    connectionsCheckingInterval: limits.checkMs,
    requireHostHeader: false,
  })
  const connections = createConnections(limits)
  server.on('connection', (socket) => connections.opened(socket))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const idOf = (request: IncomingMessage): string => idIn(request, port)

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    response.once('close', connections.begun(request.socket))
    const door = panel.doorOf(idOf(request))
    if (!door) return refuse(request, response, 404, 'There is nothing here.')
    connections.letIn(request.socket)
    if (!isOwn(request)) return refuse(request, response, 403, 'Only the panel itself, in its frame, is served here.')
    answer(door, request, response).catch(() => response.destroy())
  }
  server.on('request', serve)
  // Node would respond to these itself, without asking who it is.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (panel.doorOf(idOf(request)) && isOwn(request)) response.writeContinue()
    serve(request, response)
  })
  server.on('checkExpectation', serve)
  server.on('clientError', (_error, socket) => socket.destroy())
  server.on('upgrade', (request, socket: Socket, head: Buffer) => {
    const target = panel.socketsOf(idOf(request))
    const isOrigin = request.headers.origin === `http://${String(request.headers.host)}`
    if (!target || !isOrigin) return void socket.destroy()
    connections.letIn(socket)
    connections.begun(socket)
    passSocket(request, socket, head, target)
  })
  const hosts = [`http://127.0.0.1:${pagePort}`, `http://localhost:${pagePort}`]
  panel.servedBy({ originOf: (id) => `http://${id}.localhost:${port}`, ancestors: hosts.join(' ') })
  return {
    frames: `http://*.localhost:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The id that a request names with exactly one well-formed `Host`; empty if it names none. */
function idIn(request: IncomingMessage, port: number): string {
  const hosts = request.rawHeaders.filter(
    (_, at) => at % 2 === 1 && request.rawHeaders[at - 1]?.toLowerCase() === 'host',
  )
  const [, id = '', given] = /^([0-9a-f]{32})\.localhost:(\d+)$/.exec(hosts[0] ?? '') ?? []
  const target = request.url ?? ''
  return hosts.length === 1 && Number(given) === port && target.startsWith('/') ? id : ''
}

/**
 * Whether the panel's own page asks, or the inspector's for its frame. Fetch metadata cannot be forged by a page, and a request without
 * it never passes.
 */
function isOwn({ method, headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  const dest = headers['sec-fetch-dest']
  const { origin } = headers
  if (origin !== undefined && origin !== `http://${String(headers.host)}`) return false
  if (dest === 'document') return false
  if (site === 'same-origin') return true
  return site === 'cross-site' && method === 'GET' && dest === 'iframe' && headers['sec-fetch-mode'] === 'navigate'
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Cache-Control', 'no-store')
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
  answerAndHangUp(request, response, status, 'text/plain; charset=utf-8', text)
}

async function answer(door: PanelDoor, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = webRequest(request, response)
  if (!asked) return refuse(request, response, 405, 'This method is not used here.')
  await sendResponse(await door.serve(asked), request, response)
}

/** Passes an upgraded connection of the page on to its development server, as one of that server's own pages would open it. */
function passSocket(
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  { address, port, host }: { readonly address: string; readonly port: number; readonly host: string },
): void {
  const target = net.connect(port, address, () => {
    const lines = [`GET ${request.url ?? '/'} HTTP/1.1`, `Host: ${host}`, `Origin: http://${host}`]
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
