import { folded } from '../../../shared/format/fold.ts'
import { FLAG_DUPLICATE, FLAG_SUB_MAP, ROOT, WAITING, type NodeProblem, type TreeChunk } from './chunk.ts'
import { IdTable } from './id-table.ts'
import { isObject } from '../../../shared/json/object.ts'

interface KeptPage {
  readonly start: number
  readonly ids: string
  readonly idEnds: Uint32Array
  lowerTitles: string
  readonly titleEnds: Uint32Array
}

/** Upper limit for what a host says about its size: more room is made when the cards arrive. */
const MAX_EXPECTED = 2_000_000

/**
 * Reads the pages of a card listing in order and links parents across them. Lives in a worker: ids, lower-case titles and whatever waits
 * for a parent stay here; `add` hands the rest over as a chunk.
 */
export class TreeReader {
  readonly #pages: KeptPage[] = []
  readonly #table = new IdTable((index) => this.idOf(index))
  /** Children by the id of the parent that they wait for. */
  readonly #waiting = new Map<string, number[]>()
  readonly #root: string
  #count = 0

  /** `root`: the card whose sub-map is read; its own parent is outside the listing, which is not a problem. */
  constructor(root = '') {
    this.#root = root
  }

  get count(): number {
    return this.#count
  }

  /** `nodeTotal` of the listing, so that room for the ids is made once. */
  expect(total: number): void {
    if (total > 0) this.#table.reserve(Math.min(total, MAX_EXPECTED))
  }

  /** The nodes of a page (spec §2 Mind-map tree); foreign values are taken as they are, and never trusted to have a type. */
  add(nodes: readonly unknown[]): TreeChunk {
    const start = this.#count
    const count = nodes.length
    const parents = new Int32Array(count)
    const idEnds = new Uint32Array(count)
    const titleEnds = new Uint32Array(count)
    const flags = new Uint8Array(count)
    const docPages = new Uint32Array(count)
    const problems: { kind: NodeProblem; index: number }[] = []
    const ids: string[] = []
    const titles: string[] = []
    const parentIds: string[] = []
    let idLength = 0
    let titleLength = 0
    for (let n = 0; n < count; n += 1) {
      const node = fields(nodes[n])
      if (node.malformed) problems.push({ kind: 'malformed-node', index: start + n })
      ids.push(node.id)
      titles.push(node.title)
      parentIds.push(node.parent)
      idEnds[n] = idLength += node.id.length
      titleEnds[n] = titleLength += node.title.length
      if (node.subMap) flags[n] = FLAG_SUB_MAP
      docPages[n] = node.docPage
    }
    const titleText = titles.join('')
    const idText = ids.join('')
    this.#pages.push({ start, ids: idText, idEnds, lowerTitles: titles.map(folded).join(''), titleEnds })
    this.#count += count
    for (let n = 0; n < count; n += 1) {
      const id = ids[n] ?? ''
      if (id !== '' && this.#table.add(id, start + n) !== start + n) {
        flags[n] = (flags[n] ?? 0) | FLAG_DUPLICATE
        problems.push({ kind: 'duplicate-id', index: start + n })
      }
    }
    for (let n = 0; n < count; n += 1) {
      parents[n] = this.#parentOf(parentIds[n] ?? '', ids[n] ?? '', start + n, problems)
    }
    const resolved = this.#resolve(ids, start)
    return {
      start,
      count,
      parents,
      ids: idText,
      idEnds: idEnds.slice(),
      titles: titleText,
      titleEnds: titleEnds.slice(),
      flags,
      docPages,
      resolved,
      problems,
    }
  }

  idOf(index: number): string {
    const page = this.#pageOf(index)
    if (!page) return ''
    const n = index - page.start
    return page.ids.slice(n === 0 ? 0 : page.idEnds[n - 1], page.idEnds[n])
  }

  indexOf(id: string): number {
    return this.#table.find(id)
  }

