import http from 'node:http'
import type https from 'node:https'
import net from 'node:net'

const BUFFER_BYTES = 64 * 1024
/** Buffers that wait for their next use. */
const MAX_FREE_BUFFERS = 64

/**
 * The buffers that answers which are only passed on are read into. Node allocates one for each read, and memory outside the heap makes the
 * collector run so often that it takes longer than the passing on.
 *
 * One is used again only if it was filled by a single piece of a body and that piece has been written: whoever takes pieces without giving
 * them back keeps them for good.
 */
class ReadBuffers {
  readonly #free: Buffer[] = []
  readonly #lent = new WeakSet<ArrayBufferLike>()

  next(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)
  }

  /** A piece of a body that nobody else reads or keeps. */
  lend(piece: Buffer): void {
    if (piece.byteLength === BUFFER_BYTES && piece.buffer.byteLength === BUFFER_BYTES) this.#lent.add(piece.buffer)
  }

  /** Takes back what a piece is all or the decided part of. */
  giveBack({ buffer }: Buffer): void {
    if (this.#lent.delete(buffer) && this.#free.length < MAX_FREE_BUFFERS) this.#free.push(Buffer.from(buffer))
  }
}

export const readBuffers = new ReadBuffers()

/** Makes connections that read into `readBuffers`. */
class BufferedAgent extends http.Agent {
  override createConnection(options: net.NetConnectOpts): net.Socket {
    let filled: Buffer | null = null
    const buffer = (): Buffer => (filled ??= readBuffers.next())
    const callback = (bytes: number, read: Uint8Array): boolean => {
      const whole = bytes === BUFFER_BYTES && filled?.buffer === read.buffer ? filled : null
      // A short read is copied, and its buffer filled again.
      if (whole) filled = null
      socket.emit('data', whole ?? Buffer.from(read.subarray(0, bytes)))
      return true
    }
    const socket = net.connect({ ...options, onread: { buffer, callback } })
    return socket
  }
}

/** Where sockets to the host come from. */
export interface HttpAgents {
  /** Sockets that stay open between requests: for reads, which may be repeated if such a socket turns out to be dead. */
  readonly keepAlive: AgentPair
  /** A new socket for each request: for what must never be sent twice, so that a dead socket cannot leave its fate unknown. */
  readonly singleUse: AgentPair
  /** Separate kept sockets for content: watching a video holds one for a long time, and no other read should wait for it. */
  readonly streaming: AgentPair
  /** Separate kept sockets for what is passed on for other programs: however many they ask, the page does not wait for them. */
  readonly relay: AgentPair
}

export interface AgentPair {
  readonly http: http.Agent
  /** Made with the first request over TLS. */
  readonly https: () => https.Agent
  destroy(): void
}

/** Node's HTTPS, from the first request over TLS on: it takes three times as long to load as HTTP, and few hosts speak it. */
export const loadHttps = (): typeof https => process.getBuiltinModule('node:https')

export function createHttpAgents(): HttpAgents {
  return {
    keepAlive: pair({ keepAlive: true, maxSockets: 16, maxFreeSockets: 4 }),
    singleUse: pair({ keepAlive: false }),
    streaming: pair({ keepAlive: true, maxSockets: 32, maxFreeSockets: 6 }),
    relay: pair({ keepAlive: true, maxSockets: 64, maxFreeSockets: 8 }, BufferedAgent),
  }
}

export function destroyHttpAgents({ keepAlive: kept, singleUse: fresh, streaming, relay: relayed }: HttpAgents): void {
  for (const pair of [kept, fresh, streaming, relayed]) pair.destroy()
}

function pair(options: http.AgentOptions, Plain = http.Agent): AgentPair {
  const plain = new Plain(options)
  let secure: https.Agent | null = null
  return {
    http: plain,
    // TLS sessions are not resumed, because Node checks the server's name only in full handshakes.
    https: () => (secure ??= new (loadHttps().Agent)({ ...options, maxCachedSessions: 0 })),
    destroy() {
      plain.destroy()
      secure?.destroy()
    },
  }
}
