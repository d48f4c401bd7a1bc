import type { Socket } from 'node:net'

/** Time limits and counts. Times are in milliseconds. */
export interface ConnectionLimits {
  /** From connecting, or from the first byte of a further request, to the end of the headers. */
  readonly headersMs: number
  /** To the end of the body. */
  readonly requestMs: number
  /** With nothing under way, between two requests. */
  readonly idleMs: number
  /** How often connections are checked for overdue headers. */
  readonly checkIntervalMs: number
  /** How long a new connection has to show the cookie before it counts as a stranger. */
  readonly graceMs: number
  /** New connections at once; beyond that the oldest counts as a stranger early. */
  readonly maxNewConnections: number
  /** Connections that have not shown the cookie. */
  readonly maxStrangers: number
  /** Connections that have: a browser opens six, and sixteen browsers may be let in. */
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
  /** The connection showed the cookie and no longer counts as a stranger. */
  admitConnection(socket: Socket): void
  /** A request is under way on the connection until the returned function is called. */
  beginRequest(socket: Socket): () => void
}

/**
 * Limits the number of connections, so that nobody on this machine can keep the page out by opening many: strangers only push out
 * strangers, the longest idle first. A page is a stranger too until its first request is read, which is what the grace period is for.
 */
export function createConnectionLimiter(limits: ConnectionLimits): ConnectionLimiter {
  // A set keeps insertion order: the first entry is the oldest.
  const [fresh, strangers, guests] = [new Set<Socket>(), new Set<Socket>(), new Set<Socket>()]
  const underWay = new Map<Socket, number>()
  const oldestIdle = (among: Set<Socket>, but?: Socket): Socket | undefined =>
    [...among].find((socket) => socket !== but && !underWay.has(socket))
  const drop = (socket: Socket | undefined): void => {
    if (!socket) return
    forget(socket)
    socket.destroy()
  }
  const settle = (socket: Socket | undefined): void => {
    if (!socket || !fresh.delete(socket)) return
    strangers.add(socket)
    // The newest is spared; otherwise those who hold on to their connections could keep everybody else out.
    if (strangers.size > limits.maxStrangers) drop(oldestIdle(strangers, socket) ?? [...strangers][0])
  }
  const forget = (socket: Socket): void => {
    fresh.delete(socket)
    strangers.delete(socket)
    guests.delete(socket)
    underWay.delete(socket)
  }
  return {
    addConnection(socket) {
      fresh.add(socket)
      const timer = setTimeout(() => settle(socket), limits.graceMs)
      socket.once('close', () => {
        clearTimeout(timer)
        forget(socket)
      })
      if (fresh.size > limits.maxNewConnections) settle([...fresh][0])
    },
    admitConnection(socket) {
      if (!fresh.delete(socket) && !strangers.delete(socket)) return
      guests.add(socket)
      if (guests.size > limits.maxGuests) drop(oldestIdle(guests, socket) ?? socket)
    },
    beginRequest(socket) {
      underWay.set(socket, (underWay.get(socket) ?? 0) + 1)
      return () => {
        const left = (underWay.get(socket) ?? 1) - 1
        if (left > 0) return void underWay.set(socket, left)
        underWay.delete(socket)
        // From now on it is the most recently busy one.
        for (const set of [strangers, guests]) if (set.delete(socket)) set.add(socket)
      }
    },
  }
}
