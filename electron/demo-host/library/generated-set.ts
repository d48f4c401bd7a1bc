import { toBookId, mixInteger, createRandom } from './random.ts'
import { titleAspects, chapterTopics } from './data/generated-titles.ts'
import { sampleSentences } from './data/outlines.ts'
import type { DemoCard, ExcerptRecord } from './model.ts'
import { truncateTitle, sortByDocument, type TreeSource } from './tree-source.ts'

const BOOK_COUNT = 4
/** Number of pages of each of its documents. */
export const PAGES_PER_GENERATED_BOOK = 300
/** One card in this many has the tag. */
const TAG_INTERVAL_CARDS = 1000
const GENERATED_TAG = '#generated/重点'

/** The generated study set: only typed arrays and changed cards are kept; everything else is computed from an index. */
export interface GeneratedSet extends TreeSource {
  readonly topicid: string
  readonly title: string
  readonly books: readonly string[]
  /** A card as it is now; changes to it are lost unless it was obtained with `keep`. */
  getCard(index: number): DemoCard
  /** The card for a write: from now on it is kept, and the tree shows its changes. */
  retainCard(index: number): DemoCard
  /** The cards that have each full tag path. */
  getNoteIdsByTag(): Map<string, string[]>
  /** How many excerpts a document has, and the first `most` of them. */
  getExcerpts(bookmd5: string, most: number): { total: number; items: ExcerptRecord[] }
}

/** With commas, as in English, without loading Node's formatter of numbers for one. */
const formatThousands = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

/**
 * A mind map of `count` cards, up to 12 levels deep, with a few cards that have hundreds of children. Ids contain the index, so no table
 * of ids is needed; a million cards take about 10 MB.
 */
