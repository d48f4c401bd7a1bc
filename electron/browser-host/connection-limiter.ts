import type { Socket } from 'node:net'

export interface ConnectionLimits {
  /**
   * A connection must send its headers within this time, counted from connecting or from the first
   * byte of a further request.
   */
  readonly headersMs: number
  /** A request must have sent its whole body within this time. */
  readonly requestMs: number
  /** A connection is closed after this time without a request. */
  readonly idleMs: number
  /** Connections are checked for overdue headers this often. */
  readonly checkIntervalMs: number
  /** A new connection that has not sent the cookie by then counts as a stranger. */
  readonly graceMs: number
  /** Beyond this number, the oldest new connection counts as a stranger early. */
  readonly maxNewConnections: number
  /** At most this many connections without the cookie stay open. */
  readonly maxStrangers: number
  /**
   * At most this many connections with the cookie stay open: a browser opens six, and sixteen
   * browsers may be admitted.
   */
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

interface ConnectionLimiter {
  addConnection(socket: Socket): void
  /** To be called when the connection sent the cookie; it no longer counts as a stranger. */
  admitConnection(socket: Socket): void
  /** Counts the connection as busy until the returned function is called. */
  beginRequest(socket: Socket): () => void
}

/**
 * Limits the number of connections, so that no program on this machine can keep the page out by
 * opening many: strangers push out only strangers, the longest idle first. The page itself is a
 * stranger until its first request is read; the grace period covers that time.
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
    // The newest stranger is spared; otherwise clients that hold their connections would keep out
    // all others.
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
      const timer = setTimeout(() => countAsStranger(socket), limits.graceMs)
      socket.once('close', () => {
        clearTimeout(timer)
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
