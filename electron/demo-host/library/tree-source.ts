/** A study set as the card listing reads it: nodes in preorder, each turned into JSON text on demand. */
export interface TreeSource {
  readonly count: number
  noteid(index: number): string
  /** Index of a card, or -1. */
  indexOf(noteid: string): number
  parent(index: number): number
  depth(index: number): number
  titleOf(index: number): string
  isSubMap(index: number): boolean
  /** One past the last card below this one. */
  subtreeEnd(index: number): number
  /** JSON of one node; with `document` it carries docPage and docBookmd5 (spec §2, `sort=document`). */
  nodeJson(index: number, document: boolean): string
  /** Indexes in document order. */
  documentOrder(): Uint32Array
}

/** Titles in a tree are cut at this length (observed-0.49). */
const TITLE_CUT = 64

export const cutTitle = (title: string): string => {
  const chars = [...title]
  return chars.length > TITLE_CUT ? chars.slice(0, TITLE_CUT).join('') : title
}

/** Sorts indexes by (document, page, index) through a single float key, which a typed array sorts natively. */
export function sortByDocument(count: number, place: (index: number) => { book: number; page: number }): Uint32Array {
  const keys = new Float64Array(count)
  for (let index = 0; index < count; index += 1) {
    const { book, page } = place(index)
    keys[index] = (book * 4096 + page) * 8_388_608 + index
  }
  keys.sort()
  return Uint32Array.from(keys, (key) => key % 8_388_608)
}
