import http from 'node:http'
import type https from 'node:https'
import net from 'node:net'

const BUFFER_BYTES = 64 * 1024
const MAX_FREE_BUFFERS = 64

/**
 * Read buffers for response bodies that are only passed on. Node would allocate one for each read,
 * and memory outside the heap makes the garbage collector run so often that it takes longer than
 * the relaying. A buffer is reused only if a single piece filled it and that piece has been
 * written. A piece that is never given back keeps its buffer for good.
 */
class ReadBuffers {
  readonly #free: Buffer[] = []
  readonly #lent = new WeakSet<ArrayBufferLike>()

  next(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)
  }

  /** Registers a piece of a body that nobody else reads or keeps. */
  lend(piece: Buffer): void {
    if (piece.byteLength === BUFFER_BYTES && piece.buffer.byteLength === BUFFER_BYTES) this.#lent.add(piece.buffer)
  }

  /** Takes back the buffer of a piece, or of the part of it that was passed on. */
  giveBack({ buffer }: Buffer): void {
    if (this.#lent.delete(buffer) && this.#free.length < MAX_FREE_BUFFERS) this.#free.push(Buffer.from(buffer))
  }
}

export const readBuffers = new ReadBuffers()

/** Creates connections that read into `readBuffers`. */
class BufferedAgent extends http.Agent {
  override createConnection(options: net.NetConnectOpts): net.Socket {
    let currentBuffer: Buffer | null = null
    const buffer = (): Buffer => (currentBuffer ??= readBuffers.next())
    const callback = (bytes: number, read: Uint8Array): boolean => {
      const wholeBuffer = bytes === BUFFER_BYTES && currentBuffer?.buffer === read.buffer ? currentBuffer : null
      // The bytes of a short read are copied, and the buffer is filled again.
      if (wholeBuffer) currentBuffer = null
      socket.emit('data', wholeBuffer ?? Buffer.from(read.subarray(0, bytes)))
      return true
    }
    const socket = net.connect({ ...options, onread: { buffer, callback } })
    return socket
  }
}

export interface HttpAgents {
  /** Kept sockets for reads, which may be resent if such a socket turns out to be dead. */
  readonly keepAlive: AgentPair
  /** A new socket for each request: a dead one would leave the outcome of a write unknown. */
  readonly singleUse: AgentPair
  /** Watching a video holds a socket for long, and reads of data should not wait for it. */
  readonly streaming: AgentPair
  /** Kept sockets for relayed requests, so that the page does not wait for other programs. */
  readonly relay: AgentPair
}

/** The address of a server on this machine that stands in for a host. */
export interface StandInAddress {
  readonly host: string
  readonly port: number
}

export interface AgentPair {
  readonly http: http.Agent
  /** The agent is created with the first request over TLS. */
  readonly https: () => https.Agent
  destroy(): void
}

/** HTTPS takes three times as long to load as HTTP, and few hosts use it. */
export function loadHttps(): typeof https {
  return process.getBuiltinModule('node:https')
}

/** Creates agents that connect to `standIn`; null is the address of each request. */
export function createHttpAgents(standIn: StandInAddress | null = null): HttpAgents {
  // An agent's own host and port take precedence over those of a request.
  const address = standIn ?? {}
  return {
    keepAlive: createAgentPair({ ...address, keepAlive: true, maxSockets: 16, maxFreeSockets: 4 }),
    singleUse: createAgentPair({ ...address, keepAlive: false }),
    streaming: createAgentPair({ ...address, keepAlive: true, maxSockets: 32, maxFreeSockets: 6 }),
    relay: createAgentPair({ ...address, keepAlive: true, maxSockets: 64, maxFreeSockets: 8 }, BufferedAgent),
  }
}

export function destroyHttpAgents({ keepAlive, singleUse, streaming, relay }: HttpAgents): void {
  for (const pair of [keepAlive, singleUse, streaming, relay]) pair.destroy()
}

function createAgentPair(options: http.AgentOptions, HttpAgent = http.Agent): AgentPair {
  const httpAgent = new HttpAgent(options)
  let httpsAgent: https.Agent | null = null
  return {
    http: httpAgent,
    // TLS sessions are not resumed, because Node checks the server's name only in full handshakes.
    https: () => (httpsAgent ??= new (loadHttps().Agent)({ ...options, maxCachedSessions: 0 })),
    destroy() {
      httpAgent.destroy()
      httpsAgent?.destroy()
    },
  }
}
