import http from 'node:http'
import net from 'node:net'

const SIZE = 64 * 1024
/** Buffers that wait for their next use. */
const MOST_FREE = 64

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
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(SIZE)
  }

  /** A piece of a body that nobody else reads or keeps. */
  lend(piece: Buffer): void {
    if (piece.byteLength === SIZE && piece.buffer.byteLength === SIZE) this.#lent.add(piece.buffer)
  }

  /** Takes back what a piece is all or the decided part of. */
  giveBack({ buffer }: Buffer): void {
    if (this.#lent.delete(buffer) && this.#free.length < MOST_FREE) this.#free.push(Buffer.from(buffer))
  }
}

export const readBuffers = new ReadBuffers()

/** Makes connections that read into `readBuffers`. */
export class BufferedAgent extends http.Agent {
  override createConnection(options: net.NetConnectOpts): net.Socket {
    let filled: Buffer | null = null
    const buffer = (): Buffer => (filled ??= readBuffers.next())
    const callback = (bytes: number, read: Uint8Array): boolean => {
      const whole = bytes === SIZE && filled?.buffer === read.buffer ? filled : null
      // A short read is copied, and its buffer filled again.
      if (whole) filled = null
      socket.emit('data', whole ?? Buffer.from(read.subarray(0, bytes)))
      return true
    }
    const socket = net.connect({ ...options, onread: { buffer, callback } })
    return socket
  }
}
