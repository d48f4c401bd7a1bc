/**
 * The cards of one listing as a forest: who is below whom, in which order, and hashes by which
 * equal subtrees are recognised. Pure: what is read and stored is in electron/services/snapshots.
 * Read this file first, then `compare.ts`.
 */

/** Index of the parent of a card that has none in its listing. */
export const NO_PARENT = -1
const NOT_LISTED = -1

/** None of these keeps a card from being compared. */
export interface ForestAnomalies {
  /** Entries whose id had been listed before; the first one counts. */
  readonly duplicates: number
  /** Cards whose parent is not listed. */
  readonly orphans: number
  /** Circles of parents. Each is cut above its first card in the listing. */
  readonly circles: number
}

/** Cards are numbered in the listing's order, which is also that of the children of a parent. */
export interface CardColumns {
  readonly ids: readonly string[]
  /** As listed; empty for a root. The parent of an orphan is not in `ids`. */
  readonly parentIds: readonly string[]
  /** Canonical JSON of what the listing tells about each card (`card-content.ts`). */
  readonly contents: readonly string[]
}

/** Cards whose parents are known, so that none is looked up by its id. */
export interface LinkedCards extends CardColumns {
  /** `NO_PARENT` for roots and orphans. */
  readonly parents: Int32Array
}

/** Cards most of which are those of an earlier listing. */
export interface DerivedCards extends CardColumns {
  /** Index in the earlier listing of a card with the same id, parent's id and content; else -1. */
  readonly sources: Int32Array
}

/** In a forest, a parent is `NO_PARENT` also where a circle was cut. */
export interface Forest extends LinkedCards {
  readonly count: number
  /** The children of card `i` are `children[childStarts[i + 1]]` up to `childStarts[i + 2]`. */
  readonly childStarts: Uint32Array
  /** The cards without a parent come first. */
  readonly children: Uint32Array
  /** Number of cards in the subtree of each card, the card included. */
  readonly sizes: Uint32Array
  /** Two words for each card. */
  readonly contentHashes: Uint32Array
  /** Two words for each card: a hash of its content, its id, and the id of an unlisted parent. */
  readonly cardHashes: Uint32Array
  /** Two words for each card: a hash of both ids, its content and its subtree in its order. */
  readonly subtreeHashes: Uint32Array
  readonly anomalies: ForestAnomalies
}

/** The two 32-bit halves of a hash of 64 bits. */
type HashWords = Uint32Array<ArrayBuffer>

const HASH_PRIME_A = 0x9e3779b1
const HASH_PRIME_B = 0x85ebca6b

function addText(words: HashWords, text: string): void {
  let a = words[0] ?? 0
  let b = words[1] ?? 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    a = Math.imul(a ^ unit, HASH_PRIME_A)
    b = Math.imul(b ^ unit, HASH_PRIME_B)
    b ^= b >>> 15
  }
  words[0] = a
  words[1] = b
  addWords(words, text.length, 0x27d4eb2f)
}

/** The state is multiplied before the new words join it, so that the two cannot change places. */
function addWords(words: HashWords, first: number, second: number): void {
  let a = words[0] ?? 0
  let b = words[1] ?? 0
  a = Math.imul(a ^ (a >>> 16), HASH_PRIME_B) ^ first
  b = Math.imul(b ^ (b >>> 13), HASH_PRIME_A) ^ second
  words[0] = Math.imul(a ^ (a >>> 15), 0xc2b2ae35) ^ Math.imul(b ^ (b >>> 16), HASH_PRIME_A)
  words[1] = Math.imul(b ^ (b >>> 15), 0x165667b1) ^ Math.imul(a ^ (a >>> 13), HASH_PRIME_B)
}

/** Collects the cards of a listing, page by page. */
export class ForestBuilder {
  readonly #ids: string[] = []
  readonly #parentIds: string[] = []
  readonly #contents: string[] = []
  readonly #indexById = new Map<string, number>()
  #duplicates = 0

  get count(): number {
    return this.#ids.length
  }

  /** @param parentId empty for a root */
  add(noteid: string, parentId: string, content: string): void {
    if (this.#indexById.has(noteid)) {
      this.#duplicates += 1
      return
    }
    this.#indexById.set(noteid, this.#ids.length)
    this.#ids.push(noteid)
    this.#parentIds.push(parentId)
    this.#contents.push(content)
  }

