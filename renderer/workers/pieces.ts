/** Bytes copied to a worker in one task. Copying 50 MB at once keeps the page busy for longer than anyone should notice. */
export const PIECE = 2 * 1024 * 1024

/** Copies of the parts of `source`, one after the other, so that none of them keeps the page busy. */
export async function* piecesOf(source: ArrayBuffer): AsyncGenerator<ArrayBuffer> {
  for (let at = 0; at < source.byteLength; at += PIECE) {
    yield source.slice(at, at + PIECE)
    await new Promise((resolve) => setTimeout(resolve))
  }
}

/** The pieces that have arrived, by the question that they belong to. */
export class Pieces {
  readonly #waiting = new Map<number, ArrayBuffer[]>()

  add(seq: number, bytes: ArrayBuffer): void {
    const known = this.#waiting.get(seq)
    if (known) known.push(bytes)
    else this.#waiting.set(seq, [bytes])
  }

  /** All pieces of a question in one; they are not kept. */
  take(seq: number): ArrayBuffer {
    const pieces = this.#waiting.get(seq) ?? []
    this.#waiting.delete(seq)
    const all = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0))
    let at = 0
    for (const piece of pieces) {
      all.set(new Uint8Array(piece), at)
      at += piece.byteLength
    }
    return all.buffer
  }
}
