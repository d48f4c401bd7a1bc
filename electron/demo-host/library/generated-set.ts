import { toBookId, mixInteger, createRandom } from './random.ts'
import { sampleSentences } from './data/outlines.ts'
import type { DemoBand, DemoCard, ExcerptRecord } from './model.ts'
import { addParts, createBands, createTags, createVerdict, listVerdictTags } from './small-library.ts'
import { truncateTitle, sortByDocument, type TreeSource } from './tree-source.ts'

/** Words from which the titles of the generated study set are made. */
const chapterTopics = [
  'Cell membrane',
  '细胞膜',
  'Action potential',
  '动作电位',
  'Eigenvalue',
  '特征值',
  'Supply and demand',
  '供给与需求',
  'French Revolution',
  '法国大革命',
  'Photosynthesis',
  '光合作用',
  'Binary search',
  '二分查找',
  'Contract',
  '合同',
  'Metaphor',
  '隐喻',
  'Entropy',
  '熵',
  'Mitosis',
  '有丝分裂',
  'Fourier series',
  '傅里叶级数',
  'Plate tectonics',
  '板块构造',
  'Opportunity cost',
  '机会成本',
  'Sonata form',
  '奏鸣曲式',
  'Titration',
  '滴定',
  'Stoicism',
  '斯多葛主义',
  'Antibody',
  '抗体',
]
const titleAspects = [
  'definition',
  '定义',
  'worked example',
  '例题',
  'proof',
  '证明',
  'history',
  '历史',
  'common mistake',
  '易错点',
  'diagram',
  '图示',
  'exam question',
  '真题',
  'summary',
  '小结',
  'open question',
  '待解决',
  'comparison',
  '对比',
]

const BOOK_COUNT = 4
export const PAGES_PER_GENERATED_BOOK = 300
export const MAX_GENERATED_CARDS = 1_000_000
/** The share of cards with verdicts, with tags of their own, and with bands. */
const PRACTICED_SHARE = 0.05
const TAGGED_SHARE = 0.15
const BANDED_SHARE = 0.06
/** One card in this many is in no document, and one has another color than its parent. */
const NO_DOCUMENT_INTERVAL_CARDS = 5
const OWN_COLOR_INTERVAL_CARDS = 8

/** Only typed arrays and changed cards are stored; all other cards are computed from an index. */
export interface GeneratedSet extends TreeSource {
  readonly topicid: string
  readonly title: string
  readonly books: readonly string[]
  /** Changes to the card are lost unless it comes from `retainCard`. */
  getCard(index: number): DemoCard
  /** The card for a write: it is stored from now on, and the tree shows its changes. */
  retainCard(index: number): DemoCard
  findBandByPhysicalId(physicalNoteId: string): DemoBand | null
  /** The keys are full tag paths. */
  getNoteIdsByTag(): Map<string, string[]>
  /** Returns the total number of excerpts of a document, and the first `maxItems` excerpts. */
  getExcerpts(bookmd5: string, maxItems: number): { total: number; items: ExcerptRecord[] }
}

/** Groups digits with commas, without loading Node's number formatter. */
// A number has few digits.
// eslint-disable-next-line regexp/no-super-linear-move
const formatThousands = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

