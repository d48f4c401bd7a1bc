import { followUpTitles, setOutlines, sampleSentences, type SetOutline } from './data/outlines.ts'
import { toBookId, createRandom, toUuid } from './random.ts'
import { buildBooks } from './books.ts'
import { enrichStudySet } from './enrichment.ts'
import {
  type DemoBand,
  type DemoCard,
  type ExcerptRecord,
  type DemoLibrary,
  type DemoStudySet,
  type DemoVerdict,
  PRACTICE_ADDON_ID,
  practiceConfig,
} from './model.ts'

const DAY_MS = 86_400_000
/** The library's current time, fixed so that every start produces the same library. */
const TODAY_MS = Date.UTC(2026, 9, 30, 8)

const pick = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)] as T

/** Builds the small study sets with their documents, excerpts and decks. */
export function buildLibrary(seed: number): DemoLibrary {
  const cards = new Map<string, DemoCard>()
  const books = buildBooks(seed, setOutlines)
  const sets = setOutlines.map((outline, index) => buildSet(outline, index, seed, cards))
  sets.forEach(enrichStudySet)
  sets.push(createEmptySet(seed))
  const excerpts = new Map<string, ExcerptRecord[]>()
  sets.forEach((set, index) => addExcerpts(set, sets[(index + 1) % 6], excerpts, seed))
  return { sets, books, excerpts, cards, decks: buildDecks(sets, seed) }
}

function createEmptySet(seed: number): DemoStudySet {
  const topicid = toUuid(`${seed}/empty`)
  return {
    topicid,
    title: '新建学习集 Untitled',
    lastModifiedAt: toIsoDate(0),
    cards: [],
    documents: [],
    snapshots: [],
  }
}

const toIsoDate = (daysAgo: number): string => new Date(TODAY_MS - daysAgo * DAY_MS).toISOString()

function buildSet(source: SetOutline, setIndex: number, seed: number, allCards: Map<string, DemoCard>): DemoStudySet {
  const topicid = toUuid(`${seed}/set/${setIndex}`)
  const random = createRandom(seed + setIndex * 1013)
  const documents = source.documents.map(({ title }) => toBookId(seed, title))
  const set: DemoStudySet = {
    topicid,
    title: source.title,
    lastModifiedAt: toIsoDate(setIndex * 3 + random()),
    cards: [],
    documents,
    snapshots: [],
  }
  const path: DemoCard[] = []
  for (const line of source.outline.split('\n')) {
    const depth = (line.length - line.trimStart().length) / 2
    path.length = depth
    const card = addCard(set, allCards, line.trim(), path[depth - 1] ?? null, source, random)
    path.push(card)
    const count = random() < 0.55 ? 1 + Math.floor(random() * 2.4) : 0
    for (let n = 0; n < count; n += 1) {
      const [en, zh, ja] = pick(followUpTitles, random)
      const prefix = /[぀-ヿ]/.test(source.outline) ? ja : /[一-鿿]/.test(source.title) ? zh : en
      const followUp = addCard(set, allCards, `${prefix}: ${line.trim().slice(0, 40)}`, card, source, random)
      followUp.texts.push(createText(followUp.noteid, 1, pick(sampleSentences, random), true, 'excerpt'))
    }
  }
  set.snapshots = [0, 1].map((n) => ({
    snapshotId: toUuid(`${seed}/snapshot/${setIndex}/${n}`),
    version: 2 - n,
    description: n === 0 ? 'Before the exam' : 'Automatic',
    createdAt: toIsoDate(10 + n * 14),
    noteCount: set.cards.length,
  }))
  // The second top-level topic is folded into a sub-map, as a user can do in a host.
  const second = set.cards.filter((card) => card.parent === null)[1]
  if (second) second.subMapId = toUuid(`${second.noteid}/sub-map`)
  return set
}

const createText = (noteid: string, index: number, value: string, isExcerpt: boolean, kind: string) => ({
  noteid,
  index,
  text: value,
  excerpt: isExcerpt,
  kind,
})

function addCard(
  set: DemoStudySet,
  all: Map<string, DemoCard>,
  title: string,
  parent: DemoCard | null,
  source: SetOutline,
  random: () => number,
): DemoCard {
  const noteid = toUuid(`${set.topicid}/${set.cards.length}`)
  const book = Math.floor(random() * set.documents.length)
  const pages = source.documents[book]?.pages ?? 1
  const card: DemoCard = {
    noteid,
    topicid: set.topicid,
    parent: parent?.noteid ?? null,
    title,
    texts: [createText(noteid, 0, `${title}\n${pick(sampleSentences, random)}`, false, 'text')],
    parts: [],
    hashtags: createTags(set.title, random),
    colorIndex: Math.floor(random() * 16),
    fillIndex: pick([-1, 0, 1, 2], random),
    revision: 1 + Math.floor(random() * 9),
    bands: [],
    practice: [],
    subMapId: null,
    folded: false,
    docBookmd5: random() < 0.8 ? (set.documents[book] ?? null) : null,
    docPage: null,
  }
  if (card.docBookmd5) card.docPage = 1 + Math.floor(random() * pages)
  addParts(card, random)
  if (random() < 0.16) card.bands = createBands(card, random)
  if (random() < 0.12) card.practice = [createVerdict(card, random)]
  card.hashtags.push(...card.practice.flatMap(listVerdictTags))
  set.cards.push(card)
  all.set(noteid, card)
  return card
}

