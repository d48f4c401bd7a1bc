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
 * out strangers. Whoever has been idle for longest goes first.
 */
export function createConnections({ strangers: maxStrangers, guests: maxGuests }: DoorLimits): Connections {
  // Sets keep the order in which was added: the first is the oldest.
  const [strangers, guests] = [new Set<Socket>(), new Set<Socket>()]
  const underWay = new Map<Socket, number>()
  const oldestIdle = (among: Set<Socket>, but?: Socket): Socket | undefined =>
    [...among].find((socket) => socket !== but && !underWay.has(socket))
  const drop = (socket: Socket | undefined): void => {
    if (!socket) return
    forget(socket)
    socket.destroy()
  }
  const forget = (socket: Socket): void => {
    strangers.delete(socket)
    guests.delete(socket)
    underWay.delete(socket)
  }
  return {
    opened(socket) {
      strangers.add(socket)
      socket.once('close', () => forget(socket))
      // The newest is spared: were it to go, those who hold on could keep everybody else out.
      if (strangers.size > maxStrangers) drop(oldestIdle(strangers, socket) ?? [...strangers][0])
    },
    letIn(socket) {
      if (!strangers.delete(socket)) return
      guests.add(socket)
      if (guests.size > maxGuests) drop(oldestIdle(guests, socket) ?? socket)
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
