/**
 * Serves the page and its calls to a browser on this machine, for use without the desktop app. The
 * content of responses comes from `handlers`. `browser-session.ts` explains who has access. Read
 * `startBrowserHost` first, then `routes.ts`.
 */
import type http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createRefusedError } from '../../shared/errors.ts'
import type { ContentReader, IpcDispatcher, PanelDirectory } from '../handlers/app-ports.ts'
import {
  closeServer,
  createLimitedServer,
  defaultConnectionLimits,
  type ConnectionLimits,
} from '../system/connection-limiter.ts'
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
  /** With 0, the system chooses a free port. */
  readonly port: number
  /** Panels are served on a port of their own; null if there are none. */
  readonly panel?: PanelDirectory | null
  /** Every address except 127.0.0.1 is refused; the option exists to test that. */
  readonly address?: string
  /** Called with a new one-time address, for a tab or browser without access. */
  readonly onFreshLink?: (url: string) => void
  /** A different user of this machine presented a key, which was refused and stays valid. */
  readonly onForeignUser?: (uid: number) => void
  /** Called when the key was used, so that its file can be removed. */
  readonly onAdmission?: () => void
  /** Finds the user at the other end of a connection. Tests replace it with a fixed result. */
  readonly identifyPeer?: (socket: Socket) => PeerUser
  readonly limits?: Partial<ConnectionLimits>
  /** Handles upgrades for the development server's socket, which our own page requested. */
  readonly onUpgrade?: (request: http.IncomingMessage, socket: Socket, head: Buffer) => void
}

export interface BrowserHost {
  /** The address contains the one-time key. */
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

/** The shortest interval between two printed addresses. */
const MIN_LINK_INTERVAL_MS = 3_000

/** Serves page and calls on 127.0.0.1. @throws ADDRESS_NOT_LOOPBACK, PORT_TAKEN, PORT_FORBIDDEN */
export async function startBrowserHost(options: BrowserHostOptions): Promise<BrowserHost> {
  const address = options.address ?? '127.0.0.1'
  if (address !== '127.0.0.1') {
    throw createRefusedError('ADDRESS_NOT_LOOPBACK', 'The browser host listens only on 127.0.0.1.')
  }
  const limits = { ...defaultConnectionLimits, ...options.limits }
  const { server, connections } = createLimitedServer(limits, { requestTimeout: limits.requestMs })
  const port = await listen(server, options.port, address)
  const panels = options.panel
    ? await startPanelListener(options.panel, `http://127.0.0.1:${port} http://localhost:${port}`, limits)
    : null
  const session = createBrowserSession(port)
  const getLoginUrl = (key: string): string => `http://127.0.0.1:${port}/?key=${key}`
  const openResponses = new Set<http.ServerResponse>()
  const context = {
    ...options,
    openResponses,
    serveAsset: options.assets,
    session,
    port,
    renewLink: createLinkRenewer(options, () => getLoginUrl(session.renewKey())),
    canUseKey: createUserCheck(options),
  }
  const serve = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    response.once('close', connections.beginRequest(request.socket))
    openResponses.add(response)
    response.once('close', () => openResponses.delete(response))
    setSecurityHeaders(response, panels?.frameSource)
    const refusal = checkHostHeader(request, port)
    if (refusal) return sendRefusal(request, response, refusal)
    if (session.hasCookie(request.headers.cookie)) connections.admitConnection(request.socket)
    // With too many connections, this one was closed, and the browser may repeat the request.
    if (request.socket.destroyed) return
    serveRoute(context, request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else sendRefusal(request, response, refusals.broken)
    })
  }
  server.on('request', serve)
  // Otherwise Node answers an unknown `Expect` without our headers, and accepts `100-continue`.
  server.on('checkExpectation', serve)
  server.on('checkContinue', serve)
  server.on('clientError', (_error, socket) => socket.destroy())
  server.on('upgrade', (request, socket, head) => {
    const isOwnRequest =
      !checkHostHeader(request, port) && session.hasCookie(request.headers.cookie) && !checkOrigin(request)
    if (!options.onUpgrade || !isOwnRequest) return void socket.destroy()
    connections.admitConnection(socket as Socket)
    // The returned function is not called: the connection stays busy for its whole life.
    connections.beginRequest(socket as Socket)
    options.onUpgrade(request, socket as Socket, head)
  })
  return {
    url: getLoginUrl(session.key),
    port,
    async close() {
      await panels?.close()
      await closeServer(server)
    },
  }
}

/** Limits how often an address is printed: a page that keeps trying must not flood the terminal. */
function createLinkRenewer({ onFreshLink }: BrowserHostOptions, createUrl: () => string): () => boolean {
  let lastShownAt = Number.NEGATIVE_INFINITY
  return () => {
    if (!onFreshLink) return false
    if (performance.now() - lastShownAt > MIN_LINK_INTERVAL_MS) {
      lastShownAt = performance.now()
      onFreshLink(createUrl())
    }
    return true
  }
}

/** Returns a check of who may use a key; it reports other users at most once per interval. */
function createUserCheck({
  onForeignUser,
  identifyPeer = (socket) => findPeer(socket, readSocketTable()),
}: BrowserHostOptions) {
  let lastReportedAt = Number.NEGATIVE_INFINITY
  return ({ socket }: http.IncomingMessage): boolean => {
    const peer = identifyPeer(socket)
    if (canUseKey(peer, process.getuid?.(), process.env)) return true
    if (typeof peer === 'number' && performance.now() - lastReportedAt > MIN_LINK_INTERVAL_MS) {
      lastReportedAt = performance.now()
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
  const advice = 'Choose another one with --port, or 0 for any free port.'
  if (error.code === 'EADDRINUSE')
    return createRefusedError('PORT_TAKEN', `Port ${port} is already in use by another program. ${advice}`, { port })
  if (error.code === 'EACCES')
    return createRefusedError('PORT_FORBIDDEN', `This user is not allowed to listen on port ${port}. ${advice}`, {
      port,
    })
  return error
}
