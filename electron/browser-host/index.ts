import http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createRefusedError } from '../../shared/errors.ts'
import type { ContentReader, IpcDispatcher, PanelPort } from '../handlers/ipc-dispatcher.ts'
import { createConnectionLimiter, defaultConnectionLimits, type ConnectionLimits } from './connection-limiter.ts'
import { checkHostHeader, checkOrigin } from './request-checks.ts'
import { setSecurityHeaders, type AssetServer } from './responses.ts'
import { findPeer, canUseKey, readSocketTable, type PeerUser } from './peer.ts'
import { startPanelListener } from './panel-listener.ts'
import { refusals, sendRefusal } from './refusals.ts'
import { serveRoute } from './routes.ts'
import { createBrowserSession } from './browser-session.ts'

export interface BrowserHostOptions {
  readonly dispatcher: IpcDispatcher
  readonly contentReader: ContentReader
  readonly assets: AssetServer
  /** 0 means any. */
  readonly port: number
  /** Panels are served on a port of their own; null for none. */
  readonly panel?: PanelPort | null
  /** Only the loopback address is accepted; the option exists for the test of that. */
  readonly address?: string
  /** Shows a fresh one-time address to whoever sees the terminal, for a tab or browser that has not been let in yet. */
  readonly onFreshLink?: (url: string) => void
  /** Another user of this machine presented this run's key; it was refused, and still works. */
  readonly onForeignUser?: (uid: number) => void
  /** A key was used: whatever held it is no longer needed. */
  readonly onAdmission?: () => void
  /** Who is at the other end of a connection; for tests. */
  readonly identifyPeer?: (socket: Socket) => PeerUser
  readonly limits?: Partial<ConnectionLimits>
  /** The development server's socket; only our own page reaches it. */
  readonly onUpgrade?: (request: http.IncomingMessage, socket: Socket, head: Buffer) => void
}

export interface BrowserHost {
  /** With the one-time key. */
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

/** The minimum time between two fresh addresses. */
const MIN_LINK_INTERVAL_MS = 3_000

/**
 * Serves the page and its calls on 127.0.0.1. Throws `ADDRESS_NOT_LOOPBACK` for any other address, `PORT_TAKEN` and `PORT_FORBIDDEN`.
 */
export async function startBrowserHost(options: BrowserHostOptions): Promise<BrowserHost> {
  const address = options.address ?? '127.0.0.1'
  if (address !== '127.0.0.1') {
    throw createRefusedError('ADDRESS_NOT_LOOPBACK', 'The browser host listens only on 127.0.0.1.')
  }
  const limits = { ...defaultConnectionLimits, ...options.limits }
  const server = http.createServer({
    maxHeaderSize: 32 * 1024,
    headersTimeout: limits.headersMs,
    keepAliveTimeout: limits.idleMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    requireHostHeader: false,
  })
  const connections = createConnectionLimiter(limits)
  server.on('connection', (socket) => connections.addConnection(socket))
  const port = await listen(server, options.port, address)
  const panels = options.panel ? await startPanelListener(options.panel, port, limits) : null
  const session = createBrowserSession(port)
  const urlOf = (key: string): string => `http://127.0.0.1:${port}/?key=${key}`
  const context = {
    ...options,
    serveAsset: options.assets,
    session,
    port,
    renewLink: createLinkRenewer(options, () => urlOf(session.renewKey())),
    canUseKey: createUserCheck(options),
  }
  const serve = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    response.once('close', connections.beginRequest(request.socket))
    setSecurityHeaders(response, panels?.frameSource)
    const refusal = checkHostHeader(request, port)
    if (refusal) return sendRefusal(request, response, refusal)
    if (session.hasCookie(request.headers.cookie)) connections.admitConnection(request.socket)
    serveRoute(context, request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else sendRefusal(request, response, refusals.broken)
    })
  }
  server.on('request', serve)
  // Node would respond to these itself: to an unknown `Expect` without our headers, and to `100-continue` by accepting it.
  server.on('checkExpectation', serve)
  server.on('checkContinue', serve)
  server.on('clientError', (_error, socket) => socket.destroy())
  server.on('upgrade', (request, socket, head) => {
    const own = !checkHostHeader(request, port) && session.hasCookie(request.headers.cookie) && !checkOrigin(request)
    if (!options.onUpgrade || !own) return void socket.destroy()
    connections.admitConnection(socket as Socket)
    // The returned function is never called: the connection is busy for as long as it lives.
    connections.beginRequest(socket as Socket)
    options.onUpgrade(request, socket as Socket, head)
  })
  return {
    url: urlOf(session.key),
    port,
    async close() {
      await panels?.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

/** Shows a fresh address at most every few seconds, so that a page that keeps asking does not flood the terminal. */
function createLinkRenewer({ onFreshLink }: BrowserHostOptions, fresh: () => string): () => boolean {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    if (!onFreshLink) return false
    if (performance.now() - last > MIN_LINK_INTERVAL_MS) {
      last = performance.now()
      onFreshLink(fresh())
    }
    return true
  }
}

/** Whether the user at the other end may use a key. Reports another user's attempt, no more often than a fresh address is shown. */
function createUserCheck({
  onForeignUser,
  identifyPeer: peerOf = (socket) => findPeer(socket, readSocketTable()),
}: BrowserHostOptions) {
  let last = Number.NEGATIVE_INFINITY
  return ({ socket }: http.IncomingMessage): boolean => {
    const peer = peerOf(socket)
    if (canUseKey(peer, process.getuid?.(), process.env)) return true
    if (typeof peer === 'number' && performance.now() - last > MIN_LINK_INTERVAL_MS) {
      last = performance.now()
      onForeignUser?.(peer)
    }
    return false
  }
}

function listen(server: http.Server, port: number, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(toListenError(port, error)))
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port))
  })
}

function toListenError(port: number, error: NodeJS.ErrnoException): Error {
  const how = 'Choose another one with --port, or 0 for any free port.'
  if (error.code === 'EADDRINUSE')
    return createRefusedError('PORT_TAKEN', `Port ${port} is already in use by another program. ${how}`, { port })
  if (error.code === 'EACCES')
    return createRefusedError('PORT_FORBIDDEN', `This user is not allowed to listen on port ${port}. ${how}`, { port })
  return error
}
