import { exportBody, locateBody, tocBody } from '../resources/bodies.ts'
import { limits } from './limits.ts'
import { writeResultSchema } from '../resources/common.ts'
import {
  outlineSchema,
  pagePartsSchema,
  pageTextsSchema,
  syncStatusSchema,
  excerptListSchema,
} from '../resources/documents.ts'
import { locateSchema, tocCandidatesSchema } from '../resources/observed.ts'
import { bookmd5, bytes, flag, inPath, inQuery, read, task, write } from './define.ts'
import { outcomes } from './outcomes.ts'

const index = inPath('index', 'Page order in the PDF; the first page is 1.', undefined, { min: 1 })
const start = inQuery('start', 'First page.', { type: 'integer', min: 1 })
const end = inQuery('end', 'Last page.', { type: 'integer', min: 1 })
const studySet = inQuery('studySet', 'Priority of the legacy blank mapping; does not filter by study set.')

/** Documents, their pages and contents (observed-0.49 §4). */
export const documentEndpoints = [
  read('documents', excerptListSchema, {
    id: 'documents.excerpts',
    concerns: ['documents', 'cards', 'map'],
    list: { member: 'items' },
    path: '/documents/{bookmd5}/excerpts',
    summary: 'Excerpts of a document, and segments at duplicate positions.',
    parameters: [
      bookmd5,
      inQuery('studySet', 'Only this study set.'),
      flag('duplicatesOnly', 'Only the duplicate segments, not every excerpt.'),
    ],
    spec: 'spec §4 excerpts',
  }),
  read('documents', outlineSchema, {
    id: 'documents.outline',
    concerns: ['contents', 'documents'],
    path: '/documents/{bookmd5}/outline',
    summary: 'Table of contents and page count.',
    parameters: [bookmd5],
    spec: 'observed §4',
  }),
  read('documents', pageTextsSchema, {
    id: 'documents.pages',
    concerns: ['documents'],
    list: { member: 'pages', unnamed: true },
    path: '/documents/{bookmd5}/pages',
    summary: `Texts of at most ${limits.documentPages} pages.`,
    parameters: [bookmd5, start, end, flag('blocks', 'Also returns the text blocks.')],
    spec: 'observed §4',
  }),
  read('documents', pagePartsSchema, {
    id: 'documents.pageParts',
    concerns: ['handwriting', 'documents'],
    list: { member: 'parts' },
    path: '/documents/{bookmd5}/pages/{index}/parts',
    summary: 'The readable images of a page, and its blanks.',
    parameters: [bookmd5, index, studySet],
    spec: 'spec §4 referenced; observed §4',
  }),
  bytes(
    'documents',
    { media: ['image'], name: ['bookmd5', 'index', 'contentId'] },
    {
      id: 'documents.pageContent',
      concerns: ['handwriting'],
      path: '/documents/{bookmd5}/pages/{index}/content/{contentId}',
      summary: 'Handwriting image of a page.',
      parameters: [
        bookmd5,
        index,
        inPath(
          'contentId',
          'Identity of the binary item.',
          'items[].parts[].contentId of POST /notes/batch-get or contentIds of GET …/parts',
        ),
        inQuery('maxEdge', 'Longest edge of the returned image, pixels.', { type: 'integer', ...limits.maxEdge }),
        studySet,
      ],
      spec: 'spec §4 page content; observed §4',
    },
  ),
  read('documents', tocCandidatesSchema, {
    id: 'documents.tocCandidates',
    concerns: ['documents'],
    list: { member: 'candidates', unnamed: true },
    path: '/documents/{bookmd5}/toc-candidates',
    summary: `Lines that may be headings, on at most ${limits.documentPages} pages; a scanned page takes about three seconds.`,
    parameters: [bookmd5, start, end],
    spec: 'observed §4',
  }),
  write('documents', tocBody, writeResultSchema, {
    id: 'documents.toc',
    concerns: ['contents'],
    final: true,
    path: '/documents/{bookmd5}/toc',
    summary: 'Writes a document’s contents list, or chooses which one is shown; every study set sees it.',
    parameters: [bookmd5],
    alternatives: [['entries'], ['useOriginal'], ['useAI']],
    dryRun: true,
    outcome: outcomes.toc,
    spec: 'observed §4',
  }),
  read('documents', locateSchema, {
    id: 'documents.locate',
    concerns: ['documents'],
    method: 'POST',
    path: '/documents/{bookmd5}/locate',
    summary: 'Finds a text on a page; may scroll to it.',
    parameters: [bookmd5],
    body: locateBody,
    navigatesWith: 'navigate',
    spec: 'observed §4',
  }),
  task('export', exportBody, writeResultSchema, {
    id: 'documents.export',
    path: '/documents/{bookmd5}/export',
    summary: 'Creates a flat PDF with a study set’s annotations in the host’s export folder.',
    parameters: [bookmd5],
    spec: 'observed §4',
  }),
  read('documents', syncStatusSchema, {
    id: 'documents.syncStatus',
    concerns: ['documents', 'sync'],
    path: '/documents/{bookmd5}/sync-status',
    summary: 'Whether a document’s file is present and in sync.',
    parameters: [bookmd5, flag('verifyHash', 'Also compares the file’s hash.')],
    spec: 'observed §4',
  }),
]
