import { foldText } from '../../../shared/format/text-folding.ts'
import { FLAG_DUPLICATE, type NodeProblemKind, ROOT_PARENT, type TreeChunk, PENDING_PARENT } from './tree-chunk.ts'
import { NodeColumns, PARENT_KIND_NONE, PARENT_KIND_OTHER, PARENT_KIND_UUID } from './node-columns.ts'
import { clampExpectedCardCount } from './array-growth.ts'
import { IdTable } from './id-table.ts'
import { readPageBytes } from './page-byte-reader.ts'
import { PageTitles } from './page-titles.ts'
import { getSparseText, packSparseTexts, type SparseTexts } from './sparse-texts.ts'
import { packUuidText, UUID_WORDS, formatUuid } from './uuid.ts'
import { isSameUuid, UuidTable } from './uuid-table.ts'

interface IdLookup {
  idOf(index: number): string
  /** Returns -1 if the id is unknown. */
  indexOf(id: string): number
}

/** Cards whose parent is on a later page of the listing or missing from it. */
class PendingChildren {
  /** Children by the id of the missing parent. */
  readonly #children = new Map<string, number[]>()
  readonly #ids: IdLookup

  constructor(ids: IdLookup) {
    this.#ids = ids
  }

  add(parent: string, child: number): void {
    const siblings = this.#children.get(parent)
    if (siblings) siblings.push(child)
    else this.#children.set(parent, [child])
  }

  /** Pairs of pending child and new parent, in the order of the parents. */
  resolve(start: number, end: number): Int32Array<ArrayBuffer> {
    const pairs: number[] = []
    for (const parent of this.#listCandidates(start, end)) {
      const id = this.#ids.idOf(parent)
      const children = id === '' ? undefined : this.#children.get(id)
      if (!children) continue
      this.#children.delete(id)
      for (const child of children) pairs.push(child, parent)
    }
    return Int32Array.from(pairs)
  }

  /** Lists the new cards that may be missing parents, by ascending index. */
  #listCandidates(start: number, end: number): number[] {
    const isFewer = this.#children.size < end - start
    if (!isFewer) return Array.from({ length: end - start }, (_, offset) => start + offset)
    // Few listings have pending cards, and looking these up beats formatting each new id.
    const indexes = Array.from(this.#children.keys(), (id) => this.#ids.indexOf(id))
    return indexes.filter((index) => index >= 0).sort((a, b) => a - b)
  }
}

const LOWEST_UUID = '00000000-0000-0000-0000-000000000000'
const HIGHEST_UUID = 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF'

/** Tests the UUID at `words[offset]`; null if no UUID can begin with the text. */
function createPrefixTest(text: string): ((words: Uint32Array, at: number) => boolean) | null {
  const low = new Uint32Array(UUID_WORDS)
  const high = new Uint32Array(UUID_WORDS)
  const isPossible =
    packUuidText(text + LOWEST_UUID.slice(text.length), low, 0) &&
    packUuidText(text + HIGHEST_UUID.slice(text.length), high, 0)
  if (!isPossible) return null
  return (words, offset) => {
    for (let index = 0; index < UUID_WORDS; index += 1) {
      const word = words[offset + index] ?? 0
      if (word < (low[index] ?? 0) || word > (high[index] ?? 0)) return false
    }
    return true
  }
}

/** Finds the rows whose text begins with one of `prefixes`. */
function* findRowsByPrefix(texts: SparseTexts, prefixes: readonly string[]): Generator<number> {
  for (const row of texts.rows) {
    const text = getSparseText(texts, row) ?? ''
    if (prefixes.some((prefix) => text.startsWith(prefix))) yield row
  }
}

interface StoredPage {
  readonly start: number
  readonly count: number
  /** Ids that are not an upper-case UUID. */
  readonly otherIds: SparseTexts
  readonly titles: PageTitles
}

type NodeProblems = { kind: NodeProblemKind; index: number }[]

/**
 * Reads the pages of a card listing in order and links parents across pages. Runs in a worker and
 * keeps ids, searchable titles and pending children; `linkNodes` returns all other data as a chunk.
 */
