import { treeNodeSchema } from '../../../shared/bridge/resources/study-sets.ts'
import { salvage } from '../../../shared/bridge/salvage.ts'
import { isObject } from '../../../shared/json/object.ts'
import { FLAG_SUB_MAP } from './tree-chunk.ts'
import { growArray } from './array-growth.ts'
import { packUuidText, UUID_WORDS } from './uuid.ts'

/** What a node names as its parent. */
export const NO_PARENT = 0
export const UUID_PARENT = 1
export const OTHER_PARENT = 2

/** Most bytes of UTF-8 that one character of a text takes. */
const MAX_UTF8_BYTES_PER_CHAR = 3
/** Rows there is room for at first: `grown` gives no array less. */
const INITIAL_ROWS = 1024

/**
 * The nodes of one page by column, as they are read; used again for the next page, so that no page pays for its room. A node is written to
 * the row `count` and then either kept (`keep`) or written anew: whoever gives up half-way leaves nothing behind.
 */
export class NodeColumns {
  count = 0
  uuids = new Uint32Array(0)
  parentUuids = new Uint32Array(0)
  /** One of the codes above. */
  parentKinds = new Uint8Array(0)
  flags = new Uint8Array(0)
  docPages = new Uint32Array(0)
  /** Place in `books` of each row's document, from 1; 0 for none. */
  docBooks = new Uint32Array(0)
  /** The documents that the nodes of the page name. */
  books: string[] = []
  /** Titles in UTF-8, each followed by a zero. */
  titles = new Uint8Array(0)
  titleEnds = new Uint32Array(0)
  /** Where the title of the node that is being written ends so far. */
  titleLength = 0
  /** Ids that are no UUID in upper case, by row; titles that UTF-8 cannot hold or that hold a zero. */
  readonly otherIds: (string | undefined)[] = []
  readonly otherParents: (string | undefined)[] = []
  readonly otherTitles: (string | undefined)[] = []
  /** Rows whose node is not what the contract says. */
  readonly malformed: number[] = []
  readonly #encoder = new TextEncoder()
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  readonly #bookPlaces = new Map<string, number>()
  /** Where the last document stands in the bytes of the page: in document order the next node most often has the same. */
  #lastBook = { start: 0, end: 0, place: 0 }
  /** Room that nodes which are not written by `addValue` may need. */
  #bytes = 0

  /** Begins a page. */
  clear(): void {
    this.#bytes = 0
    this.count = 0
    this.titleLength = 0
    this.malformed.length = 0
    this.books = []
    this.#bookPlaces.clear()
    this.#lastBook = { start: 0, end: 0, place: 0 }
    for (const texts of [this.otherIds, this.otherParents, this.otherTitles]) texts.length = 0
  }

  /** Makes room for the titles of a page of this many bytes: as they stand there, they take no more. */
  reserveTitleBytes(bytes: number): void {
    this.#bytes = bytes
    this.titles = growArray(this.titles, bytes)
  }

  /** Begins a node: it has nothing yet. */
  beginNode(): void {
    const row = this.count
    if (row === this.flags.length) this.#growRows()
    this.parentKinds[row] = NO_PARENT
    this.flags[row] = 0
    this.docPages[row] = 0
    this.docBooks[row] = 0
    this.titleLength = row === 0 ? 0 : (this.titleEnds[row - 1] ?? 0) + 1
  }

  /** The node is complete. */
  commitNode(): void {
    this.titleEnds[this.count] = this.titleLength
    this.titles[this.titleLength] = 0
    this.count += 1
  }

  /** A node as `JSON.parse` returns it; foreign values are taken as they are, and never trusted to have a type. */
  addNode(node: unknown): void {
    this.beginNode()
    const { value, problemCount: total } = salvage(treeNodeSchema, node)
    // An empty id names no card.
    if (total > 0 || value?.noteid === '') this.malformed.push(this.count)
    this.#write(this.count, value ?? (isObject(node) ? node : {}))
    this.commitNode()
  }

  /** The document of the node that is being written, from the bytes of the page. */
  setDocumentBytes(bytes: Uint8Array, start: number, end: number): void {
    const last = this.#lastBook
    let same = last.place > 0 && last.end - last.start === end - start
    for (let offset = 0; same && offset < end - start; offset += 1) {
      same = bytes[last.start + offset] === bytes[start + offset]
    }
    const place = same ? last.place : this.#bookPlace(this.#decoder.decode(bytes.subarray(start, end)))
    this.#lastBook = { start, end, place }
    this.docBooks[this.count] = place
  }

  #bookPlace(book: string): number {
    if (book === '') return 0
    const known = this.#bookPlaces.get(book)
    if (known !== undefined) return known
    this.books.push(book)
    this.#bookPlaces.set(book, this.books.length)
    return this.books.length
  }

  #write(
    row: number,
    { noteid, parent, title, subMapId, docPage, docBookmd5 }: Readonly<Record<string, unknown>>,
  ): void {
    this.#putId(row, text(noteid))
    this.#putParent(row, text(parent))
    this.#putTitle(row, text(title))
    if (text(subMapId) !== '') this.flags[row] = FLAG_SUB_MAP
    if (typeof docPage === 'number' && docPage > 0 && docPage < 2 ** 32) this.docPages[row] = Math.floor(docPage)
    this.docBooks[row] = this.#bookPlace(text(docBookmd5))
  }

  #putId(row: number, id: string): void {
    if (!packUuidText(id, this.uuids, row * UUID_WORDS)) this.otherIds[row] = id
  }

  #putParent(row: number, parent: string): void {
    if (parent === '') return
    const packed = packUuidText(parent, this.parentUuids, row * UUID_WORDS)
    this.parentKinds[row] = packed ? UUID_PARENT : OTHER_PARENT
    if (!packed) this.otherParents[row] = parent
  }

  #putTitle(row: number, title: string): void {
    const from = this.titleLength
    this.titles = growArray(this.titles, from + title.length * MAX_UTF8_BYTES_PER_CHAR + 1 + this.#bytes)
    if (title.isWellFormed() && !title.includes('\0')) {
      this.titleLength = from + this.#encoder.encodeInto(title, this.titles.subarray(from)).written
    } else this.otherTitles[row] = title
  }

  /** All columns at once, so that each has room for the same rows. */
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

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
