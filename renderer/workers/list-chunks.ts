/** Entries per message. Receiving them takes the page a few milliseconds. */
const CHUNK_ITEMS = 1_000

/** `member` names the list in the value; null if the value itself is the list. */
export interface ListChunk {
  readonly member: string | null
  readonly items: readonly unknown[]
}

/**
 * Removes long lists from a parsed value, because receiving fifty thousand entries in one message
 * would block the page.
 * @returns `rest`, the value with an empty list in place of each long one, and the entries as
 *   chunks
 */
export function splitLists(value: unknown): { readonly rest: unknown; readonly chunks: readonly ListChunk[] } {
  if (Array.isArray(value)) {
    return value.length > CHUNK_ITEMS ? { rest: [], chunks: splitList(null, value) } : { rest: value, chunks: [] }
  }
  if (typeof value !== 'object' || value === null) return { rest: value, chunks: [] }
  const chunks: ListChunk[] = []
  const rest: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [member, memberValue] of Object.entries(value)) {
    const isLong = Array.isArray(memberValue) && memberValue.length > CHUNK_ITEMS
    if (isLong) chunks.push(...splitList(member, memberValue))
    rest[member] = isLong ? [] : memberValue
  }
  return chunks.length > 0 ? { rest, chunks } : { rest: value, chunks }
}

function splitList(member: string | null, list: readonly unknown[]): ListChunk[] {
  const chunks: ListChunk[] = []
  for (let start = 0; start < list.length; start += CHUNK_ITEMS)
    chunks.push({ member, items: list.slice(start, start + CHUNK_ITEMS) })
  return chunks
}

/** Assembles chunks while they arrive, so that little work is left after the last message. */
export class ListAssembler {
  readonly #lists = new Map<string | null, unknown[]>()

  add({ member, items }: ListChunk): void {
    const list = this.#lists.get(member)
    if (!list) this.#lists.set(member, [...items])
    else for (const item of items) list.push(item)
  }

  /** Puts the lists back into the value. */
  assemble(rest: unknown): unknown {
    for (const [member, list] of this.#lists) {
      if (member === null) return list
      Object.defineProperty(rest, member, { value: list, enumerable: true, configurable: true, writable: true })
    }
    return rest
  }
}

/** Bytes copied to a worker in one task. Copying 50 MB at once would freeze the page noticeably. */
export const COPIED_PIECE_BYTES = 2 * 1024 * 1024

/** Copies the parts of `source` one after the other, so that the page can react in between. */
export async function* copyInPieces(source: ArrayBuffer): AsyncGenerator<ArrayBuffer> {
  for (let start = 0; start < source.byteLength; start += COPIED_PIECE_BYTES) {
    yield source.slice(start, start + COPIED_PIECE_BYTES)
    await new Promise((resolve) => setTimeout(resolve))
  }
}

/** Collects pieces by the `seq` of the request to which they belong. */
export class PieceCollector {
  readonly #piecesBySeq = new Map<number, ArrayBuffer[]>()

  add(seq: number, bytes: ArrayBuffer): void {
    const pieces = this.#piecesBySeq.get(seq)
    if (pieces) pieces.push(bytes)
    else this.#piecesBySeq.set(seq, [bytes])
  }

  joinPieces(seq: number): ArrayBuffer {
    const pieces = this.#piecesBySeq.get(seq) ?? []
    this.#piecesBySeq.delete(seq)
    const all = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0))
    let offset = 0
    for (const piece of pieces) {
      all.set(new Uint8Array(piece), offset)
      offset += piece.byteLength
    }
    return all.buffer
  }
}