export function generateStudySet(seed: number, count: number): GeneratedSet {
  const prefix = (mixInteger(seed) >>> 0).toString(16).padStart(8, '0').toUpperCase()
  const parents = new Int32Array(count)
  const depths = new Uint8Array(count)
  const children = new Uint32Array(count)
  fillTreeShape(seed, parents, depths, children)
  const books = Array.from({ length: BOOK_COUNT }, (_, at) => toBookId(seed, `generated-${at}`))
  const idHead = `${prefix}-0000-4000-8000-`
  const noteid = (index: number): string => idHead + index.toString(16).toUpperCase().padStart(12, '0')
  const title = (index: number): string => {
    const mixed = mixInteger(index + seed)
    return `${chapterTopics[mixed % chapterTopics.length] ?? ''} · ${titleAspects[(mixed >>> 8) % titleAspects.length] ?? ''} ${index + 1}`
  }
  const place = (index: number) => {
    const mixed = mixInteger(index ^ 0x9e3779)
    return { book: mixed % BOOK_COUNT, page: 1 + ((mixed >>> 4) % PAGES_PER_GENERATED_BOOK) }
  }
  const subMap = (index: number): boolean =>
    depths[index] === 1 && (children[index] ?? 0) > 0 && mixInteger(index) % 40 === 0

  const topicid = `${prefix}-0000-4000-9000-${count.toString(16).toUpperCase().padStart(12, '0')}`
  const subMapId = (index: number): string => noteid(index).replace('-8000-', '-A000-')
  const kept = new Map<number, DemoCard>()

  function make(index: number): DemoCard {
    const { book, page } = place(index)
    const id = noteid(index)
    const text = sampleSentences[index % sampleSentences.length] ?? ''
    return {
      noteid: id,
      topicid,
      parent: (parents[index] ?? -1) < 0 ? null : noteid(parents[index] ?? 0),
      title: title(index),
      texts: [
        { index: 0, text: `${title(index)}\n${text}`, excerpt: false, noteid: id, kind: 'text' },
        // The trace of a band, on cards whose bands are not listed.
        ...(index % 50 === 7 ? [{ index: 3, text: '', excerpt: false, noteid: id, kind: 'blank' }] : []),
      ],
      parts: index % 5 === 0 ? [{ contentId: `ink-${index}`, kind: 'ink', mimeType: 'image/png', seed: index }] : [],
      hashtags: index % TAG_INTERVAL_CARDS === 0 ? [GENERATED_TAG] : [],
      colorIndex: index % 16,
      fillIndex: (index % 4) - 1,
      revision: 1,
      bands: [],
      practice: [],
      subMapId: subMap(index) ? subMapId(index) : null,
      folded: false,
      docBookmd5: books[book] ?? null,
      docPage: page,
    }
  }

  /** Only the title of a changed card can hold characters that JSON escapes; the generated words need none. */
  function nodeJson(index: number, document: boolean): string {
    const changed = kept.size > 0 ? kept.get(index) : undefined
    const parent = parents[index] ?? -1
    const { book, page } = place(index)
    const where = document ? `,"docPage":${page},"docBookmd5":"${books[book] ?? ''}"` : ''
    const sub = changed ? changed.subMapId : subMap(index) ? subMapId(index) : null
    const up = parent < 0 ? 'null' : `"${noteid(parent)}"`
    const shown = changed ? JSON.stringify(truncateTitle(changed.title)) : `"${title(index)}"`
    const more = `${sub ? `,"subMapId":"${sub}"` : ''}${changed?.folded ? ',"folded":true' : ''}`
    return `{"noteid":"${noteid(index)}","parent":${up},"depth":${depths[index] ?? 0},"childCount":${children[index] ?? 0},"title":${shown},"colorIndex":${changed?.colorIndex ?? index % 16},"createdAt":"2026-0${1 + (index % 9)}-1${index % 10}T08:00:00Z","lastModifiedAt":"2026-10-2${index % 10}T10:30:00Z"${more}${where}}`
  }

  function tagged(): Map<string, string[]> {
    const found = new Map<string, string[]>()
    const add = (card: DemoCard): void => {
      for (const tag of card.hashtags) found.set(tag, [...(found.get(tag) ?? []), card.noteid])
    }
    const plain: string[] = []
    for (let index = 0; index < count; index += TAG_INTERVAL_CARDS) if (!kept.has(index)) plain.push(noteid(index))
    if (plain.length > 0) found.set(GENERATED_TAG, plain)
    for (const card of kept.values()) add(card)
    return found
  }

  function excerpts(bookmd5: string, most: number): { total: number; items: ExcerptRecord[] } {
    const wanted = books.indexOf(bookmd5)
    const items: ExcerptRecord[] = []
    let total = 0
    for (let index = 0; wanted >= 0 && index < count; index += 1) {
      const { book, page } = place(index)
      if (book !== wanted) continue
      total += 1
      if (total > most) continue
      const startpos = mixInteger(index) % 900
      items.push({
        noteid: noteid(index).replace('-8000-', '-B000-'),
        cardNoteId: noteid(index),
        topicid,
        page,
        startpos,
        endpos: startpos + 60,
        text: sampleSentences[index % sampleSentences.length] ?? '',
      })
    }
    return { total, items }
  }

  return {
    topicid,
    title: `Generated mind map · 生成的脑图 (${formatThousands(count)})`,
    books,
    count,
    getNoteid: noteid,
    getParent: (index) => parents[index] ?? -1,
    getDepth: (index) => depths[index] ?? 0,
    getTitle: (index) => kept.get(index)?.title ?? title(index),
    isSubMap: (index) => (kept.has(index) ? kept.get(index)?.subMapId !== null : subMap(index)),
    findIndex(id) {
      const index = id.startsWith(idHead) && id.length === idHead.length + 12 ? Number.parseInt(id.slice(-12), 16) : -1
      return index >= 0 && index < count && noteid(index) === id ? index : -1
    },
    getSubtreeEnd(index) {
      const depth = depths[index] ?? 0
      let end = index + 1
      while (end < count && (depths[end] ?? 0) > depth) end += 1
      return end
    },
    toNodeJson: nodeJson,
    getDocumentOrder: () => sortByDocument(count, place),
    getCard: (index) => kept.get(index) ?? make(index),
    retainCard(index) {
      const card = kept.get(index) ?? make(index)
      kept.set(index, card)
      return card
    },
    getNoteIdsByTag: tagged,
    getExcerpts: excerpts,
  }
}

/** Fills in a preorder walk: deeper, to a sibling, or back up, with an occasional card that collects hundreds of children. */
function fillTreeShape(seed: number, parents: Int32Array, depths: Uint8Array, children: Uint32Array): void {
  const random = createRandom(seed)
  const path: number[] = []
  let flat = 0
  for (let index = 0; index < parents.length; index += 1) {
    let depth = path.length
    if (flat > 0) {
      flat -= 1
      depth = Math.max(1, path.length - 1)
    } else {
      const dice = random()
      if (depth >= 12 || (dice > 0.42 && depth > 1)) depth -= dice > 0.8 ? 1 + Math.floor(random() * (depth - 1)) : 1
      if (depth === 1 && random() < 0.02) depth = 0
      if (random() < 0.0004) flat = 100 + Math.floor(random() * 500)
    }
    if (index === 0) depth = 0
    path.length = Math.min(path.length, Math.max(0, depth))
    const parent = path[path.length - 1] ?? -1
    parents[index] = parent
    depths[index] = path.length
    if (parent >= 0) children[parent] = (children[parent] ?? 0) + 1
    path.push(index)
  }
}
