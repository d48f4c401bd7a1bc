import type { DemoStudySet } from './model.ts'
import { cutTitle, sortByDocument, type TreeSource } from './tree-source.ts'

/** The card listing of a small study set, as it is now. */
export function setTree(set: DemoStudySet): TreeSource {
  const { cards } = set
  const at = new Map(cards.map((card, index) => [card.noteid, index]))
  const parents = Int32Array.from(cards, (card) => (card.parent === null ? -1 : (at.get(card.parent) ?? -1)))
  const depths = new Uint8Array(cards.length)
  const children = new Uint32Array(cards.length)
  parents.forEach((parent, index) => {
    if (parent < 0) return
    depths[index] = (depths[parent] ?? 0) + 1
    children[parent] = (children[parent] ?? 0) + 1
  })
  return {
    count: cards.length,
    noteid: (index) => cards[index]?.noteid ?? '',
    indexOf: (noteid) => at.get(noteid) ?? -1,
    parent: (index) => parents[index] ?? -1,
    depth: (index) => depths[index] ?? 0,
    titleOf: (index) => cards[index]?.title ?? '',
    isSubMap: (index) => (cards[index]?.subMapId ?? null) !== null,
    subtreeEnd(index) {
      let end = index + 1
      while (end < cards.length && (depths[end] ?? 0) > (depths[index] ?? 0)) end += 1
      return end
    },
    nodeJson(index, document) {
      const card = cards[index]
      if (!card) return '{}'
      return JSON.stringify({
        noteid: card.noteid,
        parent: card.parent,
        depth: depths[index],
        childCount: children[index],
        title: cutTitle(card.title),
        colorIndex: card.colorIndex,
        ...(card.subMapId ? { subMapId: card.subMapId } : {}),
        ...(card.folded ? { folded: true } : {}),
        ...(document ? { docPage: card.docPage, docBookmd5: card.docBookmd5 } : {}),
      })
    },
    documentOrder: () =>
      sortByDocument(cards.length, (index) => {
        const { docBookmd5, docPage } = cards[index] ?? {}
        const book = set.documents.indexOf(docBookmd5 ?? '')
        return { book: book < 0 ? 4000 : book, page: docPage ?? 4000 }
      }),
  }
}