/** Up to 12 levels deep. Ids contain the index, so a million cards take about 11 MB. */
export function generateStudySet(seed: number, count: number): GeneratedSet {
  const prefix = (mixInteger(seed) >>> 0).toString(16).padStart(8, '0').toUpperCase()
  const parents = new Int32Array(count)
  const depths = new Uint8Array(count)
  const children = new Uint32Array(count)
  fillTreeShape(seed, parents, depths, children)
  const colors = createColors(parents, depths)
  const books = Array.from({ length: count > 0 ? BOOK_COUNT : 0 }, (_, index) => toBookId(seed, `generated-${index}`))
  const idHead = `${prefix}-0000-4000-8000-`
  const toNoteId = (index: number): string => idHead + index.toString(16).toUpperCase().padStart(12, '0')
  const createTitle = (index: number): string => {
    const mixed = mixInteger(index + seed)
    return `${chapterTopics[mixed % chapterTopics.length] ?? ''} · ${titleAspects[(mixed >>> 8) % titleAspects.length] ?? ''} ${index + 1}`
  }
  /** Cards in no document come after the last book. */
  const getPlace = (index: number) => {
    const mixed = mixInteger(index ^ 0x9e3779)
    if ((mixed >>> 16) % NO_DOCUMENT_INTERVAL_CARDS === 0) return { book: BOOK_COUNT, page: 0 }
    return { book: mixed % BOOK_COUNT, page: 1 + ((mixed >>> 4) % PAGES_PER_GENERATED_BOOK) }
  }
  const hasSubMap = (index: number): boolean =>
    depths[index] === 1 && (children[index] ?? 0) > 0 && mixInteger(index) % 40 === 0

  const topicid = `${prefix}-0000-4000-9000-${count.toString(16).toUpperCase().padStart(12, '0')}`
  const toSubMapId = (index: number): string => toNoteId(index).replace('-8000-', '-A000-')
  const retained = new Map<number, DemoCard>()

  const toBandId = (index: number, seq: number): string => toNoteId(index).replace('-8000-', `-C00${seq}-`)

  /** They come first in the stream of a card's random numbers, so that they can be listed alone. */
  function createTagsAndVerdicts(index: number, random: () => number): Pick<DemoCard, 'hashtags' | 'practice'> {
    const practice = random() < PRACTICED_SHARE ? [createVerdict({ topicid, noteid: toNoteId(index) }, random)] : []
    const ownTags = random() < TAGGED_SHARE ? createTags('generated', random) : []
    return { practice, hashtags: [...ownTags, ...practice.flatMap(listVerdictTags)] }
  }

  function createCard(index: number): DemoCard {
    const random = createRandom(mixInteger(index + seed))
    const { book, page } = getPlace(index)
    const id = toNoteId(index)
    const text = sampleSentences[index % sampleSentences.length] ?? ''
    const isExcerpt = book < BOOK_COUNT
    const card: DemoCard = {
      noteid: id,
      topicid,
      parent: (parents[index] ?? -1) < 0 ? null : toNoteId(parents[index] ?? 0),
      title: createTitle(index),
      texts: [
        { index: 0, text: `${createTitle(index)}\n${text}`, excerpt: false, noteid: id, kind: 'text' },
        // Some cards have a text that a band left behind, although their bands are not listed.
        ...(index % 50 === 7 ? [{ index: 3, text: '', excerpt: false, noteid: id, kind: 'blank' }] : []),
        ...(isExcerpt ? [{ index: 4, text, excerpt: true, noteid: id, kind: 'excerpt' }] : []),
      ],
      parts: [],
      ...createTagsAndVerdicts(index, random),
      colorIndex: colors[index] ?? 0,
      fillIndex: (index % 4) - 1,
      revision: 1,
      bands: [],
      subMapId: hasSubMap(index) ? toSubMapId(index) : null,
      folded: false,
      docBookmd5: books[book] ?? null,
      docPage: isExcerpt ? page : null,
    }
    addParts(card, random, String(index))
    if (random() < BANDED_SHARE) card.bands = createBands(card, random)
    for (const band of card.bands) band.physicalNoteId = toBandId(index, band.seq)
    return card
  }

  /** Only the title of a changed card can contain characters that JSON escapes. */
  function toNodeJson(index: number, isDocument: boolean): string {
    const retainedCard = retained.size > 0 ? retained.get(index) : undefined
    const parent = parents[index] ?? -1
    const { book, page } = getPlace(index)
    const isInBook = book < BOOK_COUNT
    const documentMembers = isDocument
      ? `,"docPage":${isInBook ? page : 'null'},"docBookmd5":${isInBook ? `"${books[book] ?? ''}"` : 'null'}`
      : ''
    const subMapId = retainedCard ? retainedCard.subMapId : hasSubMap(index) ? toSubMapId(index) : null
    const parentJson = parent < 0 ? 'null' : `"${toNoteId(parent)}"`
    const titleJson = retainedCard ? JSON.stringify(truncateTitle(retainedCard.title)) : `"${createTitle(index)}"`
    const extraMembers = `${subMapId ? `,"subMapId":"${subMapId}"` : ''}${retainedCard?.folded ? ',"folded":true' : ''}`
    return `{"noteid":"${toNoteId(index)}","parent":${parentJson},"depth":${depths[index] ?? 0},"childCount":${children[index] ?? 0},"title":${titleJson},"colorIndex":${retainedCard?.colorIndex ?? colors[index] ?? 0},"createdAt":"2026-0${1 + (index % 9)}-1${index % 10}T08:00:00Z","lastModifiedAt":"2026-10-2${index % 10}T10:30:00Z"${extraMembers}${documentMembers}}`
  }

  function collectNoteIdsByTag(): Map<string, string[]> {
    const idsByTag = new Map<string, string[]>()
    for (let index = 0; index < count; index += 1) {
      const card = retained.get(index) ?? createTagsAndVerdicts(index, createRandom(mixInteger(index + seed)))
      for (const tag of card.hashtags) {
        const ids = idsByTag.get(tag)
        if (ids) ids.push(toNoteId(index))
        else idsByTag.set(tag, [toNoteId(index)])
      }
    }
    return idsByTag
  }

  function getExcerpts(bookmd5: string, maxItems: number): { total: number; items: ExcerptRecord[] } {
    const bookIndex = books.indexOf(bookmd5)
    const items: ExcerptRecord[] = []
    let total = 0
    for (let index = 0; bookIndex >= 0 && index < count; index += 1) {
      const { book, page } = getPlace(index)
      if (book !== bookIndex) continue
      total += 1
      if (total > maxItems) continue
      const startpos = mixInteger(index) % 900
      items.push({
        noteid: toNoteId(index).replace('-8000-', '-B000-'),
        cardNoteId: toNoteId(index),
        topicid,
        page,
        startpos,
        endpos: startpos + 60,
        text: sampleSentences[index % sampleSentences.length] ?? '',
      })
    }
    return { total, items }
  }

  function findIndex(id: string): number {
    const index = id.startsWith(idHead) && id.length === idHead.length + 12 ? Number.parseInt(id.slice(-12), 16) : -1
    return index >= 0 && index < count && toNoteId(index) === id ? index : -1
  }

  const getCard = (index: number): DemoCard => retained.get(index) ?? createCard(index)

  /** The id of a band that was added later says nothing of its card, which is stored. */
  function findBandByPhysicalId(physicalNoteId: string): DemoBand | null {
    const index = findIndex(physicalNoteId.replace(/-C00\d-/, '-8000-'))
    for (const card of index < 0 ? retained.values() : [getCard(index)]) {
      const band = card.bands.find((candidate) => candidate.physicalNoteId === physicalNoteId)
      if (band) return band
    }
    return null
  }

  return {
    topicid,
    title: `Generated mind map · 生成的脑图 (${formatThousands(count)})`,
    books,
    count,
    getNoteid: toNoteId,
    getParent: (index) => parents[index] ?? -1,
    getDepth: (index) => depths[index] ?? 0,
    getTitle: (index) => retained.get(index)?.title ?? createTitle(index),
    isSubMap: (index) => (retained.has(index) ? retained.get(index)?.subMapId !== null : hasSubMap(index)),
    findIndex,
    getSubtreeEnd(index) {
      const depth = depths[index] ?? 0
      let end = index + 1
      while (end < count && (depths[end] ?? 0) > depth) end += 1
      return end
    },
    toNodeJson,
    getDocumentOrder: () => sortByDocument(count, getPlace),
    getCard,
    findBandByPhysicalId,
    retainCard(index) {
      const card = getCard(index)
      retained.set(index, card)
      return card
    },
    getNoteIdsByTag: collectNoteIdsByTag,
    getExcerpts,
  }
}

/** Builds a tree in preorder: deeper, to a sibling or back up; some cards have hundreds below. */
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

/** A branch mostly has the color of its root's child, and low levels are more frequent. */
function createColors(parents: Int32Array, depths: Uint8Array): Uint8Array {
  const colors = new Uint8Array(parents.length)
  for (let index = 0; index < colors.length; index += 1) {
    const mixed = mixInteger(index ^ 0xc0105)
    const isOwn = (depths[index] ?? 0) < 2 || mixed % OWN_COLOR_INTERVAL_CARDS === 0
    const share = (mixed >>> 8) / 2 ** 24
    colors[index] = isOwn ? Math.floor(share * share * 16) : (colors[parents[index] ?? 0] ?? 0)
  }
  return colors
}
