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

const DAY = 86_400_000
/** The library's own present, so that every start produces the same library. */
const TODAY = Date.UTC(2026, 9, 30, 8)

const pick = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)] as T

/** Builds the small study sets, their documents, excerpts and decks; the same seed produces the same library. */
export function buildLibrary(seed: number): DemoLibrary {
  const cards = new Map<string, DemoCard>()
  const books = buildBooks(seed, setOutlines)
  const sets = setOutlines.map((outline, at) => buildSet(outline, at, seed, cards))
  sets.forEach(enrichStudySet)
  sets.push(emptySet(seed))
  const excerpts = new Map<string, ExcerptRecord[]>()
  sets.forEach((set, at) => addExcerpts(set, sets[(at + 1) % 6], excerpts, seed))
  return { sets, books, excerpts, cards, decks: buildDecks(sets, seed) }
}

function emptySet(seed: number): DemoStudySet {
  const topicid = toUuid(`${seed}/empty`)
  return { topicid, title: '新建学习集 Untitled', lastModifiedAt: iso(0), cards: [], documents: [], snapshots: [] }
}

const iso = (daysAgo: number): string => new Date(TODAY - daysAgo * DAY).toISOString()

function buildSet(source: SetOutline, at: number, seed: number, all: Map<string, DemoCard>): DemoStudySet {
  const topicid = toUuid(`${seed}/set/${at}`)
  const random = createRandom(seed + at * 1013)
  const documents = source.documents.map(({ title }) => toBookId(seed, title))
  const set: DemoStudySet = {
    topicid,
    title: source.title,
    lastModifiedAt: iso(at * 3 + random()),
    cards: [],
    documents,
    snapshots: [],
  }
  const path: DemoCard[] = []
  for (const line of source.outline.split('\n')) {
    const depth = (line.length - line.trimStart().length) / 2
    path.length = depth
    const card = addCard(set, all, line.trim(), path[depth - 1] ?? null, source, random)
    path.push(card)
    const count = random() < 0.55 ? 1 + Math.floor(random() * 2.4) : 0
    for (let n = 0; n < count; n += 1) {
      const [en, zh, ja] = pick(followUpTitles, random)
      const prefix = /[぀-ヿ]/.test(source.outline) ? ja : /[一-鿿]/.test(source.title) ? zh : en
      const follow = addCard(set, all, `${prefix}: ${line.trim().slice(0, 40)}`, card, source, random)
      follow.texts.push(text(follow.noteid, 1, pick(sampleSentences, random), true, 'excerpt'))
    }
  }
  set.snapshots = [0, 1].map((n) => ({
    snapshotId: toUuid(`${seed}/snapshot/${at}/${n}`),
    version: 2 - n,
    description: n === 0 ? 'Before the exam' : 'Automatic',
    createdAt: iso(10 + n * 14),
    noteCount: set.cards.length,
  }))
  // The second top-level topic is folded into a sub-map, as a user can do in a host.
  const second = set.cards.filter((card) => card.parent === null)[1]
  if (second) second.subMapId = toUuid(`${second.noteid}/sub-map`)
  return set
}

const text = (noteid: string, index: number, value: string, excerpt: boolean, kind: string) => ({
  noteid,
  index,
  text: value,
  excerpt,
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
    texts: [text(noteid, 0, `${title}\n${pick(sampleSentences, random)}`, false, 'text')],
    parts: [],
    hashtags: tagsFor(set.title, random),
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
  if (random() < 0.16) card.bands = bandsFor(card, random)
  if (random() < 0.12) card.practice = [verdictFor(card, random)]
  for (const verdict of card.practice) {
    card.hashtags.push('#practice/question', `#practice/${verdict.self}`, `#practice/error/${verdict.reason}`)
  }
  set.cards.push(card)
  all.set(noteid, card)
  return card
}

function tagsFor(title: string, random: () => number): string[] {
  const subject = `#${title.split(/[\s&]/)[0] ?? 'study'}`
  const tags: string[] = []
  if (random() < 0.4) tags.push(`${subject}/重点`)
  if (random() < 0.25) tags.push(`${subject}/exam/2026`)
  if (random() < 0.1) tags.push('#review/weekly')
  return tags
}

function addParts(card: DemoCard, random: () => number): void {
  const add = (kind: string, mimeType: string, extra: Partial<DemoCard['parts'][number]> = {}): void => {
    const contentId = `${kind}-${card.noteid.slice(0, 8).toLowerCase()}-${card.parts.length}`
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

function bandsFor(card: DemoCard, random: () => number): DemoBand[] {
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

function verdictFor(card: DemoCard, random: () => number): DemoVerdict {
  const reason = pick(practiceConfig.reasons, random)
  return {
    addon: PRACTICE_ADDON_ID,
    topic: card.topicid,
    card: card.noteid,
    self: pick(['again', 'hard', 'good'], random),
    reason: reason.id,
    reasonLabel: reason.label,
    at: TODAY - Math.floor(random() * 40) * DAY,
  }
}

/** Puts excerpts on the set's documents; every seventh segment also belongs to a second study set, at the same position. */
function addExcerpts(
  set: DemoStudySet,
  other: DemoStudySet | undefined,
  into: Map<string, ExcerptRecord[]>,
  seed: number,
): void {
  const random = createRandom(seed ^ 0x5eed)
  set.cards.forEach((card, at) => {
    if (!card.docBookmd5 || card.docPage === null) return
    const list = into.get(card.docBookmd5) ?? []
    into.set(card.docBookmd5, list)
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
    const twin = other?.cards[at % Math.max(1, other.cards.length)]
    if (at % 7 === 0 && twin) {
      list.push({ ...record, noteid: toUuid(`${record.noteid}/twin`), cardNoteId: twin.noteid, topicid: twin.topicid })
    }
  })
}

function buildDecks(sets: readonly DemoStudySet[], seed: number): DemoLibrary['decks'] {
  return ['Anatomy — daily', 'Calculus formulas', '日本語 N2 語彙'].map((title, at) => {
    const source = sets[[0, 1, 5][at] ?? 0]?.cards.filter((_, n) => n % 9 === 0) ?? []
    return {
      deckId: toUuid(`${seed}/deck/${at}`),
      title,
      lastModifiedAt: iso(at * 2),
      cards: source.map((card, n) => ({
        cardNoteId: toUuid(`${card.noteid}/deck`),
        sourceNoteId: at === 1 && n % 11 === 3 ? toUuid(`${card.noteid}/gone`) : card.noteid,
        title: card.title,
      })),
    }
  })
}
