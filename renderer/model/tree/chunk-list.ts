import { FLAG_DUPLICATE, FLAG_SUB_MAP, FLAG_TITLE, type TreeChunk } from './tree-chunk.ts'
import { getSparseText } from './sparse-texts.ts'
import { formatUuid, UUID_WORDS } from './uuid.ts'

/** The columns of a page that are needed once its nodes are linked. */
export type StoredChunk = Omit<TreeChunk, 'parents' | 'resolvedParents' | 'problems'>

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Finds the title, id and other data of a card by its index in the whole listing. */
export class ChunkList {
  readonly #chunks: StoredChunk[] = []
  /** Titles of cards that were renamed after loading, by index. */
  readonly #changedTitles = new Map<number, string>()

  get changedTitles(): ReadonlyMap<number, string> {
    return this.#changedTitles
  }

  get chunks(): readonly StoredChunk[] {
    return this.#chunks
  }

  add(chunk: StoredChunk): void {
    this.#chunks.push(chunk)
  }

  setTitle(index: number, title: string): void {
    this.#changedTitles.set(index, title)
  }

  getTitle(index: number): string {
    const changedTitle = this.#changedTitles.get(index)
    if (changedTitle !== undefined) return changedTitle
    const chunk = this.#chunkAt(index)
    if (!chunk || index >= chunk.start + chunk.count) return ''
    const row = index - chunk.start
    const start = row === 0 ? 0 : (chunk.titleEnds[row - 1] ?? 0) + 1
    return getSparseText(chunk.otherTitles, row) ?? decoder.decode(chunk.titles.subarray(start, chunk.titleEnds[row]))
  }

  /** False if the host sent no title. The title is then empty. */
  hasTitle(index: number): boolean {
    return this.#changedTitles.has(index) || (this.#flags(index) & FLAG_TITLE) !== 0
  }

  getNoteid(index: number): string {
    const chunk = this.#chunkAt(index)
    if (!chunk || index >= chunk.start + chunk.count) return ''
    const row = index - chunk.start
    return getSparseText(chunk.otherIds, row) ?? formatUuid(chunk.uuids, row * UUID_WORDS)
  }

  getDocPage(index: number): number {
    const chunk = this.#chunkAt(index)
    return chunk?.docPages[index - chunk.start] ?? 0
  }

  /** Content id of the document; empty if the card has none. */
  getDocBook(index: number): string {
    const chunk = this.#chunkAt(index)
    return chunk?.books[(chunk.docBooks[index - chunk.start] ?? 0) - 1] ?? ''
  }

  isSubMap(index: number): boolean {
    return (this.#flags(index) & FLAG_SUB_MAP) !== 0
  }

  isDuplicate(index: number): boolean {
    return (this.#flags(index) & FLAG_DUPLICATE) !== 0
  }

  /** Number of the listing page that contains the node, from 0. */
  getListingPage(index: number): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#chunks[middle]?.start ?? 0) <= index) low = middle
      else high = middle - 1
    }
    return low
  }

  #flags(index: number): number {
    const chunk = this.#chunkAt(index)
    return chunk?.flags[index - chunk.start] ?? 0
  }

  #chunkAt(index: number): StoredChunk | undefined {
    return this.#chunks[this.getListingPage(index)]
  }
}