  build(): Forest {
    const [ids, parentIds, contents] = [this.#ids, this.#parentIds, this.#contents]
    const parents = Int32Array.from(parentIds, (id) => (id === '' ? NO_PARENT : (this.#indexById.get(id) ?? NO_PARENT)))
    return linkForest({ ids, parentIds, contents, parents }, this.#duplicates, null)
  }
}

export function buildForest({ ids, parentIds, contents }: CardColumns): Forest {
  const builder = new ForestBuilder()
  for (const [index, noteid] of ids.entries()) builder.add(noteid, parentIds[index] ?? '', contents[index] ?? '')
  return builder.build()
}

/** As `buildForest`, for ids that are unique. */
export function buildLinkedForest({ ids, parentIds, contents, parents }: LinkedCards): Forest {
  return linkForest({ ids, parentIds, contents, parents: parents.slice() }, 0, null)
}

/** Like `buildForest` for unique ids, several times as fast: it reuses parents and hashes. */
export function deriveForest(earlier: Forest, cards: DerivedCards): Forest {
  // If a circle was cut, the earlier forest has other parents than were listed.
  if (earlier.anomalies.circles > 0) return buildForest(cards)
  return linkForest(linkCards(earlier, cards), 0, { forest: earlier, sources: cards.sources })
}

/** Finds the parents of cards with unique ids. Only ids of new and changed cards are looked up. */
export function linkCards(earlier: LinkedCards, { ids, parentIds, contents, sources }: DerivedCards): LinkedCards {
  /** The index of each earlier card in the new listing. */
  const targets = new Int32Array(earlier.ids.length).fill(NOT_LISTED)
  const changedById = new Map<string, number>()
  for (let index = 0; index < ids.length; index += 1) {
    const source = sources[index] ?? NOT_LISTED
    if (source === NOT_LISTED) changedById.set(ids[index] ?? '', index)
    else targets[source] = index
  }
  const otherParentIds = new Set(
    [...changedById.values()].map((index) => parentIds[index] ?? '').filter((id) => !changedById.has(id)),
  )
  const indexById = new Map(changedById)
  for (let index = 0; otherParentIds.size > 0 && index < ids.length; index += 1) {
    if (otherParentIds.has(ids[index] ?? '')) indexById.set(ids[index] ?? '', index)
  }
  const parents = new Int32Array(ids.length).fill(NO_PARENT)
  for (let index = 0; index < ids.length; index += 1) {
    const parentId = parentIds[index] ?? ''
    if (parentId === '') continue
    const source = sources[index] ?? NOT_LISTED
    const oldParent = source === NOT_LISTED ? NO_PARENT : (earlier.parents[source] ?? NO_PARENT)
    const target = oldParent === NO_PARENT ? NOT_LISTED : (targets[oldParent] ?? NOT_LISTED)
    parents[index] = target === NOT_LISTED ? (indexById.get(parentId) ?? NO_PARENT) : target
  }
  return { ids, parentIds, contents, parents }
}

/** Changes `parents` where a circle is cut. */
function linkForest(
  { ids, parentIds, contents, parents }: LinkedCards,
  duplicates: number,
  earlier: KnownHashes | null,
): Forest {
  let orphans = 0
  for (let index = 0; index < ids.length; index += 1) {
    if (parents[index] === NO_PARENT && parentIds[index] !== '') orphans += 1
  }
  const circles = cutCircles(parents)
  const { childStarts, children } = listChildren(parents)
  const order = listParentsFirst(childStarts, children)
  const sizes = computeSizes(parents, order)
  const hashes = computeHashes({ ids, parentIds, contents, parents, childStarts, children, order }, earlier)
  const anomalies = { duplicates, orphans, circles }
  return { count: ids.length, ids, parentIds, contents, parents, childStarts, children, sizes, ...hashes, anomalies }
}

/** Removes one link of each circle. @returns the number of circles */
function cutCircles(parents: Int32Array): number {
  /** The walk in which a card was reached: 0 if it was not. */
  const reachedIn = new Uint32Array(parents.length)
  let circles = 0
  for (let start = 0; start < parents.length; start += 1) {
    const walk = start + 1
    let index = start
    while (index !== NO_PARENT && reachedIn[index] === 0) {
      reachedIn[index] = walk
      index = parents[index] ?? NO_PARENT
    }
    if (index === NO_PARENT || reachedIn[index] !== walk) continue
    circles += 1
    let first = index
    for (let next = parents[index] ?? NO_PARENT; next !== index; next = parents[next] ?? NO_PARENT)
      first = Math.min(first, next)
    parents[first] = NO_PARENT
  }
  return circles
}

function listChildren(parents: Int32Array): Pick<Forest, 'childStarts' | 'children'> {
  const count = parents.length
  const childStarts = new Uint32Array(count + 2)
  // While the children are placed, this array holds where the next child of each card goes.
  const nextPlaces = new Uint32Array(count + 2)
  for (let index = 0; index < count; index += 1) {
    const group = (parents[index] ?? NO_PARENT) + 2
    childStarts[group] = (childStarts[group] ?? 0) + 1
  }
  for (let group = 1; group < count + 2; group += 1) {
    childStarts[group] = (childStarts[group] ?? 0) + (childStarts[group - 1] ?? 0)
  }
  nextPlaces.set(childStarts)
  const children = new Uint32Array(count)
  for (let index = 0; index < count; index += 1) {
    const group = (parents[index] ?? NO_PARENT) + 1
    const place = nextPlaces[group] ?? 0
    children[place] = index
    nextPlaces[group] = place + 1
  }
  return { childStarts, children }
}

/** The place of the first child of a card, or of the cards without a parent, in `children`. */
export function getChildStart({ childStarts }: Pick<Forest, 'childStarts'>, parent: number): number {
  return childStarts[parent + 1] ?? 0
}

export function getChildEnd({ childStarts }: Pick<Forest, 'childStarts'>, parent: number): number {
  return childStarts[parent + 2] ?? 0
}

/** Lists every card after its parent. Iterative, because a tree may be as deep as it is large. */
function listParentsFirst(childStarts: Uint32Array, children: Uint32Array): Uint32Array {
  const order = new Uint32Array(children.length)
  let end = 0
  const addChildren = (parent: number): void => {
    const last = getChildEnd({ childStarts }, parent)
    for (let place = getChildStart({ childStarts }, parent); place < last; place += 1) {
      order[end] = children[place] ?? 0
      end += 1
    }
  }
  addChildren(NO_PARENT)
  for (let place = 0; place < end; place += 1) addChildren(order[place] ?? 0)
  return order
}

function computeSizes(parents: Int32Array, order: Uint32Array): Uint32Array {
  const sizes = new Uint32Array(parents.length).fill(1)
  for (let place = order.length - 1; place >= 0; place -= 1) {
    const index = order[place] ?? 0
    const parent = parents[index] ?? NO_PARENT
    if (parent !== NO_PARENT) sizes[parent] = (sizes[parent] ?? 0) + (sizes[index] ?? 0)
  }
  return sizes
}

interface UnhashedForest extends LinkedCards, Pick<Forest, 'childStarts' | 'children'> {
  readonly order: Uint32Array
}

/** Hashes of an earlier forest, from which equal cards take theirs. */
interface KnownHashes {
  readonly forest: Forest
  readonly sources: Int32Array
}

function computeHashes(
  forest: UnhashedForest,
  earlier: KnownHashes | null,
): Pick<Forest, 'contentHashes' | 'cardHashes' | 'subtreeHashes'> {
  const { children, order } = forest
  const { contentHashes, cardHashes } = computeCardHashes(forest, earlier)
  const subtreeHashes = new Uint32Array(cardHashes.length)
  const words = new Uint32Array(2)
  for (let place = order.length - 1; place >= 0; place -= 1) {
    const index = order[place] ?? 0
    words[0] = cardHashes[index * 2] ?? 0
    words[1] = cardHashes[index * 2 + 1] ?? 0
    const end = getChildEnd(forest, index)
    for (let child = getChildStart(forest, index); child < end; child += 1) {
      const childIndex = children[child] ?? 0
      addWords(words, subtreeHashes[childIndex * 2] ?? 0, subtreeHashes[childIndex * 2 + 1] ?? 0)
    }
    subtreeHashes[index * 2] = words[0] ?? 0
    subtreeHashes[index * 2 + 1] = words[1] ?? 0
  }
  return { contentHashes, cardHashes, subtreeHashes }
}

function computeCardHashes(
  { ids, parentIds, contents, parents }: UnhashedForest,
  earlier: KnownHashes | null,
): Pick<Forest, 'contentHashes' | 'cardHashes'> {
  const contentHashes = new Uint32Array(ids.length * 2)
  const cardHashes = new Uint32Array(ids.length * 2)
  const words = new Uint32Array(2)
  for (let index = 0; index < ids.length; index += 1) {
    const source = earlier?.sources[index] ?? NOT_LISTED
    const isRoot = parents[index] === NO_PARENT
    if (earlier && source !== NOT_LISTED && isRoot === (earlier.forest.parents[source] === NO_PARENT)) {
      for (const half of [0, 1]) {
        contentHashes[index * 2 + half] = earlier.forest.contentHashes[source * 2 + half] ?? 0
        cardHashes[index * 2 + half] = earlier.forest.cardHashes[source * 2 + half] ?? 0
      }
      continue
    }
    words[0] = 0xdeadbeef
    words[1] = 0x41c6ce57
    addText(words, contents[index] ?? '')
    contentHashes.set(words, index * 2)
    addText(words, ids[index] ?? '')
    // Below a listed parent, the parent's own hash covers where the card is.
    addText(words, isRoot ? (parentIds[index] ?? '') : '')
    cardHashes.set(words, index * 2)
  }
  return { contentHashes, cardHashes }
}

/** A text that is equal for equal forests: same cards, contents, parents and order. */
export function getForestHash(forest: Forest): string {
  const words = new Uint32Array([forest.count, 0x51ed270b])
  const end = getChildEnd(forest, NO_PARENT)
  for (let place = getChildStart(forest, NO_PARENT); place < end; place += 1) {
    const index = forest.children[place] ?? 0
    addWords(words, forest.subtreeHashes[index * 2] ?? 0, forest.subtreeHashes[index * 2 + 1] ?? 0)
  }
  return [...words].map((word) => word.toString(16).padStart(8, '0')).join('')
}
