import { treeNodeSchema } from '../../../shared/bridge/resources/study-sets.ts'
import { salvage } from '../../../shared/bridge/salvage.ts'
import { isObject } from '../../../shared/json/object.ts'
import { FLAG_SUB_MAP, FLAG_TITLE } from './tree-chunk.ts'
import { growArray } from './array-growth.ts'
import { packUuidText, UUID_WORDS } from './uuid.ts'

/** The kind of parent id that a node has. */
export const PARENT_KIND_NONE = 0
export const PARENT_KIND_UUID = 1
export const PARENT_KIND_OTHER = 2

/** A UTF-16 unit takes at most three bytes in UTF-8. */
const MAX_UTF8_BYTES_PER_CHAR = 3
/** `growArray` allocates at least as many rows. */
const INITIAL_ROWS = 1024

/**
 * The nodes of one page by column, reused for the next page to save allocations. A node is written
 * to row `count` and then committed; an abandoned node is overwritten by the node that follows.
 */
export class NodeColumns {
  count = 0
  uuids = new Uint32Array(0)
  parentUuids = new Uint32Array(0)
  /** One of the constants `PARENT_KIND_…` per row. */
  parentKinds = new Uint8Array(0)
  flags = new Uint8Array(0)
  docPages = new Uint32Array(0)
  /** Position in `books` of each row's document, from 1; 0 if the node has no document. */
  docBooks = new Uint32Array(0)
  /** Content ids of the documents that the nodes of the page name. */
  books: string[] = []
  /** Titles in UTF-8, each followed by a zero byte. */
  titles = new Uint8Array(0)
  titleEnds = new Uint32Array(0)
  /** End of the title of the node that is being written. */
  titleLength = 0
  /** Ids that are no upper-case UUID, and titles that UTF-8 cannot hold, by row. */
  readonly otherIds: (string | undefined)[] = []
  readonly otherParents: (string | undefined)[] = []
  readonly otherTitles: (string | undefined)[] = []
  /** Rows of nodes that violate the contract. */
  readonly malformed: number[] = []
  readonly #encoder = new TextEncoder()
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  readonly #bookPositions = new Map<string, number>()
  /** In document order, the next node usually has the same document. */
  #lastBook = { start: 0, end: 0, place: 0 }
  /** Bytes reserved for titles of nodes that are not written by `addNode`. */
  #reservedBytes = 0

  /** Empties all columns before a new page is read. */
  clear(): void {
    this.#reservedBytes = 0
    this.count = 0
    this.titleLength = 0
    this.malformed.length = 0
    this.books = []
    this.#bookPositions.clear()
    this.#lastBook = { start: 0, end: 0, place: 0 }
    for (const texts of [this.otherIds, this.otherParents, this.otherTitles]) texts.length = 0
  }

  /** `bytes`, the size of the page, is enough, because titles are part of the page. */
  reserveTitleBytes(bytes: number): void {
    this.#reservedBytes = bytes
    this.titles = growArray(this.titles, bytes)
  }

  beginNode(): void {
    const row = this.count
    if (row === this.flags.length) this.#growRows()
    this.parentKinds[row] = PARENT_KIND_NONE
    this.flags[row] = 0
    this.docPages[row] = 0
    this.docBooks[row] = 0
    this.titleLength = row === 0 ? 0 : (this.titleEnds[row - 1] ?? 0) + 1
  }

  commitNode(): void {
    this.titleEnds[this.count] = this.titleLength
    this.titles[this.titleLength] = 0
    this.count += 1
  }

  /** Adds a node that `JSON.parse` returned. The members may have any type. */
  addNode(node: unknown): void {
    this.beginNode()
    const { value, bindingProblemCount } = salvage(treeNodeSchema, node)
    // An empty id names no card.
    if (value === undefined || bindingProblemCount > 0 || value.noteid === '') this.malformed.push(this.count)
    this.#write(this.count, value ?? (isObject(node) ? node : {}))
    this.commitNode()
  }

  /** Sets the document of the node that is being written, from the bytes of the page. */
  setDocumentBytes(bytes: Uint8Array, start: number, end: number): void {
    const last = this.#lastBook
    let isSame = last.place > 0 && last.end - last.start === end - start
    for (let offset = 0; isSame && offset < end - start; offset += 1) {
      isSame = bytes[last.start + offset] === bytes[start + offset]
    }
    const place = isSame ? last.place : this.#getBookPosition(this.#decoder.decode(bytes.subarray(start, end)))
    this.#lastBook = { start, end, place }
    this.docBooks[this.count] = place
  }

  #getBookPosition(book: string): number {
    if (book === '') return 0
    const position = this.#bookPositions.get(book)
    if (position !== undefined) return position
    this.books.push(book)
    this.#bookPositions.set(book, this.books.length)
    return this.books.length
  }

  #write(
    row: number,
    { noteid, parent, title, subMapId, docPage, docBookmd5 }: Readonly<Record<string, unknown>>,
  ): void {
    this.#putId(row, toText(noteid))
    this.#putParent(row, toText(parent))
    this.#putTitle(row, toText(title))
    const titleFlag = title === null || typeof title === 'string' ? FLAG_TITLE : 0
    this.flags[row] = titleFlag | (toText(subMapId) === '' ? 0 : FLAG_SUB_MAP)
    if (typeof docPage === 'number' && docPage > 0 && docPage < 2 ** 32) this.docPages[row] = Math.floor(docPage)
    this.docBooks[row] = this.#getBookPosition(toText(docBookmd5))
  }

  #putId(row: number, id: string): void {
    if (!packUuidText(id, this.uuids, row * UUID_WORDS)) this.otherIds[row] = id
  }

  #putParent(row: number, parent: string): void {
    if (parent === '') return
    const packed = packUuidText(parent, this.parentUuids, row * UUID_WORDS)
    this.parentKinds[row] = packed ? PARENT_KIND_UUID : PARENT_KIND_OTHER
    if (!packed) this.otherParents[row] = parent
  }

  #putTitle(row: number, title: string): void {
    const start = this.titleLength
    this.titles = growArray(this.titles, start + title.length * MAX_UTF8_BYTES_PER_CHAR + 1 + this.#reservedBytes)
    if (title.isWellFormed() && !title.includes('\0')) {
      this.titleLength = start + this.#encoder.encodeInto(title, this.titles.subarray(start)).written
    } else this.otherTitles[row] = title
  }

  /** All columns grow together, so that they have room for the same number of rows. */
  #growRows(): void {
    const rows = Math.max(INITIAL_ROWS, this.flags.length * 2)
    this.uuids = growArray(this.uuids, rows * UUID_WORDS)
    this.parentUuids = growArray(this.parentUuids, rows * UUID_WORDS)
    this.parentKinds = growArray(this.parentKinds, rows)
    this.docPages = growArray(this.docPages, rows)
    this.docBooks = growArray(this.docBooks, rows)
    this.titleEnds = growArray(this.titleEnds, rows)
    this.flags = growArray(this.flags, rows)
  }
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')
