import type { DemoStudySet } from './model.ts'

/** A study set as the card listing reads it: nodes in preorder, made JSON text on demand. */
export interface TreeSource {
  readonly count: number
  getNoteid(index: number): string
  /** Returns the index of a card, or -1. */
  findIndex(noteid: string): number
  getParent(index: number): number
  getDepth(index: number): number
  getTitle(index: number): string
  isSubMap(index: number): boolean
  /** Returns the index after the last card below the given card. */
  getSubtreeEnd(index: number): number
  /** Writes one node; with `document` also docPage and docBookmd5 (spec §2, `sort=document`). */
  toNodeJson(index: number, document: boolean): string
  getDocumentOrder(): Uint32Array
}

/** Titles in a tree are cut at this length (observed-0.49). */
const MAX_TITLE_CHARS = 64

export function truncateTitle(title: string): string {
  const chars = [...title]
  return chars.length > MAX_TITLE_CHARS ? chars.slice(0, MAX_TITLE_CHARS).join('') : title
}

/** Sorts by document, page and index in one float key: typed arrays sort numbers natively. */
export function sortByDocument(count: number, place: (index: number) => { book: number; page: number }): Uint32Array {
  const keys = new Float64Array(count)
  for (let index = 0; index < count; index += 1) {
    const { book, page } = place(index)
    keys[index] = (book * 4096 + page) * 8_388_608 + index
  }
  keys.sort()
  return Uint32Array.from(keys, (key) => key % 8_388_608)
}

export function createSetTree(set: DemoStudySet): TreeSource {
  const { cards } = set
  const indexById = new Map(cards.map((card, index) => [card.noteid, index]))
  const parents = Int32Array.from(cards, (card) => (card.parent === null ? -1 : (indexById.get(card.parent) ?? -1)))
  const depths = new Uint8Array(cards.length)
  const children = new Uint32Array(cards.length)
  parents.forEach((parent, index) => {
    if (parent < 0) return
    depths[index] = (depths[parent] ?? 0) + 1
    children[parent] = (children[parent] ?? 0) + 1
  })
  return {
    count: cards.length,
    getNoteid: (index) => cards[index]?.noteid ?? '',
    findIndex: (noteid) => indexById.get(noteid) ?? -1,
    getParent: (index) => parents[index] ?? -1,
    getDepth: (index) => depths[index] ?? 0,
    getTitle: (index) => cards[index]?.title ?? '',
    isSubMap: (index) => (cards[index]?.subMapId ?? null) !== null,
    getSubtreeEnd(index) {
      let end = index + 1
      while (end < cards.length && (depths[end] ?? 0) > (depths[index] ?? 0)) end += 1
      return end
    },
    toNodeJson(index, document) {
      const card = cards[index]
      if (!card) return '{}'
      return JSON.stringify({
        noteid: card.noteid,
        parent: card.parent,
        depth: depths[index],
        childCount: children[index],
        title: truncateTitle(card.title),
        colorIndex: card.colorIndex,
        ...(card.subMapId ? { subMapId: card.subMapId } : {}),
        ...(card.folded ? { folded: true } : {}),
        ...(document ? { docPage: card.docPage, docBookmd5: card.docBookmd5 } : {}),
      })
    },
    getDocumentOrder: () =>
      sortByDocument(cards.length, (index) => {
        const { docBookmd5, docPage } = cards[index] ?? {}
        const book = set.documents.indexOf(docBookmd5 ?? '')
        return { book: book < 0 ? 4000 : book, page: docPage ?? 4000 }
      }),
  }
}
