import {
  addDocumentBody,
  confirmBody,
  deleteStudySetBody,
  openStudySetBody,
  printExportBody,
  printPreviewBody,
  restoreBody,
  snapshotBody,
} from '../bodies/library.ts'
import { limits } from '../limits.ts'
import { writeResultSchema } from '../resources/common.ts'
import { documentListSchema } from '../resources/documents.ts'
import { hashtagListSchema, notebookListSchema, snapshotListSchema, subMapListSchema } from '../resources/library.ts'
import { printPlanSchema } from '../resources/observed.ts'
import { paletteSchema } from '../resources/palette.ts'
import { treePageSchema } from '../resources/tree.ts'
import { bookmd5, flag, inPath, inQuery, navigate, oneOf, read, task, topicid, write } from './define.ts'
import { outcomes } from './outcomes.ts'

/** Study sets and their version points (observed-0.49 §3, §8). */
export const studySetEndpoints = [
  read('study-sets', treePageSchema, {
    id: 'studySets.tree',
    concerns: ['cards', 'map'],
    path: '/study-sets/{topicid}/tree',
    foundBy: {
      query: ['root', 'limit', 'cursor', 'sort'],
      names: ['tree', 'cards', 'nodes', 'mind-map', 'mindmap'],
    },
    summary: 'The card listing: a flat array in document order, page by page.',
    parameters: [
      topicid,
      inQuery('root', 'Root card of a sub-map, to read only that sub-map.', {
        source: 'GET /study-sets/{topicid}/sub-maps',
      }),
      inQuery('limit', 'Maximum nodes per response.', { type: 'integer', ...limits.treeLimit }),
      inQuery('cursor', 'Start of the next page.', { source: 'nextCursor of the previous response' }),
      oneOf('sort', ['document'], 'Sorts the whole sequence before paging.'),
      flag('withNotes', 'Also returns, for each tag, the ids of the cards that directly have it.'),
    ],
    spec: 'spec §4 card listing; observed §3',
  }),
  read('study-sets', paletteSchema, {
    id: 'studySets.palette',
    concerns: ['palette'],
    path: '/study-sets/{topicid}/note-palette',
    summary: 'The palette in use: one entry per color level.',
    parameters: [topicid],
    spec: 'spec §4 note-palette; observed §3',
  }),
  read('study-sets', documentListSchema, {
    id: 'studySets.documents',
    concerns: ['documents', 'map'],
    list: { member: 'documents', unnamed: true },
    path: '/study-sets/{topicid}/documents',
    summary: 'Documents of a study set.',
    parameters: [topicid],
    spec: 'spec §4 referenced; observed §3',
  }),
  write('study-sets', addDocumentBody, writeResultSchema, {
    id: 'studySets.addDocuments',
    concerns: ['documents', 'studySets'],
    path: '/study-sets/{topicid}/documents',
    summary: 'Adds a document from the library to a study set.',
    parameters: [topicid],
    outcome: outcomes.addDocument,
    spec: 'observed §3',
  }),
  write('study-sets', confirmBody, writeResultSchema, {
    id: 'studySets.removeDocument',
    concerns: ['cards', 'map', 'studySets', 'documents'],
    final: true,
    path: '/study-sets/{topicid}/documents/{bookmd5}/delete',
    summary: 'Removes a document from a study set; cards anchored in it lose their source.',
    parameters: [topicid, bookmd5],
    dryRun: 'described',
    outcome: outcomes.removeDocument,
    spec: 'observed §3',
  }),
  read('study-sets', subMapListSchema, {
    id: 'studySets.subMaps',
    concerns: ['cards', 'map'],
    list: { member: 'subMaps', bare: true, unnamed: true },
    path: '/study-sets/{topicid}/sub-maps',
    summary: 'Sub-maps of a study set.',
    parameters: [topicid],
    spec: 'spec §4 referenced; observed §3',
  }),
  read('study-sets', hashtagListSchema, {
    id: 'studySets.hashtags',
    concerns: ['cards', 'map'],
    path: '/study-sets/{topicid}/hashtags',
    summary: 'Hashtags of a study set, flat and nested.',
    parameters: [
      topicid,
      flag('withNotes', 'Also returns the ids of the cards that directly have each full tag path.'),
    ],
    spec: 'observed §3',
  }),
  read('study-sets', snapshotListSchema, {
    id: 'studySets.snapshots',
    concerns: ['snapshots'],
    list: { member: 'snapshots', unnamed: true },
    path: '/study-sets/{topicid}/snapshots',
    summary: 'Version points of a study set.',
    parameters: [topicid],
    spec: 'observed §3',
  }),
  write('study-sets', snapshotBody, writeResultSchema, {
    id: 'studySets.createSnapshot',
    concerns: ['snapshots'],
    path: '/study-sets/{topicid}/snapshots',
    summary: 'Creates a version point, or returns the last one if nothing has changed since; runs at once.',
    parameters: [topicid],
    confirm: 'none',
    outcome: outcomes.snapshot,
    spec: 'observed §3',
  }),
  read('study-sets', notebookListSchema, {
    id: 'studySets.notebooks',
    concerns: ['documents'],
    list: { member: 'notebooks', unnamed: true },
    path: '/study-sets/{topicid}/notebooks',
    summary: 'Document notebooks of a study set.',
    parameters: [topicid],
    spec: 'observed §3',
  }),
  navigate('study-sets', openStudySetBody, writeResultSchema, {
    id: 'studySets.open',
    path: '/study-sets/{topicid}/open',
    summary: 'Opens a study set on the user’s screen.',
    parameters: [topicid],
    spec: 'observed §3',
  }),
  write('study-sets', deleteStudySetBody, writeResultSchema, {
    id: 'studySets.delete',
    concerns: ['cards', 'map', 'studySets', 'decks', 'documents'],
    final: true,
    path: '/study-sets/{topicid}/delete',
    summary:
      'Deletes a study set or deck if its title is the expected one; its highlights stay unless requested otherwise.',
    parameters: [topicid],
    approval: true,
    outcome: outcomes.deleteStudySet,
    effect: { rule: 'gone' },
    spec: 'observed §3',
  }),
  read('export', printPlanSchema, {
    id: 'studySets.printPreview',
    concerns: ['cards', 'map'],
    list: { member: 'pages' },
    method: 'POST',
    path: '/study-sets/{topicid}/mindmap-print/preview',
    summary: 'Plans the printed pages of a mind map; writes no file.',
    parameters: [topicid],
    body: printPreviewBody,
    spec: 'observed §3',
  }),
  task('export', printExportBody, writeResultSchema, {
    id: 'studySets.printExport',
    path: '/study-sets/{topicid}/mindmap-print/export',
    summary: 'Creates a PDF from a print plan in the host’s export folder.',
    parameters: [topicid],
    spec: 'observed §3',
  }),
  write('study-sets', restoreBody, writeResultSchema, {
    id: 'snapshots.restore',
    concerns: ['cards', 'map', 'palette', 'studySets', 'snapshots', 'documents'],
    final: true,
    path: '/snapshots/{snapshotId}/restore',
    summary: 'Restores a whole study set to a version point; the documents’ contents lists are not covered.',
    parameters: [inPath('snapshotId', 'Id of the version point.', 'GET /study-sets/{topicid}/snapshots')],
    dryRun: true,
    approval: true,
    outcome: outcomes.restore,
    spec: 'observed §8',
  }),
]
