import { prepareBody, recheckBody, submitBody, emptyBody } from '../resources/bodies.ts'
import { limits } from './limits.ts'
import { writeResultSchema } from '../resources/common.ts'
import { bundleListSchema, legacySyncEventsSchema, legacySyncStatusSchema } from '../resources/search.ts'
import { bytes, inPath, inQuery, navigate, oneOf, read, task, write } from './define.ts'
import { outcomes } from './outcomes.ts'

const bundleId = inPath('bundleId', 'Id of the task bundle.', 'GET /bundles')

/** Task bundles and the diagnostics of the older synchronisation (observed-0.49 §7, §10). */
export const bundleEndpoints = [
  task('bundles', prepareBody, writeResultSchema, {
    id: 'bundles.prepare',
    concerns: ['bundles'],
    path: '/bundles/prepare',
    summary: `Creates a working folder for at most ${limits.documentPages} pages; one at a time.`,
    outcome: outcomes.prepare,
    spec: 'observed §7',
  }),
  read('bundles', bundleListSchema, {
    id: 'bundles.list',
    concerns: ['bundles'],
    list: { member: 'bundles', unnamed: true },
    path: '/bundles',
    summary: 'Task bundles and their state.',
    parameters: [oneOf('origin', ['bridge'], 'Only bundles made by the bridge.'), inQuery('since', 'Only newer ones.')],
    spec: 'observed §7',
  }),
  bytes(
    'bundles',
    { media: ['any'], name: ['path'] },
    {
      id: 'bundles.files',
      concerns: ['bundles'],
      path: '/bundles/{bundleId}/files',
      summary: 'Without a path, the list of a bundle’s files; with one, the raw bytes of that file.',
      parameters: [bundleId, inQuery('path', 'Path of the file inside the bundle.', { relativePath: true })],
      spec: 'spec §1; observed §7',
    },
  ),
  write('bundles', submitBody, writeResultSchema, {
    id: 'bundles.submit',
    concerns: ['cards', 'map', 'studySets', 'documents', 'bundles'],
    final: true,
    path: '/bundles/{bundleId}/submit',
    summary: 'Imports a bundle at once; the second time replaces the whole tree.',
    parameters: [bundleId],
    confirm: 'none',
    outcome: outcomes.submit,
    spec: 'observed §7',
  }),
  navigate('bundles', emptyBody, writeResultSchema, {
    id: 'bundles.focus',
    path: '/bundles/{bundleId}/focus',
    summary: 'Shows what a bundle was imported to.',
    parameters: [bundleId],
    spec: 'observed §7',
  }),
  task('bundles', emptyBody, writeResultSchema, {
    id: 'bundles.discard',
    concerns: ['bundles'],
    final: true,
    path: '/bundles/{bundleId}/discard',
    summary: 'Deletes the working folder of a bundle, or cancels its preparation; never imported cards.',
    parameters: [bundleId],
    outcome: outcomes.discard,
    spec: 'observed §7',
  }),
  read('bundles', legacySyncStatusSchema, {
    id: 'sync.status',
    concerns: ['sync'],
    path: '/sync/legacy/status',
    summary: 'Diagnostics of synchronisation.',
    spec: 'observed §10',
  }),
  read('bundles', legacySyncEventsSchema, {
    id: 'sync.events',
    concerns: ['sync'],
    list: { member: 'events', unnamed: true },
    path: '/sync/legacy/events',
    summary: 'Events of synchronisation after a sequence number.',
    parameters: [
      inQuery('afterSequence', 'Only later events.', { type: 'integer', min: 0 }),
      inQuery('limit', 'Maximum events per response.', { type: 'integer', ...limits.syncEvents }),
    ],
    spec: 'observed §10',
  }),
  task('bundles', recheckBody, writeResultSchema, {
    id: 'sync.recheck',
    concerns: null,
    path: '/sync/legacy/recheck',
    summary: 'Makes the synchronisation check again; it may apply waiting remote changes.',
    outcome: outcomes.recheck,
    spec: 'observed §10',
  }),
  task('bundles', emptyBody, writeResultSchema, {
    id: 'sync.inventory',
    concerns: ['sync'],
    path: '/sync/legacy/inventory',
    summary: 'Compares local with remote data without changing either; slow, and uses quota.',
    outcome: outcomes.inventory,
    spec: 'observed §10',
  }),
]
