import { bookId } from './book-id.ts'
import { sentences } from './data/outlines.ts'
import type { Card } from './model.ts'
import { mix, randomFrom } from './random.ts'
import { sortByDocument, type TreeSource } from './tree-source.ts'

const topics = [
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
const aspects = [
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

const BOOKS = 4
const PAGES = 300

/** The generated study set: nothing but typed arrays is kept, everything else is made from a card's index. */
export interface GeneratedSet extends TreeSource {
  readonly topicid: string
  readonly title: string
  readonly books: readonly string[]
  card(index: number): Card
}

/**
 * A mind map of `count` cards, up to 12 levels deep, with a few cards of hundreds of children. Ids carry the index, so that no
 * table of ids is needed; a million cards take about 10 MB.
 */
export function generateSet(seed: number, count: number): GeneratedSet {
  const prefix = (mix(seed) >>> 0).toString(16).padStart(8, '0').toUpperCase()
  const parents = new Int32Array(count)
  const depths = new Uint8Array(count)
  const children = new Uint32Array(count)
  shape(seed, parents, depths, children)
  const books = Array.from({ length: BOOKS }, (_, at) => bookId(seed, `generated-${at}`))
  const idHead = `${prefix}-0000-4000-8000-`
  const noteid = (index: number): string => idHead + index.toString(16).toUpperCase().padStart(12, '0')
  const title = (index: number): string => {
    const mixed = mix(index + seed)
    return `${topics[mixed % topics.length] ?? ''} · ${aspects[(mixed >>> 8) % aspects.length] ?? ''} ${index + 1}`
  }
  const place = (index: number) => {
    const mixed = mix(index ^ 0x9e3779)
    return { book: mixed % BOOKS, page: 1 + ((mixed >>> 4) % PAGES) }
  }
  const subMap = (index: number): boolean => depths[index] === 1 && (children[index] ?? 0) > 0 && mix(index) % 40 === 0

  return {
    topicid: `${prefix}-0000-4000-9000-${count.toString(16).toUpperCase().padStart(12, '0')}`,
    title: `Generated mind map · 生成的脑图 (${count.toLocaleString('en-US')})`,
    books,
    count,
    noteid,
    parent: (index) => parents[index] ?? -1,
    depth: (index) => depths[index] ?? 0,
    indexOf(id) {
      const index = id.startsWith(idHead) && id.length === idHead.length + 12 ? Number.parseInt(id.slice(-12), 16) : -1
      return index >= 0 && index < count && noteid(index) === id ? index : -1
    },
    subtreeEnd(index) {
      const depth = depths[index] ?? 0
      let end = index + 1
      while (end < count && (depths[end] ?? 0) > depth) end += 1
      return end
    },
    nodeJson(index, document) {
      const parent = parents[index] ?? -1
      const { book, page } = place(index)
      const where = document ? `,"docPage":${page},"docBookmd5":"${books[book] ?? ''}"` : ''
      const sub = subMap(index) ? `,"subMapId":"${noteid(index).replace('-8000-', '-A000-')}"` : ''
      const up = parent < 0 ? 'null' : `"${noteid(parent)}"`
      return `{"noteid":"${noteid(index)}","parent":${up},"depth":${depths[index] ?? 0},"childCount":${children[index] ?? 0},"title":"${title(index)}","colorIndex":${index % 16},"createdAt":"2026-0${1 + (index % 9)}-1${index % 10}T08:00:00Z","lastModifiedAt":"2026-10-2${index % 10}T10:30:00Z"${sub}${where}}`
    },
    documentOrder: () => sortByDocument(count, place),
    card(index) {
      const { book, page } = place(index)
      const id = noteid(index)
      const text = sentences[index % sentences.length] ?? ''
      return {
        noteid: id,
        topicid: '',
        parent: (parents[index] ?? -1) < 0 ? null : noteid(parents[index] ?? 0),
        title: title(index),
        texts: [{ index: 0, text: `${title(index)}\n${text}`, excerpt: false, noteid: id, kind: 'text' }],
        parts: index % 5 === 0 ? [{ contentId: `ink-${index}`, kind: 'ink', mimeType: 'image/png', seed: index }] : [],
        hashtags: index % 4 === 0 ? ['#generated/重点'] : [],
        colorIndex: index % 16,
        fillIndex: (index % 4) - 1,
        revision: 1,
        bands: [],
        practice: [],
        subMapId: subMap(index) ? id.replace('-8000-', '-A000-') : null,
        docBookmd5: books[book] ?? null,
        docPage: page,
      }
    },
  }
}

/** Fills in a preorder walk: deeper, beside, or back up; here and there a card that collects hundreds of children. */
function shape(seed: number, parents: Int32Array, depths: Uint8Array, children: Uint32Array): void {
  const random = randomFrom(seed)
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
