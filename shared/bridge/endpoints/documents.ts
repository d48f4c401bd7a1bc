import { limits } from '../limits.ts'
import { writeResultSchema } from '../resources/common.ts'
import {
  outlineSchema,
  pagePartsSchema,
  pageTextsSchema,
  syncStatusSchema,
  tocBodySchema,
} from '../resources/documents.ts'
import { excerptListSchema } from '../resources/excerpts.ts'
import { looseWriteBodySchema } from '../resources/notes.ts'
import { bundleListSchema, legacySyncEventsSchema, legacySyncStatusSchema, searchSchema } from '../resources/search.ts'
import { bookmd5, bytes, flag, inPath, inQuery, oneOf, read, write } from './define.ts'

const index = inPath('index', 'Page order in the PDF; the first page is 1.', undefined, { min: 1 })
const bundleId = inPath('bundleId', 'Id of the task bundle.', 'GET /bundles')
const observedRead = 'observed: read endpoints'

export const documentEndpoints = [
  read('documents', excerptListSchema, {
    id: 'documents.excerpts',
    list: { member: 'items' },
    path: '/documents/{bookmd5}/excerpts',
    summary: 'Excerpts of a document, and segments at duplicate positions.',
    parameters: [
      bookmd5,
      inQuery('studySet', 'Only this study set.'),
      flag('duplicatesOnly', 'Only the duplicate segments, not each excerpt.'),
    ],
    spec: 'spec §4 excerpts',
  }),
  read('documents', outlineSchema, {
    id: 'documents.outline',
    path: '/documents/{bookmd5}/outline',
    summary: 'Table of contents and page count.',
    parameters: [bookmd5],
    spec: observedRead,
  }),
  read('documents', pageTextsSchema, {
    id: 'documents.pages',
    list: { member: 'pages' },
    path: '/documents/{bookmd5}/pages',
    summary: `Texts of at most ${limits.documentPages} pages.`,
    parameters: [
      bookmd5,
      inQuery('start', 'First page.', { type: 'integer', min: 1 }),
      inQuery('end', 'Last page.', { type: 'integer', min: 1 }),
      flag('blocks', 'Also gives the text blocks.'),
    ],
    spec: observedRead,
  }),
  read('documents', pagePartsSchema, {
    id: 'documents.pageParts',
    list: { member: 'parts' },
    path: '/documents/{bookmd5}/pages/{index}/parts',
    summary: 'Images of a page that can be read, and its blanks.',
    parameters: [
      bookmd5,
      index,
      inQuery('studySet', 'Priority of the legacy blank mapping; does not filter by study set.'),
    ],
    spec: 'spec §4 referenced',
  }),
  bytes('documents', ['image'], {
    id: 'documents.pageContent',
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
      inQuery('studySet', 'Priority of the legacy blank mapping; does not filter by study set.'),
    ],
    spec: 'spec §4 page content',
  }),
  read('documents', syncStatusSchema, {
    id: 'documents.syncStatus',
    path: '/documents/{bookmd5}/sync-status',
    summary: 'Whether the file of a document is here and in step.',
    parameters: [bookmd5, flag('verifyHash', 'Also compares the hash of the file.')],
    spec: observedRead,
  }),
  write('documents', tocBodySchema, writeResultSchema, {
    id: 'documents.toc',
    path: '/documents/{bookmd5}/toc',
    summary: 'Writes the table of contents of a document.',
    parameters: [bookmd5],
    spec: 'observed: writes',
  }),
  read('search', searchSchema, {
    id: 'search.get',
    list: { member: 'hits' },
    path: '/search',
    summary: 'Search over notes, study sets and documents.',
    parameters: [
      inQuery('q', 'What to look for.', { required: true }),
      oneOf('scope', ['all', 'notes', 'studysets', 'documents'], 'Where to look.'),
    ],
    spec: 'spec §4 referenced',
  }),
  read('bundles', bundleListSchema, {
    id: 'bundles.list',
    list: { member: 'bundles' },
    path: '/bundles',
    summary: 'Task bundles and their state.',
    parameters: [oneOf('origin', ['bridge'], 'Only bundles of the bridge.'), inQuery('since', 'Only newer ones.')],
    spec: observedRead,
  }),
  bytes('bundles', ['any'], {
    id: 'bundles.files',
    path: '/bundles/{bundleId}/files',
    summary: 'Raw bytes of one file of a bundle.',
    parameters: [
      bundleId,
      inQuery('path', 'Path of the file inside the bundle.', { required: true, relativePath: true }),
    ],
    spec: 'spec §1',
  }),
  write('bundles', looseWriteBodySchema, writeResultSchema, {
    id: 'bundles.submit',
    path: '/bundles/{bundleId}/submit',
    summary: 'Submits a bundle; no confirm gate.',
    parameters: [bundleId],
    confirm: 'none',
    spec: 'observed: writes',
  }),
  read('bundles', legacySyncStatusSchema, {
    id: 'sync.status',
    path: '/sync/legacy/status',
    summary: 'Diagnostics of synchronisation.',
    spec: observedRead,
  }),
  read('bundles', legacySyncEventsSchema, {
    id: 'sync.events',
    list: { member: 'events' },
    path: '/sync/legacy/events',
    summary: 'Events of synchronisation after a sequence number.',
    parameters: [
      inQuery('afterSequence', 'Only later events.', { type: 'integer', min: 0 }),
      inQuery('limit', 'Events per response at the most.', { type: 'integer', ...limits.syncEvents }),
    ],
    spec: observedRead,
  }),
]