export function createTags(title: string, random: () => number): string[] {
  const subject = `#${title.split(/[\s&]/)[0] ?? 'study'}`
  const tags: string[] = []
  if (random() < 0.4) tags.push(`${subject}/重点`)
  if (random() < 0.25) tags.push(`${subject}/exam/2026`)
  if (random() < 0.1) tags.push('#review/weekly')
  return tags
}

/** @param key of the card in the ids of its parts */
export function addParts(card: DemoCard, random: () => number, key = card.noteid.slice(0, 8).toLowerCase()): void {
  const add = (kind: string, mimeType: string, extra: Partial<DemoCard['parts'][number]> = {}): void => {
    const contentId = `${kind}-${key}-${card.parts.length}`
    card.parts.push({ contentId, kind, mimeType, seed: Math.floor(random() * 1e9), ...extra })
  }
  if (random() < 0.35) add('ink', 'image/png')
  if (random() < 0.2) add('excerpt_image', 'image/png', { ocrText: pick(sampleSentences, random) })
  if (random() < 0.14) {
    const masks = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, index) => ({
      index,
      rect: [0.1 + index * 0.28, 0.25 + random() * 0.3, 0.2, 0.12] as const,
      ...(index > 0 ? { group: 'labels' } : {}),
    }))
    add('image', 'image/png', { masks })
  }
  if (random() < 0.05) add('audio', 'audio/wav')
  if (random() < 0.03) add('video', 'video/webm')
}

export function createBands(card: DemoCard, random: () => number): DemoBand[] {
  return Array.from({ length: 1 + Math.floor(random() * 3) }, (_, seq) => {
    const hasInk = random() < 0.6
    return {
      noteid: card.noteid,
      closed: random() < 0.3,
      owner: random() < 0.5 ? PRACTICE_ADDON_ID : 'user',
      blankPageNo: seq + 1,
      hasInk,
      seq,
      live: random() < 0.8,
      inkParts: hasInk ? 1 + Math.floor(random() * 4) : 0,
      height: pick([120, 240, 360, 600], random),
      physicalNoteId: toUuid(`${card.noteid}/band/${seq}`),
      role: seq === 0 ? 'practice' : pick(['practice', 'scratch'], random),
      pageNo: seq + 1,
    }
  })
}

export function listVerdictTags({ self, reason }: DemoVerdict): string[] {
  return ['#practice/question', `#practice/${self}`, `#practice/error/${reason}`]
}

export function createVerdict(card: Pick<DemoCard, 'topicid' | 'noteid'>, random: () => number): DemoVerdict {
  const reason = pick(practiceConfig.reasons, random)
  return {
    addon: PRACTICE_ADDON_ID,
    topic: card.topicid,
    card: card.noteid,
    self: pick(['again', 'hard', 'good'], random),
    reason: reason.id,
    reasonLabel: reason.label,
    at: TODAY_MS - Math.floor(random() * 40) * DAY_MS,
  }
}

/** Every seventh excerpt also belongs to a second study set, at the same position. */
function addExcerpts(
  set: DemoStudySet,
  other: DemoStudySet | undefined,
  excerptsByBook: Map<string, ExcerptRecord[]>,
  seed: number,
): void {
  const random = createRandom(seed ^ 0x5eed)
  set.cards.forEach((card, index) => {
    if (!card.docBookmd5 || card.docPage === null) return
    const list = excerptsByBook.get(card.docBookmd5) ?? []
    excerptsByBook.set(card.docBookmd5, list)
    const startpos = Math.floor(random() * 900)
    const record: ExcerptRecord = {
      noteid: toUuid(`${card.noteid}/record`),
      cardNoteId: card.noteid,
      topicid: set.topicid,
      page: card.docPage,
      startpos,
      endpos: startpos + 20 + Math.floor(random() * 160),
      text: card.texts.at(-1)?.text ?? card.title,
    }
    list.push(record)
    const twin = other?.cards[index % Math.max(1, other.cards.length)]
    if (index % 7 === 0 && twin) {
      list.push({ ...record, noteid: toUuid(`${record.noteid}/twin`), cardNoteId: twin.noteid, topicid: twin.topicid })
    }
  })
}

function buildDecks(sets: readonly DemoStudySet[], seed: number): DemoLibrary['decks'] {
  return ['Anatomy — daily', 'Calculus formulas', '日本語 N2 語彙'].map((title, deckIndex) => {
    const source = sets[[0, 1, 5][deckIndex] ?? 0]?.cards.filter((_, n) => n % 9 === 0) ?? []
    return {
      deckId: toUuid(`${seed}/deck/${deckIndex}`),
      title,
      lastModifiedAt: toIsoDate(deckIndex * 2),
      cards: source.map((card, n) => ({
        cardNoteId: toUuid(`${card.noteid}/deck`),
        sourceNoteId: deckIndex === 1 && n % 11 === 3 ? toUuid(`${card.noteid}/gone`) : card.noteid,
        title: card.title,
      })),
    }
  })
}