export class TreeReader {
  readonly #pages: StoredPage[] = []
  readonly #columns = new NodeColumns()
  readonly #uuids = new UuidTable()
  readonly #otherIds = new IdTable((index) => this.idOf(index))
  readonly #pendingChildren = new PendingChildren(this)
  readonly #root: string
  /** A card whose parent is the study set is at the top. The contract shows no parent of a root. */
  readonly #studySetIds = new Set<string>()
  readonly #searchedUuid = new Uint32Array(UUID_WORDS)
  #count = 0
  #expectedCount = 0

  /** Reads the sub-map of `root`, whose parent is outside, of the study set `topicid`. */
  constructor(root = '', topicid = '') {
    this.#root = root
    this.addStudySetId(topicid)
  }

  get count(): number {
    return this.#count
  }

  /** Hosts may return another spelling of the id than was requested. */
  addStudySetId(topicid: string): void {
    this.#studySetIds.add(topicid)
  }

  /** Reserves memory for the ids of all announced cards at once. */
  reserve(total: number): void {
    this.#expectedCount = clampExpectedCardCount(total)
    this.#uuids.reserve(this.#expectedCount)
  }

  /** Adds the nodes of a page (spec §2 Mind-map tree) as `JSON.parse` returns them. */
  addNodes(nodes: readonly unknown[]): TreeChunk {
    this.readNodes(nodes)
    return this.linkNodes()
  }

  /** `linkNodes` must be called next. */
  readNodes(nodes: readonly unknown[]): void {
    this.#columns.clear()
    for (const node of nodes) this.#columns.addNode(node)
  }

