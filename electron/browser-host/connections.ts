import type { Socket } from 'node:net'

/** How long and how many. Times in milliseconds. */
export interface DoorLimits {
  /** From connecting, or from the first byte of a further request, to the end of its headers. */
  readonly headersMs: number
  /** To the end of its body. */
  readonly requestMs: number
  /** With nothing under way, between one request and the next. */
  readonly idleMs: number
  /** How often it is looked who took too long for headers. */
  readonly checkMs: number
  /** How long a new connection has to show the cookie before it counts among the strangers. */
  readonly graceMs: number
  /** New connections at once; the oldest beyond counts before its time. */
  readonly fresh: number
  /** Connections that have not shown the cookie. */
  readonly strangers: number
  /** Connections that have: a browser opens six, and sixteen may be let in. */
  readonly guests: number
}

export const doorLimits: DoorLimits = {
  headersMs: 10_000,
  requestMs: 60_000,
  idleMs: 5_000,
  checkMs: 1_000,
  graceMs: 250,
  fresh: 256,
  strangers: 32,
  guests: 128,
}

export interface Connections {
  opened(socket: Socket): void
  /** It showed the cookie: it does not count among the strangers any more. */
  letIn(socket: Socket): void
  /** A request is under way on it until the returned function is called. */
  begun(socket: Socket): () => void
}

/**
 * Bounds how many connections there are, so that nobody on this machine can keep the page out by opening many: strangers only push
 * out strangers. Whoever has been idle for longest goes first. A page is a stranger too until its first request is read: that is
 * what the time of grace is for.
 */
export function createConnections(limits: DoorLimits): Connections {
  // A set keeps the order of insertion: the first is the oldest.
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
    // The newest is spared: were it to go, those who hold on could keep everybody else out.
    if (strangers.size > limits.strangers) drop(oldestIdle(strangers, socket) ?? [...strangers][0])
  }
  const forget = (socket: Socket): void => {
    fresh.delete(socket)
    strangers.delete(socket)
    guests.delete(socket)
    underWay.delete(socket)
  }
  return {
    opened(socket) {
      fresh.add(socket)
      const timer = setTimeout(() => settle(socket), limits.graceMs)
      socket.once('close', () => {
        clearTimeout(timer)
        forget(socket)
      })
      if (fresh.size > limits.fresh) settle([...fresh][0])
    },
    letIn(socket) {
      if (!fresh.delete(socket) && !strangers.delete(socket)) return
      guests.add(socket)
      if (guests.size > limits.guests) drop(oldestIdle(guests, socket) ?? socket)
    },
    begun(socket) {
      underWay.set(socket, (underWay.get(socket) ?? 0) + 1)
      return () => {
        const left = (underWay.get(socket) ?? 1) - 1
        if (left > 0) return void underWay.set(socket, left)
        underWay.delete(socket)
        // From now on it is the one that was busy last.
        for (const set of [strangers, guests]) if (set.delete(socket)) set.add(socket)
      }
    },
  }
}
