import { randomUUID } from 'node:crypto'
import {
  bookOf,
  cardOf,
  findCard,
  isGenerated,
  namedIds,
  setOf,
  setToChange,
  type DemoState,
  type Routes,
} from '../context.ts'
import { excerptsOf } from '../excerpts.ts'
import type { Card } from '../library/model.ts'
import { DemoError, json } from '../reply.ts'

const matches = (title: string, query: string | undefined): boolean =>
  query === undefined || title.toLowerCase().includes(query.toLowerCase())

const hex = (n: number): string => Math.round(n).toString(16).padStart(2, '0')

/** A colour level: spread over the hues, a little darker where the theme is dark. */
function colorOf(level: number, lightness: number) {
  const hue = level / 16
  const channel = (shift: number): number => {
    const k = (shift + hue * 12) % 12
    const a = 0.62 * Math.min(lightness, 1 - lightness)
    return Math.round(255 * (lightness - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  }
  const [r, g, b] = [channel(0), channel(8), channel(4)]
  return { hex: `#${hex(r)}${hex(g)}${hex(b)}`.toUpperCase(), rgba: { r, g, b, a: 1 } }
}

/** Study sets, palettes and decks. */
export const libraryRoutes: Routes = {
  'studySets.list'(state, { query }) {
    const small = state.library.sets.map((set) => ({
      topicid: set.topicid,
      title: set.title,
      noteCount: set.cards.length,
      documentCount: set.documents.length,
      lastModifiedAt: set.lastModifiedAt,
    }))
    const { topicid, title, count, books } = state.generated
    const large = {
      topicid,
      title,
      noteCount: count,
      documentCount: books.length,
      lastModifiedAt: '2026-10-29T20:15:00.000Z',
    }
    return json({ studySets: [...small, large].filter((set) => matches(set.title, query['query'])) })
  },

  'studySets.palette'(state, { params }) {
    const generated = isGenerated(state, params['topicid'])
    const { topicid, title } = generated ? state.generated : setOf(state, params['topicid'])
    const colors = Array.from({ length: 16 }, (_, colorIndex) => ({
      colorIndex,
      baseColor: colorOf(colorIndex, 0.78),
      displayColor: colorOf(colorIndex, 0.82),
    }))
    const source = generated ? 'study-set' : 'default'
    return json({ studySetId: topicid, title, count: colors.length, source, appearance: 'light', colors })
  },

  'studySets.documents'(state, { params }) {
    const ids = documentsOf(state, params['topicid'])
    const documents = ids.flatMap((bookmd5, at) => {
      const book = state.library.books.get(bookmd5)
      if (!book) return []
      return {
        bookmd5,
        title: book.title,
        sourceState: book.sourceState,
        main: at === 0,
        pageCount: book.pages.length,
        excerptCount: excerptsOf(state, bookmd5, null, 0).total,
      }
    })
    return json({ documents, mainDocument: ids[0] ?? null })
  },

  'studySets.snapshots': (state, { params }) =>
    json({ snapshots: isGenerated(state, params['topicid']) ? [] : setOf(state, params['topicid']).snapshots }),
  'studySets.notebooks': (state, { params }) =>
    json({
      notebooks: documentsOf(state, params['topicid']).map((bookmd5) => ({ bookmd5, notebookId: `nb-${bookmd5}` })),
    }),

  'studySets.create'(state, { body }) {
    const set = {
      topicid: randomUUID().toUpperCase(),
      title: String(body['title']),
      lastModifiedAt: new Date().toISOString(),
      cards: [],
      documents: [],
      snapshots: [],
    }
    state.library.sets.push(set)
    return json({ persisted: true, topicid: set.topicid, title: set.title })
  },

  'studySets.delete'(state, { params, body }) {
    const set = setToChange(state, params['topicid'])
    if (set.title !== body['expectedTitle']) {
      throw new DemoError(409, 'TITLE_MISMATCH', 'expectedTitle is not the present title. Nothing was deleted.')
    }
    if (state.open.topicid === set.topicid) {
      throw new DemoError(409, 'STUDY_SET_IN_USE', 'The study set is open. Close it first.')
    }
    state.library.sets.splice(state.library.sets.indexOf(set), 1)
    for (const card of set.cards) state.library.cards.delete(card.noteid)
    return json({ persisted: true, topicid: set.topicid })
  },

  'studySets.addDocuments'(state, { params, body }) {
    const set = setToChange(state, params['topicid'])
    const wanted = (body['bookmd5s'] ?? []) as string[]
    const added = wanted.map((id) => bookOf(state, id).bookmd5).filter((id) => !set.documents.includes(id))
    set.documents.push(...added)
    return json({ persisted: true, added })
  },

  'studySets.createSnapshot'(state, { params }) {
    const set = setToChange(state, params['topicid'])
    const snapshot = {
      snapshotId: randomUUID().toUpperCase(),
      title: 'From the bridge',
      createdAt: new Date().toISOString(),
    }
    set.snapshots.unshift(snapshot)
    state.versions.set(snapshot.snapshotId, structuredClone(set.cards))
    return json({ persisted: true, ...snapshot })
  },

  'snapshots.restore'(state, { params }) {
    const id = params['snapshotId'] ?? ''
    const cards = state.versions.get(id)
    const set = state.library.sets.find((one) => one.snapshots.some(({ snapshotId }) => snapshotId === id))
    if (!set || !cards) throw new DemoError(404, 'SNAPSHOT_NOT_FOUND', 'There is no such version point.')
    for (const card of set.cards) state.library.cards.delete(card.noteid)
    set.cards = structuredClone(cards) as Card[]
    for (const card of set.cards) state.library.cards.set(card.noteid, card)
    set.lastModifiedAt = new Date().toISOString()
    return json({ persisted: true, snapshotId: id, topicid: set.topicid, noteCount: cards.length })
  },

  'studySets.open'(state, { params }) {
    if (!isGenerated(state, params['topicid'])) setOf(state, params['topicid'])
    state.open.topicid = params['topicid'] ?? ''
    return json({ persisted: true, opened: true })
  },

  'decks.list': (state, { query }) =>
    json({
      decks: state.library.decks
        .filter((deck) => matches(deck.title, query['query']))
        .map(({ deckId, title, cards, lastModifiedAt }) => ({
          deckId,
          title,
          cardCount: cards.length,
          lastModifiedAt,
        })),
    }),

  'decks.cards'(state, { params }) {
    const deck = deckOf(state.library.decks, params['deckId'])
    const cards = deck.cards.map((card) => ({ ...card, sourceAlive: findCard(state, card.sourceNoteId) !== null }))
    return json({ deckId: deck.deckId, cards })
  },

  'decks.create'(state, { body }) {
    const deck = {
      deckId: randomUUID().toUpperCase(),
      title: String(body['title']),
      lastModifiedAt: new Date().toISOString(),
      cards: [],
    }
    state.library.decks.push(deck)
    return json({ persisted: true, deckId: deck.deckId })
  },

  'decks.addCards'(state, { params, body }) {
    const deck = deckOf(state.library.decks, params['deckId'])
    for (const sourceNoteId of namedIds(state, body)) {
      const { title } = cardOf(state, sourceNoteId)
      deck.cards.push({ cardNoteId: randomUUID().toUpperCase(), sourceNoteId, title })
    }
    deck.lastModifiedAt = new Date().toISOString()
    return json({ persisted: true, cardCount: deck.cards.length })
  },

  'decks.open': (state, { params }) =>
    json({ persisted: true, opened: deckOf(state.library.decks, params['deckId']).deckId }),
}

const documentsOf = (state: DemoState, topicid: string | undefined): readonly string[] =>
  isGenerated(state, topicid) ? state.generated.books : setOf(state, topicid).documents

function deckOf<T extends { deckId: string }>(decks: readonly T[], id: string | undefined): T {
  const deck = decks.find((one) => one.deckId === id)
  if (!deck) throw new DemoError(404, 'DECK_NOT_FOUND', 'There is no such deck.')
  return deck
}
