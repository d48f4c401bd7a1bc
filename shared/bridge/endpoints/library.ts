import { confirmBody, titleBody } from '../resources/bodies.ts'
import { writeResultSchema } from '../resources/common.ts'
import { studySetListSchema } from '../resources/library.ts'
import { foldersSchema } from '../resources/observed.ts'
import { searchSchema } from '../resources/search.ts'
import { bookmd5, inQuery, oneOf, read, write } from './define.ts'
import { outcomes } from './outcomes.ts'

/** The library and the search over it (observed-0.49 §2, §9). */
export const libraryEndpoints = [
  read('study-sets', studySetListSchema, {
    id: 'studySets.list',
    concerns: ['studySets'],
    list: { member: 'studySets', unnamed: true },
    path: '/library/study-sets',
    summary: 'All study sets, without decks.',
    parameters: [inQuery('query', 'Only titles that contain this.')],
    spec: 'spec §4 referenced; observed §2',
  }),
  write('study-sets', titleBody, writeResultSchema, {
    id: 'studySets.create',
    concerns: ['studySets'],
    path: '/library/study-sets',
    summary: 'Creates a study set with one root card of the same name.',
    outcome: outcomes.createStudySet,
    spec: 'observed §2',
  }),
  {
    ...write('documents', confirmBody, writeResultSchema, {
      id: 'library.upload',
      concerns: ['documents', 'studySets'],
      path: '/library/documents/upload',
      summary: 'Adds a document to the library; the body is the raw bytes of its file.',
      parameters: [
        inQuery('filename', 'A bare name: no slash, no two dots, no leading dot.', { required: true }),
        inQuery('folder', 'Path from the document root; without it, the folder browsed last.', {
          source: 'GET /library/folders',
        }),
        inQuery('topicid', 'Also puts the document into this study set.', { source: 'GET /library/study-sets' }),
        inQuery('confirm', 'This route takes its confirmation in the query.', {
          type: 'integer',
          min: 1,
          max: 1,
          required: true,
        }),
      ],
      confirm: 'query',
      upload: true,
      outcome: outcomes.upload,
      spec: 'observed §2',
    }),
    body: null,
  },
  write('documents', confirmBody, writeResultSchema, {
    id: 'library.deleteDocument',
    concerns: ['documents', 'studySets'],
    final: true,
    path: '/library/documents/{bookmd5}/delete',
    summary: 'Deletes a document in which no card is anchored; there is no recycle bin.',
    parameters: [bookmd5],
    outcome: outcomes.deleteDocument,
    spec: 'observed §2',
  }),
  read('documents', foldersSchema, {
    id: 'library.folders',
    concerns: ['documents'],
    path: '/library/folders',
    summary: 'Folders of the document library.',
    parameters: [
      inQuery('path', 'Where to begin, with slashes between levels; empty for the root.'),
      inQuery('depth', 'Number of levels below it.', { type: 'integer', min: 0 }),
    ],
    spec: 'observed §2',
  }),
  read('search', searchSchema, {
    id: 'search.get',
    concerns: ['cards', 'map', 'studySets', 'documents'],
    list: { member: 'hits', unnamed: true, grouped: true },
    path: '/search',
    summary: 'Search over notes, study sets and documents.',
    parameters: [
      inQuery('q', 'What to search for.', { required: true }),
      oneOf('scope', ['all', 'notes', 'studysets', 'documents'], 'Where to search.'),
    ],
    spec: 'spec §4 referenced; observed §9',
  }),
]
