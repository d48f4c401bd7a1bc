/** List elements per message: receiving them costs the page a few milliseconds. */
const CHUNK_ITEMS = 1_000

/** A stretch of a long list that is a member of a value, or the value itself (`member` null). */
export interface ListChunk {
  readonly member: string | null
  readonly items: readonly unknown[]
}

/**
 * Takes long lists out of a parsed value, so that each message of the worker stays short: receiving fifty thousand rows at once blocks the
 * page. `rest` has an empty list in place of each.
 */
export function splitLists(value: unknown): { readonly rest: unknown; readonly chunks: readonly ListChunk[] } {
  if (Array.isArray(value)) {
    return value.length > CHUNK_ITEMS ? { rest: [], chunks: stretchesOf(null, value) } : { rest: value, chunks: [] }
  }
  if (typeof value !== 'object' || value === null) return { rest: value, chunks: [] }
  const stretches: ListChunk[] = []
  const rest: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [member, own] of Object.entries(value)) {
    const long = Array.isArray(own) && own.length > CHUNK_ITEMS
    if (long) stretches.push(...stretchesOf(member, own))
    rest[member] = long ? [] : own
  }
  return stretches.length > 0 ? { rest, chunks: stretches } : { rest: value, chunks: stretches }
}

function stretchesOf(member: string | null, list: readonly unknown[]): ListChunk[] {
  const stretches: ListChunk[] = []
  for (let at = 0; at < list.length; at += CHUNK_ITEMS)
    stretches.push({ member, items: list.slice(at, at + CHUNK_ITEMS) })
  return stretches
}

/** Collects stretches as they arrive, so that little is left to do after the last message. */
export class ListAssembler {
  readonly #lists = new Map<string | null, unknown[]>()

  add({ member, items }: ListChunk): void {
    const list = this.#lists.get(member)
    if (!list) this.#lists.set(member, [...items])
    else for (const item of items) list.push(item)
  }

  /** The value as it was before it was taken apart. */
  assemble(rest: unknown): unknown {
    for (const [member, list] of this.#lists) {
      if (member === null) return list
      Object.defineProperty(rest, member, { value: list, enumerable: true, configurable: true, writable: true })
    }
    return rest
  }
}

/** Bytes copied to a worker in one task. Copying 50 MB at once keeps the page busy for longer than anyone should notice. */
export const PIECE_BYTES = 2 * 1024 * 1024

/** Copies of the parts of `source`, one after the other, so that none of them keeps the page busy. */
export async function* piecesOf(source: ArrayBuffer): AsyncGenerator<ArrayBuffer> {
  for (let at = 0; at < source.byteLength; at += PIECE_BYTES) {
    yield source.slice(at, at + PIECE_BYTES)
    await new Promise((resolve) => setTimeout(resolve))
  }
}

/** The pieces that have arrived, by the question that they belong to. */
export class PieceCollector {
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
