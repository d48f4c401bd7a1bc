import { confirmBodySchema, titleBodySchema } from '../resources/body-schemas.ts'
import { writeResultSchema } from '../resources/common.ts'
import { studySetListSchema } from '../resources/library.ts'
import { foldersSchema } from '../resources/tool-responses.ts'
import { searchSchema } from '../resources/search.ts'
import {
  bookmd5Parameter,
  defineQueryParameter,
  defineChoiceParameter,
  defineRead,
  defineWrite,
} from './row-builders.ts'
import { writeOutcomes } from './outcomes.ts'

/** Described in observed-0.49 §2 and §9. */
export const libraryEndpoints = [
  defineRead('study-sets', studySetListSchema, {
    id: 'studySets.list',
    dataKinds: ['studySets'],
    list: { member: 'studySets', isUnnamed: true },
    path: '/library/study-sets',
    summary: 'All study sets, without decks.',
    parameters: [defineQueryParameter('query', 'Only titles that contain this.')],
    spec: 'spec §4 referenced; observed §2',
  }),
  defineWrite('study-sets', titleBodySchema, writeResultSchema, {
    id: 'studySets.create',
    dataKinds: ['studySets'],
    path: '/library/study-sets',
    summary: 'Creates a study set with one root card of the same name.',
    outcome: writeOutcomes.createStudySet,
    spec: 'observed §2',
  }),
  {
    ...defineWrite('documents', confirmBodySchema, writeResultSchema, {
      id: 'library.upload',
      dataKinds: ['documents', 'studySets'],
      path: '/library/documents/upload',
      summary: 'Adds a document to the library; the body is the raw bytes of its file.',
      parameters: [
        defineQueryParameter('filename', 'A bare name: no slash, no two dots, no leading dot.', { required: true }),
        defineQueryParameter('folder', 'Path from the document root; without it, the folder browsed last.', {
          source: 'GET /library/folders',
        }),
        defineQueryParameter('topicid', 'Also puts the document into this study set.', {
          source: 'GET /library/study-sets',
        }),
        defineQueryParameter('confirm', 'This route takes its confirmation in the query.', {
          type: 'integer',
          min: 1,
          max: 1,
          required: true,
        }),
      ],
      confirm: 'query',
      isUpload: true,
      outcome: writeOutcomes.upload,
      spec: 'observed §2',
    }),
    body: null,
  },
  defineWrite('documents', confirmBodySchema, writeResultSchema, {
    id: 'library.deleteDocument',
    dataKinds: ['documents', 'studySets'],
    isIrreversible: true,
    path: '/library/documents/{bookmd5}/delete',
    summary: 'Deletes a document in which no card is anchored; there is no recycle bin.',
    parameters: [bookmd5Parameter],
    outcome: writeOutcomes.deleteDocument,
    spec: 'observed §2',
  }),
  defineRead('documents', foldersSchema, {
    id: 'library.folders',
    dataKinds: ['documents'],
    path: '/library/folders',
    summary: 'Folders of the document library.',
    parameters: [
      defineQueryParameter('path', 'Where to begin, with slashes between levels; empty for the root.'),
      defineQueryParameter('depth', 'Number of levels below it.', { type: 'integer', min: 0 }),
    ],
    spec: 'observed §2',
  }),
  defineRead('search', searchSchema, {
    id: 'search.get',
    dataKinds: ['cards', 'map', 'studySets', 'documents'],
    list: { member: 'hits', isUnnamed: true, isGrouped: true },
    path: '/search',
    summary: 'Search over notes, study sets and documents.',
    parameters: [
      defineQueryParameter('q', 'What to search for.', { required: true }),
      defineChoiceParameter('scope', ['all', 'notes', 'studysets', 'documents'], 'Where to search.'),
    ],
    spec: 'spec §4 referenced; observed §9',
  }),
]