  /** A card has another title than its page said: from now on it is found by that one. */
  retitle(index: number, title: string): void {
    const page = this.#pageOf(index)
    const n = index - (page?.start ?? 0)
    const end = page?.titleEnds[n]
    if (!page || end === undefined) return
    const start = n === 0 ? 0 : (page.titleEnds[n - 1] ?? 0)
    const lower = folded(title)
    page.lowerTitles = page.lowerTitles.slice(0, start) + lower + page.lowerTitles.slice(end)
    const longer = lower.length - (end - start)
    for (let at = n; at < page.titleEnds.length; at += 1) page.titleEnds[at] = (page.titleEnds[at] ?? 0) + longer
  }

  /** Indexes of nodes whose title contains the text (in any case), or whose id is the text or begins with it; at most `limit`. */
  search(text: string, limit = Number.POSITIVE_INFINITY): Uint32Array {
    const wanted = text.trim()
    if (wanted === '') return new Uint32Array(0)
    const needle = folded(wanted)
    const found: number[] = []
    const exact = this.#table.find(wanted)
    if (exact >= 0) found.push(exact)
    const idNeedles = /^[0-9a-f-]{8,}$/i.test(wanted) ? [wanted.toUpperCase(), wanted.toLowerCase()] : []
    for (const page of this.#pages) {
      searchTitles(page, needle, found, limit)
      for (const idNeedle of idNeedles) searchIds(page, idNeedle, found, limit)
      if (found.length >= limit) break
    }
    return Uint32Array.from(new Set(found)).sort()
  }

  #parentOf(parent: string, id: string, index: number, problems: { kind: NodeProblem; index: number }[]): number {
    if (parent === '') return ROOT
    if (parent === id) {
      problems.push({ kind: 'self-parent', index })
      return ROOT
    }
    const known = this.#table.find(parent)
    if (known >= 0) return known
    if (id === this.#root) return ROOT
    const queue = this.#waiting.get(parent)
    if (queue) queue.push(index)
    else this.#waiting.set(parent, [index])
    return WAITING
  }

  /** Children on earlier pages whose parent is on this one. */
  #resolve(ids: readonly string[], start: number): Int32Array {
    if (this.#waiting.size === 0) return new Int32Array(0)
    const pairs: number[] = []
    ids.forEach((id, n) => {
      const children = this.#waiting.get(id)
      if (!children) return
      this.#waiting.delete(id)
      const parent = this.#table.find(id)
      for (const child of children) pairs.push(child, parent < 0 ? start + n : parent)
    })
    return Int32Array.from(pairs)
  }

  #pageOf(index: number): KeptPage | undefined {
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

interface Fields {
  readonly id: string
  readonly parent: string
  readonly title: string
  readonly subMap: boolean
  readonly docPage: number
  readonly malformed: boolean
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function fields(node: unknown): Fields {
  if (!isObject(node)) {
    return { id: '', parent: '', title: '', subMap: false, docPage: 0, malformed: true }
  }
  const { noteid, parent, title, subMapId, docPage } = node
  const fit = typeof noteid === 'string' && noteid !== '' && isTextOrNone(parent) && isTextOrNone(title)
  const page = typeof docPage === 'number' && docPage > 0 && docPage < 2 ** 32 ? Math.floor(docPage) : 0
  return {
    id: text(noteid),
    parent: text(parent),
    title: text(title),
    subMap: typeof subMapId === 'string' && subMapId !== '',
    docPage: page,
    malformed: !fit,
  }
}

const isTextOrNone = (value: unknown): boolean => value === undefined || value === null || typeof value === 'string'

function searchTitles(page: KeptPage, needle: string, found: number[], limit: number): void {
  const { lowerTitles, titleEnds, start } = page
  let n = 0
  for (let at = lowerTitles.indexOf(needle); at >= 0 && found.length < limit;) {
    while ((titleEnds[n] ?? 0) <= at) n += 1
    const end = titleEnds[n] ?? lowerTitles.length
    // A hit that runs into the next title does not count; the search continues one character further.
    if (at + needle.length <= end) {
      found.push(start + n)
      at = lowerTitles.indexOf(needle, end)
    } else at = lowerTitles.indexOf(needle, at + 1)
  }
}

function searchIds(page: KeptPage, needle: string, found: number[], limit: number): void {
  const { ids, idEnds, start } = page
  let from = 0
  for (let n = 0; n < idEnds.length && found.length < limit; n += 1) {
    if (ids.startsWith(needle, from)) found.push(start + n)
    from = idEnds[n] ?? from
  }
}
