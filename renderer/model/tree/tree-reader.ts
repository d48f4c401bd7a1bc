import { foldText } from '../../../shared/format/text-folding.ts'
import { FLAG_DUPLICATE, type NodeProblemKind, ROOT_PARENT, type TreeChunk, PENDING_PARENT } from './tree-chunk.ts'
import { NodeColumns, NO_PARENT, OTHER_PARENT, UUID_PARENT } from './node-columns.ts'
import { clampExpectedCount } from './array-growth.ts'
import { IdTable } from './id-table.ts'
import { readPageBytes } from './page-byte-reader.ts'
import { PageTitles } from './page-titles.ts'
import { getSparseText, packSparseTexts, type SparseTexts } from './sparse-texts.ts'
import { packUuidText, UUID_WORDS, formatUuid } from './uuid.ts'
import { isSameUuid, UuidTable } from './uuid-table.ts'

/** The ids of the cards that are here. */
interface KnownIds {
  idOf(index: number): string
  /** -1 = not here. */
  indexOf(id: string): number
}

/** Cards whose parent is on a later page of the listing, or nowhere. */
class Waiting {
  /** Children by the id of the parent that they wait for. */
  readonly #children = new Map<string, number[]>()
  readonly #known: KnownIds

  constructor(known: KnownIds) {
    this.#known = known
  }

  add(parent: string, child: number): void {
    const queue = this.#children.get(parent)
    if (queue) queue.push(child)
    else this.#children.set(parent, [child])
  }

  /** Children whose parent is among the new cards: child and parent, alternating, in the order of the parents. */
  resolve(start: number, end: number): Int32Array<ArrayBuffer> {
    const pairs: number[] = []
    for (const parent of this.#arrived(start, end)) {
      const id = this.#known.idOf(parent)
      const children = id === '' ? undefined : this.#children.get(id)
      if (!children) continue
      this.#children.delete(id)
      for (const child of children) pairs.push(child, parent)
    }
    return Int32Array.from(pairs)
  }

  /** Indexes of cards that may be waited for, ascending. */
  #arrived(start: number, end: number): number[] {
    const few = this.#children.size < end - start
    if (!few) return Array.from({ length: end - start }, (_, n) => start + n)
    // Usually nearly nothing waits, and looking for that is quicker than making a text of each new id.
    const known = Array.from(this.#children.keys(), (id) => this.#known.indexOf(id))
    return known.filter((index) => index >= 0).sort((a, b) => a - b)
  }
}

const LOWEST_UUID = '00000000-0000-0000-0000-000000000000'
const HIGHEST_UUID = 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF'

/** Tests whether the UUID at `words[at]` begins with a text; null if none can. */
function beginsWith(text: string): ((words: Uint32Array, at: number) => boolean) | null {
  const low = new Uint32Array(UUID_WORDS)
  const high = new Uint32Array(UUID_WORDS)
  const can =
    packUuidText(text + LOWEST_UUID.slice(text.length), low, 0) &&
    packUuidText(text + HIGHEST_UUID.slice(text.length), high, 0)
  if (!can) return null
  return (words, at) => {
    for (let n = 0; n < UUID_WORDS; n += 1) {
      const word = words[at + n] ?? 0
      if (word < (low[n] ?? 0) || word > (high[n] ?? 0)) return false
    }
    return true
  }
}

/** The rows of texts that begin with one of the given. */
function* rowsBeginning(texts: SparseTexts, needles: readonly string[]): Generator<number> {
  for (const row of texts.rows) {
    const text = getSparseText(texts, row) ?? ''
    if (needles.some((needle) => text.startsWith(needle))) yield row
  }
}

interface StoredPage {
  readonly start: number
  readonly count: number
  /** Ids that are no UUID in upper case. */
  readonly otherIds: SparseTexts
  readonly titles: PageTitles
}

type NodeProblems = { kind: NodeProblemKind; index: number }[]

/**
 * Reads the pages of a card listing in order and links parents across them. Lives in a worker: ids, the titles to search in and whatever
 * waits for a parent stay here; `link` hands the rest over as a chunk.
 */
