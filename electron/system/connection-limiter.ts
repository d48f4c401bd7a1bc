import http from 'node:http'
import type { Socket } from 'node:net'

export interface ConnectionLimits {
  /** Counted from connecting, or from the first byte of a further request. */
  readonly headersMs: number
  /** The time for sending a whole request with its body. */
  readonly requestMs: number
  /** The time that a connection may be idle between two requests. */
  readonly idleMs: number
  /** The interval in which connections are checked for overdue headers. */
  readonly checkIntervalMs: number
  /** A new connection that has not sent the cookie within this time counts as unknown. */
  readonly graceMs: number
  /** Above this number, the oldest new connection gets no more time to present the cookie. */
  readonly maxNewConnections: number
  readonly maxStrangers: number
  /** Open connections with the cookie: a browser opens six, and sixteen may be admitted. */
  readonly maxGuests: number
}

export const defaultConnectionLimits: ConnectionLimits = {
  headersMs: 10_000,
  requestMs: 60_000,
  idleMs: 5_000,
  checkIntervalMs: 1_000,
  graceMs: 250,
  maxNewConnections: 256,
  maxStrangers: 32,
  maxGuests: 128,
}

/** Unlike browsers, programs may make hundreds of calls at once, and none of them must fail. */
export const programConnectionLimits: ConnectionLimits = {
  ...defaultConnectionLimits,
  idleMs: 15_000,
  graceMs: 5_000,
  maxNewConnections: 1_024,
  maxGuests: 1_024,
}

export interface ConnectionLimiter {
  addConnection(socket: Socket): void
  /** Must be called when a connection has sent the cookie. */
  admitConnection(socket: Socket): void
  /** The connection counts as busy until the returned function is called. */
  beginRequest(socket: Socket): () => void
}

/** Creates a server, not listening yet, whose connections and headers have limits. */
export function createLimitedServer(
  limits: ConnectionLimits,
  options: http.ServerOptions = {},
): { readonly server: http.Server; readonly connections: ConnectionLimiter } {
  const server = http.createServer({
    maxHeaderSize: 32 * 1024,
    headersTimeout: limits.headersMs,
    keepAliveTimeout: limits.idleMs,
    requestTimeout: 0,
    connectionsCheckingInterval: limits.checkIntervalMs,
    requireHostHeader: false,
    ...options,
  })
  const connections = createConnectionLimiter(limits)
  server.on('connection', (socket) => connections.addConnection(socket))
  return { server, connections }
}

/**
 * Limits the number of connections, so that no program on this machine can keep the page out by
 * opening many. A connection without the cookie can only displace others without the cookie, the
 * longest idle first. A page's connection has no cookie until its first request is read; the grace
 * period covers that time. A recorded client's key counts like the cookie.
 */
export function createConnectionLimiter(limits: ConnectionLimits): ConnectionLimiter {
  // A set keeps insertion order: the first entry is the oldest.
  const [newConnections, strangers, guests] = [new Set<Socket>(), new Set<Socket>(), new Set<Socket>()]
  const activeRequests = new Map<Socket, number>()
  const findOldestIdle = (sockets: Set<Socket>, excluded?: Socket): Socket | undefined =>
    [...sockets].find((socket) => socket !== excluded && !activeRequests.has(socket))
  const drop = (socket: Socket | undefined): void => {
    if (!socket) return
    forget(socket)
    socket.destroy()
  }
  const countAsStranger = (socket: Socket | undefined): void => {
    if (!socket || !newConnections.delete(socket)) return
    strangers.add(socket)
    // Not the newest: clients that hold connections open would keep out all new ones.
    if (strangers.size > limits.maxStrangers) drop(findOldestIdle(strangers, socket) ?? [...strangers][0])
  }
  const forget = (socket: Socket): void => {
    newConnections.delete(socket)
    strangers.delete(socket)
    guests.delete(socket)
    activeRequests.delete(socket)
  }
  return {
    addConnection(socket) {
      newConnections.add(socket)
      // After a timer, the event loop reads what has arrived before it runs immediates. A process
      // that was busy for longer than the grace period thus reads a first request before it judges.
      let immediate: NodeJS.Immediate | undefined
      const timer = setTimeout(() => {
        immediate = setImmediate(() => countAsStranger(socket))
      }, limits.graceMs)
      socket.once('close', () => {
        clearTimeout(timer)
        clearImmediate(immediate)
        forget(socket)
      })
      if (newConnections.size > limits.maxNewConnections) countAsStranger([...newConnections][0])
    },
    admitConnection(socket) {
      if (!newConnections.delete(socket) && !strangers.delete(socket)) return
      guests.add(socket)
      if (guests.size > limits.maxGuests) drop(findOldestIdle(guests, socket) ?? socket)
    },
    beginRequest(socket) {
      activeRequests.set(socket, (activeRequests.get(socket) ?? 0) + 1)
      return () => {
        const remaining = (activeRequests.get(socket) ?? 1) - 1
        if (remaining > 0) return void activeRequests.set(socket, remaining)
        activeRequests.delete(socket)
        // The socket moves to the end, because it was busy most recently.
        for (const set of [strangers, guests]) if (set.delete(socket)) set.add(socket)
      }
    },
  }
}

/** Ends a server together with its open connections, which would keep it waiting. */
export function closeServer(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
