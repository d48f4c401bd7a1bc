import { FLAG_DUPLICATE, FLAG_SUB_MAP, type TreeChunk } from './tree-chunk.ts'
import { getSparseText } from './sparse-texts.ts'
import { formatUuid, UUID_WORDS } from './uuid.ts'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** What the pages say about each card, by its index in the whole listing. */
export class ChunkList {
  readonly #chunks: TreeChunk[] = []
  /** Titles that changed after their page had arrived. */
  readonly #retitled = new Map<number, string>()

  add(chunk: TreeChunk): void {
    this.#chunks.push(chunk)
  }

  setTitle(index: number, title: string): void {
    this.#retitled.set(index, title)
  }

  title(index: number): string {
    const renamed = this.#retitled.get(index)
    if (renamed !== undefined) return renamed
    const chunk = this.#at(index)
    if (!chunk || index >= chunk.start + chunk.count) return ''
    const n = index - chunk.start
    const start = n === 0 ? 0 : (chunk.titleEnds[n - 1] ?? 0) + 1
    return getSparseText(chunk.otherTitles, n) ?? decoder.decode(chunk.titles.subarray(start, chunk.titleEnds[n]))
  }

  noteid(index: number): string {
    const chunk = this.#at(index)
    if (!chunk || index >= chunk.start + chunk.count) return ''
    const n = index - chunk.start
    return getSparseText(chunk.otherIds, n) ?? formatUuid(chunk.uuids, n * UUID_WORDS)
  }

  docPage(index: number): number {
    const chunk = this.#at(index)
    return chunk?.docPages[index - chunk.start] ?? 0
  }

  /** Content identifier of the document; empty for none. */
  docBook(index: number): string {
    const chunk = this.#at(index)
    return chunk?.books[(chunk.docBooks[index - chunk.start] ?? 0) - 1] ?? ''
  }

  isSubMap(index: number): boolean {
    return (this.#flags(index) & FLAG_SUB_MAP) !== 0
  }

  isDuplicate(index: number): boolean {
    return (this.#flags(index) & FLAG_DUPLICATE) !== 0
  }

  /** Which page of the listing a node came with, from 0. */
  pageOf(index: number): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#chunks[middle]?.start ?? 0) <= index) low = middle
      else high = middle - 1
    }
    return low
  }

  /** Every index whose parent had this code or index when its page arrived. */
  *indexesWithParent(parent: number): Generator<number> {
    for (const { start, count, parents } of this.#chunks) {
      for (let n = 0; n < count; n += 1) if (parents[n] === parent) yield start + n
    }
  }

  #flags(index: number): number {
    const chunk = this.#at(index)
    return chunk?.flags[index - chunk.start] ?? 0
  }

  #at(index: number): TreeChunk | undefined {
    return this.#chunks[this.pageOf(index)]
  }
}
