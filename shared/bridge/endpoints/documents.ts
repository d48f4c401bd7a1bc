import { exportDocumentBodySchema, locateTextBodySchema, tocBodySchema } from '../resources/body-schemas.ts'
import { documentedLimits } from '../documented-limits.ts'
import { writeResultSchema } from '../resources/common.ts'
import {
  outlineSchema,
  pagePartsSchema,
  pageTextsSchema,
  syncStatusSchema,
  excerptListSchema,
} from '../resources/documents.ts'
import { textLocationSchema, tocCandidatesSchema } from '../resources/tool-responses.ts'
import {
  bookmd5Parameter,
  defineBinaryRead,
  defineFlagParameter,
  definePathParameter,
  defineQueryParameter,
  defineRead,
  defineTask,
  defineWrite,
} from './row-builders.ts'
import { writeOutcomes } from './outcomes.ts'

const pageParameter = definePathParameter('index', 'Page order in the PDF; the first page is 1.', undefined, { min: 1 })
const startParameter = defineQueryParameter('start', 'First page.', { type: 'integer', min: 1 })
const endParameter = defineQueryParameter('end', 'Last page.', { type: 'integer', min: 1 })
const studySetParameter = defineQueryParameter(
  'studySet',
  'Priority of the legacy blank mapping; does not filter by study set.',
  { basis: 'spec' },
)

/** Described in observed-0.49 §4. */
export const documentEndpoints = [
  defineRead('documents', excerptListSchema, {
    id: 'documents.excerpts',
    dataKinds: ['documents', 'cards', 'map'],
    list: { member: 'items' },
    path: '/documents/{bookmd5}/excerpts',
    summary: 'Excerpts of a document, and segments at duplicate positions.',
    parameters: [
      bookmd5Parameter,
      defineQueryParameter('studySet', 'Only this study set.', { basis: 'spec' }),
      defineFlagParameter('duplicatesOnly', 'Only the duplicate segments, not every excerpt.', 'spec'),
    ],
    spec: 'spec §4 excerpts',
  }),
  defineRead('documents', outlineSchema, {
    id: 'documents.outline',
    dataKinds: ['contents', 'documents'],
    path: '/documents/{bookmd5}/outline',
    summary: 'Table of contents and page count.',
    parameters: [bookmd5Parameter],
    spec: 'observed §4',
  }),
  defineRead('documents', pageTextsSchema, {
    id: 'documents.pages',
    dataKinds: ['documents'],
    list: { member: 'pages', isUnnamed: true },
    path: '/documents/{bookmd5}/pages',
    summary: `Texts of at most ${documentedLimits.documentPages} pages.`,
    parameters: [
      bookmd5Parameter,
      startParameter,
      endParameter,
      defineFlagParameter('blocks', 'Also returns the text blocks.'),
    ],
    spec: 'observed §4',
  }),
  defineRead('documents', pagePartsSchema, {
    id: 'documents.pageParts',
    dataKinds: ['handwriting', 'documents'],
    list: { member: 'parts' },
    path: '/documents/{bookmd5}/pages/{index}/parts',
    summary: 'The readable images of a page, and its blanks.',
    parameters: [bookmd5Parameter, pageParameter, studySetParameter],
    spec: 'spec §4 referenced; observed §4',
  }),
  defineBinaryRead(
    'documents',
    { media: ['image'], fileNameParts: ['bookmd5', 'index', 'contentId'] },
    {
      id: 'documents.pageContent',
      dataKinds: ['handwriting'],
      path: '/documents/{bookmd5}/pages/{index}/content/{contentId}',
      summary: 'Handwriting image of a page.',
      parameters: [
        bookmd5Parameter,
        pageParameter,
        definePathParameter(
          'contentId',
          'Identity of the binary item.',
          'items[].parts[].contentId of POST /notes/batch-get or contentIds of GET …/parts',
        ),
        defineQueryParameter('maxEdge', 'Longest edge of the returned image, pixels.', {
          type: 'integer',
          ...documentedLimits.maxEdge,
          basis: 'spec',
        }),
        studySetParameter,
      ],
      spec: 'spec §4 page content; observed §4',
    },
  ),
  defineRead('documents', tocCandidatesSchema, {
    id: 'documents.tocCandidates',
    dataKinds: ['documents'],
    list: { member: 'candidates', isUnnamed: true },
    path: '/documents/{bookmd5}/toc-candidates',
    summary: `Lines that may be headings, on at most ${documentedLimits.documentPages} pages; a scanned page takes about three seconds.`,
    parameters: [bookmd5Parameter, startParameter, endParameter],
    spec: 'observed §4',
  }),
  defineWrite('documents', tocBodySchema, writeResultSchema, {
    id: 'documents.toc',
    dataKinds: ['contents'],
    isIrreversible: true,
    path: '/documents/{bookmd5}/toc',
    summary: 'Writes a document’s contents list, or chooses which one is shown; every study set sees it.',
    parameters: [bookmd5Parameter],
    alternatives: [['entries'], ['useOriginal'], ['useAI']],
    dryRun: true,
    outcome: writeOutcomes.toc,
    spec: 'observed §4',
  }),
  defineRead('documents', textLocationSchema, {
    id: 'documents.locate',
    dataKinds: ['documents'],
    method: 'POST',
    path: '/documents/{bookmd5}/locate',
    summary: 'Finds a text on a page; may scroll to it.',
    parameters: [bookmd5Parameter],
    body: locateTextBodySchema,
    navigationMember: 'navigate',
    spec: 'observed §4',
  }),
  defineTask('export', exportDocumentBodySchema, writeResultSchema, {
    id: 'documents.export',
    path: '/documents/{bookmd5}/export',
    summary: 'Creates a flat PDF with a study set’s annotations in the host’s export folder.',
    parameters: [bookmd5Parameter],
    spec: 'observed §4',
  }),
  defineRead('documents', syncStatusSchema, {
    id: 'documents.syncStatus',
    dataKinds: ['documents', 'sync'],
    path: '/documents/{bookmd5}/sync-status',
    summary: 'Whether a document’s file is present and in sync.',
    parameters: [bookmd5Parameter, defineFlagParameter('verifyHash', 'Also compares the file’s hash.')],
    spec: 'observed §4',
  }),
]
