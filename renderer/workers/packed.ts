/** Bytes that are hardly ever looked at again, kept in little room. */
export class PackedBytes {
  #bytes: Uint8Array<ArrayBuffer>
  #isPacked = false

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes
  }

  /** How many bytes are kept. */
  get size(): number {
    return this.#bytes.byteLength
  }

  /** Puts them into less room, if there is any to gain; until that is done, they are kept as they are. */
  async pack(): Promise<void> {
    if (this.#isPacked) return
    const packed = await through(new CompressionStream('deflate-raw'), this.#bytes)
    if (packed.byteLength >= this.#bytes.byteLength) return
    this.#bytes = packed
    this.#isPacked = true
  }

  /** The bytes as they were. */
  async read(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#isPacked ? through(new DecompressionStream('deflate-raw'), this.#bytes) : this.#bytes
  }
}

async function through(
  { readable, writable }: CompressionStream | DecompressionStream,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = writable.getWriter()
  // What goes wrong here is said by the other end as well.
  writer.write(bytes).catch(() => undefined)
  writer.close().catch(() => undefined)
  return new Uint8Array(await new Response(readable).arrayBuffer())
}
