/** The bytes of an entry: whole, or in pieces that are not changed after they were passed on. */
export type EntryContent = Uint8Array | AsyncIterable<Uint8Array>

/** An entry of a part that this version does not know. */
export interface OtherEntry {
  readonly name: string
  readonly content: EntryContent
}

export async function* toPieces(content: EntryContent): AsyncGenerator<Uint8Array> {
  if (content instanceof Uint8Array) yield content
  else yield* content
}

/** Passes on the pieces, and shows each of them first. */
export async function* passPieces(
  pieces: AsyncIterable<Uint8Array>,
  onPiece: (piece: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    onPiece(piece)
    yield piece
  }
}

/** Reads all of a content; one that is whole already is not copied. */
export async function readContent(content: EntryContent): Promise<Buffer> {
  if (content instanceof Uint8Array) return Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const pieces: Uint8Array[] = []
  for await (const piece of content) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Reads pieces, and holds the first ones until they are read again. */
export class PieceReader {
  readonly #iterator: AsyncIterator<Uint8Array>
  readonly #start: Uint8Array[] = []
  #startBytes = 0

  constructor(content: EntryContent) {
    this.#iterator = toPieces(content)[Symbol.asyncIterator]()
  }

  /** Returns at most so many of the first bytes; they are read again by `readAll`. */
  async readStart(maxBytes: number): Promise<Uint8Array> {
    while (this.#startBytes < maxBytes) {
      const next = await this.#iterator.next()
      if (next.done === true) break
      this.#start.push(next.value)
      this.#startBytes += next.value.length
    }
    const [first] = this.#start
    const start = first && this.#start.length === 1 ? first : Buffer.concat(this.#start)
    return start.subarray(0, maxBytes)
  }

  async *readAll(): AsyncGenerator<Uint8Array> {
    for (let piece = this.#start.shift(); piece; piece = this.#start.shift()) yield piece
    for (let next = await this.#iterator.next(); next.done !== true; next = await this.#iterator.next())
      yield next.value
  }
}
