import { randomUUID } from 'node:crypto'
import { foldText } from '../../../shared/format/text-folding.ts'
import {
  assertStudySet,
  getBook,
  getChangeableStudySet,
  getDocumentIds,
  isGeneratedStudySet,
  markStudySetChanged,
  getStudySet,
  type DemoState,
  type RouteTable,
} from '../state/context.ts'
import { getExcerpts } from './library.ts'
import { toUuid } from '../library/random.ts'
import { DemoError, createJsonReply, type DemoReply } from '../state/reply.ts'
import { createSnapshot } from './snapshots.ts'
import type { DemoCard } from '../library/model.ts'

const toHex = (n: number): string => Math.round(n).toString(16).padStart(2, '0')

/** Returns the color of a level. The hues of the 16 levels are evenly spread. */
function getColor(level: number, lightness: number) {
  const hue = level / 16
  const channel = (shift: number): number => {
    const k = (shift + hue * 12) % 12
    const a = 0.62 * Math.min(lightness, 1 - lightness)
    return Math.round(255 * (lightness - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  }
  const [r, g, b] = [channel(0), channel(8), channel(4)]
  return { hex: `#${toHex(r)}${toHex(g)}${toHex(b)}`.toUpperCase(), rgba: { r, g, b, a: 1 } }
}

/** The palette of every study set in the demo library, with exactly 16 levels. */
const colors = Array.from({ length: 16 }, (_, colorIndex) => ({
  colorIndex,
  baseColor: getColor(colorIndex, 0.78),
  displayColor: getColor(colorIndex, 0.82),
}))

export function createCard(topicid: string, parent: string | null, title: string, text = ''): DemoCard {
  const noteid = randomUUID().toUpperCase()
  return {
    noteid,
    topicid,
    parent,
    title,
    texts: text === '' ? [] : [{ index: 0, text, excerpt: false, noteid, kind: 'text' }],
    parts: [],
    hashtags: [],
    colorIndex: 0,
    fillIndex: -1,
    revision: 1,
    bands: [],
    practice: [],
    subMapId: null,
    folded: false,
    docBookmd5: null,
    docPage: null,
  }
}

const isTitleMatch = (title: string, query: string | undefined): boolean =>
  query === undefined || foldText(title).includes(foldText(query))

export const studySetRoutes = {
  'studySets.list'(state, { query }) {
    const small = state.library.sets.map((set) => ({
      topicid: set.topicid,
      title: set.title,
      noteCount: set.cards.length,
      documentCount: set.documents.length,
      lastModifiedAt: set.lastModifiedAt,
    }))
    const { topicid, title, count, books } = state.generatedSet
    const large = {
      topicid,
      title,
      noteCount: count,
      documentCount: books.length,
      lastModifiedAt: '2026-10-29T20:15:00.000Z',
    }
    const all = count === 0 ? small : [...small, large]
    return createJsonReply({ studySets: all.filter((set) => isTitleMatch(set.title, query['query'])) })
  },

  'studySets.create'(state, { body }) {
    const title = String(body['title'])
    const topicid = randomUUID().toUpperCase()
    const root = createCard(topicid, null, title)
    state.library.sets.push({
      topicid,
      title,
      lastModifiedAt: new Date().toISOString(),
      cards: [root],
      documents: [],
      snapshots: [],
    })
    state.library.cards.set(root.noteid, root)
    return createJsonReply({ persisted: true, topicid, isStudySet: true })
  },

  'studySets.palette'(state, { params }) {
    const isGeneratedSet = isGeneratedStudySet(state, params['topicid'])
    const { topicid, title } = isGeneratedSet ? state.generatedSet : getStudySet(state, params['topicid'])
    const source = isGeneratedSet ? 'study-set' : 'default'
    return createJsonReply({ studySetId: topicid, title, count: colors.length, source, appearance: 'light', colors })
  },

  'studySets.documents'(state, { params }) {
    const ids = getDocumentIds(state, params['topicid'])
    const documents = ids.flatMap((bookmd5, index) => {
      const book = state.library.books.get(bookmd5)
      if (!book) return []
      return {
        bookmd5,
        title: book.title,
        sourceState: book.sourceState,
        main: index === 0,
        pageCount: book.pages.length,
        excerptCount: getExcerpts(state, bookmd5, null, 0).total,
      }
    })
    return createJsonReply({ documents, mainDocument: ids[0] ?? null })
  },

  'studySets.notebooks': (state, { params }) =>
    createJsonReply({
      notebooks: getDocumentIds(state, params['topicid']).map((bookmd5) => ({ bookmd5, notebookId: `nb-${bookmd5}` })),
    }),

  'studySets.addDocuments'(state, { params, body }) {
    const set = getChangeableStudySet(state, params['topicid'])
    const { bookmd5 } = getBook(state, String(body['bookmd5']))
    if (set.documents.includes(bookmd5)) return createJsonReply({ alreadyPresent: true })
    markStudySetChanged(set).documents.push(bookmd5)
    const isFirst = set.documents.length === 1
    return createJsonReply({ persisted: true, ...(isFirst ? { becameMainDocument: true } : { addedToBooklist: true }) })
  },

  'studySets.removeDocument'(state, { params }) {
    const set = getChangeableStudySet(state, params['topicid'])
    const bookmd5 = params['bookmd5'] ?? ''
    if (!set.documents.includes(bookmd5)) return createJsonReply({ persisted: false, removed: false, warnings: [] })
    const { snapshotId } = createSnapshot(state, set, 'Before a document was removed')
    markStudySetChanged(set).documents = set.documents.filter((id) => id !== bookmd5)
    // If the study set has no document, a placeholder becomes the main document.
    const main = set.documents[0] ?? toUuid(`${set.topicid}/placeholder`)
    for (const card of set.cards) {
      if (card.docBookmd5 !== bookmd5) continue
      card.docBookmd5 = main
      card.docPage = null
    }
    return createJsonReply({ persisted: true, removed: true, preRemoveSnapshotId: snapshotId, warnings: [] })
  },

  'studySets.open'(state, { params, body }) {
    const topicid = params['topicid'] ?? ''
    assertStudySet(state, topicid)
    const documents = getDocumentIds(state, topicid)
    const bookId = body['bookmd5'] === undefined ? documents[0] : String(body['bookmd5'])
    const book = bookId === undefined ? null : getBook(state, bookId)
    if (book?.sourceState === 'missing_file') {
      throw new DemoError(422, 'DOCUMENT_FILE_MISSING', 'The document’s file is not on this device.')
    }
    Object.assign(state.openState, { topicid, bookmd5: book?.bookmd5 ?? null, noteid: null, page: 1 })
    return createJsonReply(book && !documents.includes(book.bookmd5) ? { tempOpen: true } : {})
  },

  'studySets.delete'(state, { params, body }) {
    const id = params['topicid'] ?? ''
    const deck = state.library.decks.find(({ deckId }) => deckId === id)
    const setOrDeck = deck ?? getChangeableStudySet(state, id)
    if (setOrDeck.title !== body['expectedTitle']) {
      throw new DemoError(409, 'TITLE_MISMATCH', 'expectedTitle is not the current title. Nothing was deleted.', {
        details: { actualTitle: setOrDeck.title },
      })
    }
    if (state.openState.topicid === id) Object.assign(state.openState, { topicid: null, bookmd5: null, noteid: null })
    return deck ? deleteDeck(state, id, body) : deleteSet(state, id, body)
  },
} satisfies RouteTable

/** Deletes a deck. It stays in `GET /decks` unless its highlights are deleted too. */
function deleteDeck(state: DemoState, id: string, body: Readonly<Record<string, unknown>>): DemoReply {
  const index = state.library.decks.findIndex(({ deckId }) => deckId === id)
  const deck = state.library.decks[index]
  if (body['keepHighlights'] === false) state.library.decks.splice(index, 1)
  else if (deck) deck.cards = []
  return createJsonReply({ persisted: true, ...(body['keepHighlights'] === false ? { removedFromLibrary: true } : {}) })
}

/** By default the highlights stay, and a version point is created to restore the set from. */
function deleteSet(state: DemoState, id: string, body: Readonly<Record<string, unknown>>): DemoReply {
  const { library } = state
  const set = markStudySetChanged(getStudySet(state, id))
  const keepsHistory = body['keepSnapshotHistory'] !== false
  const snapshot = keepsHistory ? createSnapshot(state, set, 'Before the study set was deleted') : null
  if (keepsHistory) state.deletedStudySets.set(id, set)
  else for (const { snapshotId } of set.snapshots) state.snapshotCards.delete(snapshotId)
  library.sets.splice(library.sets.indexOf(set), 1)
  for (const card of set.cards) library.cards.delete(card.noteid)
  if (body['keepHighlights'] === false) {
    for (const [bookmd5, list] of library.excerpts) {
      library.excerpts.set(
        bookmd5,
        list.filter(({ topicid }) => topicid !== id),
      )
    }
  }
  return createJsonReply({
    persisted: true,
    removedFromLibrary: true,
    ...(snapshot ? { preDeleteSnapshotId: snapshot.snapshotId } : {}),
  })
}