  /** Returns the page without its nodes, or null if it must be parsed (see `readPageBytes`). */
  readPage(bytes: Uint8Array): { value: unknown; text: string } | null {
    return readPageBytes(bytes, this.#columns)
  }

  get unlinkedCount(): number {
    return this.#columns.count
  }

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
    if (otherIds.rows.length * 2 > count) this.#otherIds.reserve(this.#expectedCount)
    this.#count += count
    const problems: NodeProblems = columns.malformed.map((row) => ({ kind: 'malformed-node', index: start + row }))
    this.#addIds(start, problems)
    const parents = this.#resolveParents(start, problems)
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
      resolvedParents: this.#pendingChildren.resolve(start, this.#count),
      problems,
    }
  }

  idOf(index: number): string {
    const page = this.#pageOf(index)
    if (!page || index >= page.start + page.count) return ''
    return getSparseText(page.otherIds, index - page.start) ?? formatUuid(this.#uuids.words, index * UUID_WORDS)
  }

  indexOf(id: string): number {
    return packUuidText(id, this.#searchedUuid, 0) ? this.#uuids.find(this.#searchedUuid, 0) : this.#otherIds.find(id)
  }

  /** A search then finds the card by the new title. */
  setTitle(index: number, title: string): void {
    const page = this.#pageOf(index)
    page?.titles.setTitle(index - page.start, title)
  }

  /** Prepares a page for searching, so that the first search is fast. */
  prepareSearch(page: number): void {
    this.#pages[page]?.titles.prepareSearch()
  }

  /** Nodes whose title contains the text, or whose id begins so: at most `limit`, ascending. */
  search(text: string, limit = Number.POSITIVE_INFINITY): Uint32Array<ArrayBuffer> {
    const query = text.trim()
    const marks = new Uint8Array(query === '' ? 0 : this.#count)
    let matchesLeft = Math.min(limit, marks.length)
    const addMatch = (index: number): boolean => {
      if (matchesLeft > 0 && marks[index] === 0) {
        marks[index] = 1
        matchesLeft -= 1
      }
      return matchesLeft > 0
    }
    const exactMatch = query === '' ? -1 : this.indexOf(query)
    if (exactMatch >= 0) addMatch(exactMatch)
    const needle = foldText(query)
    const isId = /^[0-9a-f-]{8,}$/i.test(query)
    for (const page of this.#pages) {
      if (matchesLeft <= 0) break
      page.titles.search(needle, (row) => addMatch(page.start + row))
      if (isId) this.#searchIds(page, query, addMatch)
    }
    return listMarked(marks)
  }

  #searchIds(page: StoredPage, query: string, addMatch: (index: number) => boolean): void {
    const { start, count, otherIds } = page
    const upper = query.toUpperCase()
    for (const row of findRowsByPrefix(otherIds, [upper, query.toLowerCase()])) addMatch(start + row)
    const beginsWithQuery = createPrefixTest(upper)
    if (!beginsWithQuery) return
    for (let index = start; index < start + count; index += 1) {
      if (beginsWithQuery(this.#uuids.words, index * UUID_WORDS) && this.#isUuid(page, index)) addMatch(index)
    }
  }

  #isUuid({ otherIds, start }: StoredPage, index: number): boolean {
    return getSparseText(otherIds, index - start) === undefined
  }

  /** Adds all ids before the first lookup: a parent may follow its child on the same page. */
  #addIds(start: number, problems: NodeProblems): void {
    const { count, otherIds, flags } = this.#columns
    for (let row = 0; row < count; row += 1) {
      const otherId = otherIds[row]
      if (otherId === '') continue
      const index = start + row
      const existingIndex = otherId === undefined ? this.#uuids.add(index) : this.#otherIds.add(otherId, index)
      if (existingIndex === index) continue
      flags[row] = (flags[row] ?? 0) | FLAG_DUPLICATE
      problems.push({ kind: 'duplicate-id', index })
    }
  }

  #resolveParents(start: number, problems: NodeProblems): Int32Array<ArrayBuffer> {
    const { count, parentKinds } = this.#columns
    const parents = new Int32Array(count)
    for (let row = 0; row < count; row += 1) {
      if (parentKinds[row] === PARENT_KIND_NONE) parents[row] = ROOT_PARENT
      else if (this.#isOwnParent(row)) {
        problems.push({ kind: 'self-parent', index: start + row })
        parents[row] = ROOT_PARENT
      } else {
        const parent = this.#parentOf(row, row > 0 ? (parents[row - 1] ?? ROOT_PARENT) : ROOT_PARENT)
        parents[row] = parent >= 0 ? parent : this.#missingParent(row, start + row)
      }
    }
    return parents
  }

  #isOwnParent(row: number): boolean {
    const { otherIds, otherParents, parentKinds, parentUuids, uuids } = this.#columns
    if (parentKinds[row] === PARENT_KIND_OTHER) return otherParents[row] === otherIds[row]
    const offset = row * UUID_WORDS
    return isSameUuid(uuids, offset, parentUuids, offset) && otherIds[row] === undefined
  }

  /** Returns the parent or -1; usually it is `previousParent`, that of the previous node. */
  #parentOf(row: number, previousParent: number): number {
    const { otherParents, parentKinds, parentUuids } = this.#columns
    if (parentKinds[row] === PARENT_KIND_OTHER) return this.#otherIds.find(otherParents[row] ?? '')
    const offset = row * UUID_WORDS
    const isSameAsPrevious =
      previousParent >= 0 &&
      parentKinds[row - 1] === PARENT_KIND_UUID &&
      isSameUuid(parentUuids, offset - UUID_WORDS, parentUuids, offset)
    return isSameAsPrevious ? previousParent : this.#uuids.find(parentUuids, offset)
  }

  #missingParent(row: number, index: number): number {
    if (this.idOf(index) === this.#root) return ROOT_PARENT
    const { otherParents, parentUuids } = this.#columns
    const parent = otherParents[row] ?? formatUuid(parentUuids, row * UUID_WORDS)
    if (this.#studySetIds.has(parent)) return ROOT_PARENT
    this.#pendingChildren.add(parent, index)
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

function listMarked(marks: Uint8Array): Uint32Array<ArrayBuffer> {
  const indexes: number[] = []
  for (let index = marks.indexOf(1); index >= 0; index = marks.indexOf(1, index + 1)) indexes.push(index)
  return Uint32Array.from(indexes)
}
