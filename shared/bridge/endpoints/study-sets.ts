import { limits } from '../limits.ts'
import { writeResultSchema } from '../resources/common.ts'
import { documentListSchema } from '../resources/documents.ts'
import {
  addDeckCardsBodySchema,
  addDocumentsBodySchema,
  createDeckBodySchema,
  createStudySetBodySchema,
  deckCardListSchema,
  deckListSchema,
  deleteStudySetBodySchema,
  hashtagListSchema,
  notebookListSchema,
  snapshotListSchema,
  studySetListSchema,
  subMapListSchema,
} from '../resources/library.ts'
import { looseWriteBodySchema } from '../resources/notes.ts'
import { paletteSchema } from '../resources/palette.ts'
import { treePageSchema } from '../resources/tree.ts'
import { flag, inPath, inQuery, navigate, oneOf, read, topicid, write } from './define.ts'

const deckId = inPath('deckId', 'Id of the deck.', 'GET /decks')
const observedWrite = 'observed: writes'
const observedRead = 'observed: read endpoints'

export const studySetEndpoints = [
  read('study-sets', studySetListSchema, {
    id: 'studySets.list',
    list: { member: 'studySets' },
    path: '/library/study-sets',
    summary: 'All study sets; decks are not among them.',
    parameters: [inQuery('query', 'Only titles that contain this.')],
    spec: 'spec §4 referenced',
  }),
  read('study-sets', treePageSchema, {
    id: 'studySets.tree',
    path: '/study-sets/{topicid}/tree',
    summary: 'The card listing: a flat array in document order, page by page.',
    parameters: [
      topicid,
      inQuery('root', 'Root card of a sub-map: only that sub-map is read.', {
        source: 'GET /study-sets/{topicid}/sub-maps',
      }),
      inQuery('limit', 'Nodes per response at the most.', { type: 'integer', ...limits.treeLimit }),
      inQuery('cursor', 'Start of the next page.', { source: 'nextCursor of the previous response' }),
      oneOf('sort', ['document'], 'Sorts the whole sequence before paging.'),
      flag('withNotes', 'Also gives, under each tag, the ids of cards that directly hold it.'),
    ],
    spec: 'spec §4 card listing',
  }),
  read('study-sets', paletteSchema, {
    id: 'studySets.palette',
    path: '/study-sets/{topicid}/note-palette',
    summary: 'The palette in use: one entry per color level.',
    parameters: [topicid],
    spec: 'spec §4 note-palette',
  }),
  read('study-sets', documentListSchema, {
    id: 'studySets.documents',
    list: { member: 'documents' },
    path: '/study-sets/{topicid}/documents',
    summary: 'Documents of a study set.',
    parameters: [topicid],
    spec: 'spec §4 referenced',
  }),
  read('study-sets', subMapListSchema, {
    id: 'studySets.subMaps',
    list: { member: 'subMaps', bare: true },
    path: '/study-sets/{topicid}/sub-maps',
    summary: 'Sub-maps of a study set.',
    parameters: [topicid],
    spec: 'spec §4 referenced',
  }),
  read('study-sets', hashtagListSchema, {
    id: 'studySets.hashtags',
    path: '/study-sets/{topicid}/hashtags',
    summary: 'Hashtags of a study set, flat and nested.',
    parameters: [topicid, flag('withNotes', 'Also gives the ids of cards that directly hold each full tag path.')],
    spec: observedRead,
  }),
  read('study-sets', snapshotListSchema, {
    id: 'studySets.snapshots',
    list: { member: 'snapshots' },
    path: '/study-sets/{topicid}/snapshots',
    summary: 'Version points of a study set.',
    parameters: [topicid],
    spec: observedRead,
  }),
  read('study-sets', notebookListSchema, {
    id: 'studySets.notebooks',
    list: { member: 'notebooks' },
    path: '/study-sets/{topicid}/notebooks',
    summary: 'Document notebooks of a study set.',
    parameters: [topicid],
    spec: observedRead,
  }),
  write('study-sets', createStudySetBodySchema, writeResultSchema, {
    id: 'studySets.create',
    path: '/library/study-sets',
    summary: 'Makes a study set.',
    spec: observedWrite,
  }),
  write('study-sets', addDocumentsBodySchema, writeResultSchema, {
    id: 'studySets.addDocuments',
    path: '/study-sets/{topicid}/documents',
    summary: 'Adds documents to a study set.',
    parameters: [topicid],
    spec: observedWrite,
  }),
  write('study-sets', deleteStudySetBodySchema, writeResultSchema, {
    id: 'studySets.delete',
    path: '/study-sets/{topicid}/delete',
    summary: 'Deletes a study set whose title is the expected one.',
    parameters: [topicid],
    spec: observedWrite,
  }),
  write('study-sets', looseWriteBodySchema, writeResultSchema, {
    id: 'studySets.createSnapshot',
    path: '/study-sets/{topicid}/snapshots',
    summary: 'Makes a version point; runs at once, without a confirm gate.',
    parameters: [topicid],
    confirm: 'none',
    spec: observedWrite,
  }),
  write('study-sets', looseWriteBodySchema, writeResultSchema, {
    id: 'snapshots.restore',
    path: '/snapshots/{snapshotId}/restore',
    summary: 'Restores a version point.',
    parameters: [inPath('snapshotId', 'Id of the version point.', 'GET /study-sets/{topicid}/snapshots')],
    spec: observedWrite,
  }),
  navigate('study-sets', looseWriteBodySchema, writeResultSchema, {
    id: 'studySets.open',
    path: '/study-sets/{topicid}/open',
    summary: 'Opens a study set on the screen of the user.',
    parameters: [topicid],
    spec: observedWrite,
  }),
  read('study-sets', deckListSchema, {
    id: 'decks.list',
    list: { member: 'decks' },
    path: '/decks',
    summary: 'All decks.',
    parameters: [inQuery('query', 'Only titles that contain this.')],
    spec: observedRead,
  }),
  read('study-sets', deckCardListSchema, {
    id: 'decks.cards',
    list: { member: 'cards' },
    path: '/decks/{deckId}/cards',
    summary: 'Cards of a deck and whether their source lives.',
    parameters: [deckId],
    spec: observedRead,
  }),
  write('study-sets', createDeckBodySchema, writeResultSchema, {
    id: 'decks.create',
    path: '/decks',
    summary: 'Makes a deck.',
    spec: observedWrite,
  }),
  write('study-sets', addDeckCardsBodySchema, writeResultSchema, {
    id: 'decks.addCards',
    path: '/decks/{deckId}/cards',
    summary: 'Adds cards to a deck.',
    parameters: [deckId],
    spec: observedWrite,
  }),
  navigate('study-sets', looseWriteBodySchema, writeResultSchema, {
    id: 'decks.open',
    path: '/decks/{deckId}/open',
    summary: 'Opens a deck on the screen of the user.',
    parameters: [deckId],
    spec: observedWrite,
  }),
]