export class TreeReader {
  readonly #pages: StoredPage[] = []
  readonly #columns = new NodeColumns()
  readonly #uuids = new UuidTable()
  readonly #otherIds = new IdTable((index) => this.idOf(index))
  readonly #waiting = new Waiting(this)
  readonly #root: string
  readonly #sought = new Uint32Array(UUID_WORDS)
  #count = 0
  #expected = 0

  /** `root`: the card whose sub-map is read; its own parent is outside the listing, which is not a problem. */
  constructor(root = '') {
    this.#root = root
  }

  get count(): number {
    return this.#count
  }

  /** `nodeTotal` of the listing, so that room for the ids is made once. */
  reserve(total: number): void {
    this.#expected = clampExpectedCount(total)
    this.#uuids.reserve(this.#expected)
  }

  /** The nodes of a page (spec §2 Mind-map tree) as `JSON.parse` returns them. */
  addNodes(nodes: readonly unknown[]): TreeChunk {
    this.readNodes(nodes)
    return this.linkNodes()
  }

  /** Takes the nodes of a page; `link` is to follow. */
  readNodes(nodes: readonly unknown[]): void {
    this.#columns.clear()
    for (const node of nodes) this.#columns.addNode(node)
  }

  /** The same from the page's bytes. Returns the page without them; null if it has to be parsed (see `readPage`). */
  readPage(bytes: Uint8Array): { value: unknown; text: string } | null {
    return readPageBytes(bytes, this.#columns)
  }

  /** Nodes that were taken and are not linked yet. */
  get unlinkedCount(): number {
    return this.#columns.count
  }

  /** Links what was taken. */
  linkNodes(): TreeChunk {
    const columns = this.#columns
    const { count } = columns
    const start = this.#count
    const titles = columns.titles.slice(0, count === 0 ? 0 : (columns.titleEnds[count - 1] ?? 0) + 1)
    const otherTitles = packSparseTexts(columns.otherTitles)
    const otherIds = packSparseTexts(columns.otherIds)
    const uuids = columns.uuids.slice(0, count * UUID_WORDS)
    this.#pages.push({ start, count, otherIds, titles: new PageTitles(titles.slice(), otherTitles, count) })
    this.#uuids.storePage(uuids, start)
    if (otherIds.rows.length * 2 > count) this.#otherIds.reserve(this.#expected)
    this.#count += count
    const problems: NodeProblems = columns.malformed.map((n) => ({ kind: 'malformed-node', index: start + n }))
    this.#addIds(start, problems)
    const parents = this.#parents(start, problems)
    return {
      start,
      count,
      parents,
      uuids,
      otherIds,
      titles,
      titleEnds: columns.titleEnds.slice(0, count),
      otherTitles,
      flags: columns.flags.slice(0, count),
      docPages: columns.docPages.slice(0, count),
      docBooks: columns.docBooks.slice(0, count),
      books: columns.books,
      resolvedParents: this.#waiting.resolve(start, this.#count),
      problems,
    }
  }

  idOf(index: number): string {
    const page = this.#pageOf(index)
    if (!page || index >= page.start + page.count) return ''
    return getSparseText(page.otherIds, index - page.start) ?? formatUuid(this.#uuids.words, index * UUID_WORDS)
  }

  indexOf(id: string): number {
    return packUuidText(id, this.#sought, 0) ? this.#uuids.find(this.#sought, 0) : this.#otherIds.find(id)
  }

  /** A card has another title than its page said: from now on it is found by that one. */
  setTitle(index: number, title: string): void {
    const page = this.#pageOf(index)
    page?.titles.setTitle(index - page.start, title)
  }

  /** Makes a page ready to be searched, so that the first search finds it so. */
  prepareSearch(page: number): void {
    this.#pages[page]?.titles.prepareSearch()
  }

  /** Indexes of nodes whose title contains the text (in any case), or whose id is the text or begins with it; at most `limit`. */
  search(text: string, limit = Number.POSITIVE_INFINITY): Uint32Array<ArrayBuffer> {
    const wanted = text.trim()
    const marks = new Uint8Array(wanted === '' ? 0 : this.#count)
    let left = Math.min(limit, marks.length)
    const hit = (index: number): boolean => {
      if (left > 0 && marks[index] === 0) {
        marks[index] = 1
        left -= 1
      }
      return left > 0
    }
    const exact = wanted === '' ? -1 : this.indexOf(wanted)
    if (exact >= 0) hit(exact)
    const needle = foldText(wanted)
    const isId = /^[0-9a-f-]{8,}$/i.test(wanted)
    for (const page of this.#pages) {
      if (left <= 0) break
      page.titles.search(needle, (row) => hit(page.start + row))
      if (isId) this.#searchIds(page, wanted, hit)
    }
    return indexesOf(marks)
  }

  #searchIds(page: StoredPage, wanted: string, hit: (index: number) => boolean): void {
    const { start, count, otherIds } = page
    const upper = wanted.toUpperCase()
    for (const row of rowsBeginning(otherIds, [upper, wanted.toLowerCase()])) hit(start + row)
    const begins = beginsWith(upper)
    if (!begins) return
    for (let index = start; index < start + count; index += 1) {
      if (begins(this.#uuids.words, index * UUID_WORDS) && this.#isUuid(page, index)) hit(index)
    }
  }

  #isUuid({ otherIds, start }: StoredPage, index: number): boolean {
    return getSparseText(otherIds, index - start) === undefined
  }

  /** All at once, before the first parent is looked for, because a parent may come later on the same page. */
  #addIds(start: number, problems: NodeProblems): void {
    const { count, otherIds, flags } = this.#columns
    for (let n = 0; n < count; n += 1) {
      const other = otherIds[n]
      if (other === '') continue
      const index = start + n
      const holder = other === undefined ? this.#uuids.add(index) : this.#otherIds.add(other, index)
      if (holder === index) continue
      flags[n] = (flags[n] ?? 0) | FLAG_DUPLICATE
      problems.push({ kind: 'duplicate-id', index })
    }
  }

  #parents(start: number, problems: NodeProblems): Int32Array<ArrayBuffer> {
    const { count, parentKinds } = this.#columns
    const parents = new Int32Array(count)
    for (let n = 0; n < count; n += 1) {
      if (parentKinds[n] === NO_PARENT) parents[n] = ROOT_PARENT
      else if (this.#isOwnParent(n)) {
        problems.push({ kind: 'self-parent', index: start + n })
        parents[n] = ROOT_PARENT
      } else {
        const parent = this.#parentOf(n, n > 0 ? (parents[n - 1] ?? ROOT_PARENT) : ROOT_PARENT)
        parents[n] = parent >= 0 ? parent : this.#missingParent(n, start + n)
      }
    }
    return parents
  }

  #isOwnParent(n: number): boolean {
    const { otherIds, otherParents, parentKinds, parentUuids, uuids } = this.#columns
    if (parentKinds[n] === OTHER_PARENT) return otherParents[n] === otherIds[n]
    const at = n * UUID_WORDS
    return isSameUuid(uuids, at, parentUuids, at) && otherIds[n] === undefined
  }

  /** The parent's index, or -1. `last` is that of the node before, whose parent is most often the same. */
  #parentOf(n: number, last: number): number {
    const { otherParents, parentKinds, parentUuids } = this.#columns
    if (parentKinds[n] === OTHER_PARENT) return this.#otherIds.find(otherParents[n] ?? '')
    const at = n * UUID_WORDS
    const asBefore =
      last >= 0 && parentKinds[n - 1] === UUID_PARENT && isSameUuid(parentUuids, at - UUID_WORDS, parentUuids, at)
    return asBefore ? last : this.#uuids.find(parentUuids, at)
  }

  #missingParent(n: number, index: number): number {
    if (this.idOf(index) === this.#root) return ROOT_PARENT
    const { otherParents, parentUuids } = this.#columns
    this.#waiting.add(otherParents[n] ?? formatUuid(parentUuids, n * UUID_WORDS), index)
    return PENDING_PARENT
  }

  #pageOf(index: number): StoredPage | undefined {
    let low = 0
    let high = this.#pages.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#pages[middle]?.start ?? 0) <= index) low = middle
      else high = middle - 1
    }
    return this.#pages[low]
  }
}

function indexesOf(marks: Uint8Array): Uint32Array<ArrayBuffer> {
  const found: number[] = []
  for (let index = marks.indexOf(1); index >= 0; index = marks.indexOf(1, index + 1)) found.push(index)
  return Uint32Array.from(found)
}
