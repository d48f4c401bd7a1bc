import {
  prepareBundleBodySchema,
  recheckBodySchema,
  submitBundleBodySchema,
  emptyBodySchema,
} from '../resources/body-schemas.ts'
import { documentedLimits } from '../documented-limits.ts'
import { writeResultSchema } from '../resources/common.ts'
import { bundleListSchema, legacySyncEventsSchema, legacySyncStatusSchema } from '../resources/search.ts'
import {
  defineBinaryRead,
  definePathParameter,
  defineQueryParameter,
  defineNavigation,
  defineChoiceParameter,
  defineRead,
  defineTask,
  defineWrite,
} from './row-builders.ts'
import { writeOutcomes } from './outcomes.ts'

const bundleIdParameter = definePathParameter('bundleId', 'Id of the task bundle.', 'GET /bundles')

/** Task bundles (observed-0.49 §7) and the diagnostics of the older synchronisation (§10). */
export const bundleEndpoints = [
  defineTask('bundles', prepareBundleBodySchema, writeResultSchema, {
    id: 'bundles.prepare',
    dataKinds: ['bundles'],
    path: '/bundles/prepare',
    summary: `Creates a working folder for at most ${documentedLimits.documentPages} pages; one at a time.`,
    outcome: writeOutcomes.prepare,
    spec: 'observed §7',
  }),
  defineRead('bundles', bundleListSchema, {
    id: 'bundles.list',
    dataKinds: ['bundles'],
    list: { member: 'bundles', isUnnamed: true },
    path: '/bundles',
    summary: 'Task bundles and their state.',
    parameters: [
      defineChoiceParameter('origin', ['bridge'], 'Only bundles made by the bridge.'),
      defineQueryParameter('since', 'Only newer ones.'),
    ],
    spec: 'observed §7',
  }),
  defineBinaryRead(
    'bundles',
    { media: ['any'], fileNameParts: ['path'] },
    {
      id: 'bundles.files',
      dataKinds: ['bundles'],
      path: '/bundles/{bundleId}/files',
      summary: 'Without a path, the list of a bundle’s files; with one, the raw bytes of that file.',
      parameters: [
        bundleIdParameter,
        defineQueryParameter('path', 'Path of the file inside the bundle.', { relativePath: true, basis: 'spec' }),
      ],
      spec: 'spec §1; observed §7',
    },
  ),
  defineWrite('bundles', submitBundleBodySchema, writeResultSchema, {
    id: 'bundles.submit',
    dataKinds: ['cards', 'map', 'studySets', 'documents', 'bundles'],
    isIrreversible: true,
    path: '/bundles/{bundleId}/submit',
    summary: 'Imports a bundle at once; the second time replaces the whole tree.',
    parameters: [bundleIdParameter],
    confirm: 'none',
    outcome: writeOutcomes.submit,
    spec: 'observed §7',
  }),
  defineNavigation('bundles', emptyBodySchema, writeResultSchema, {
    id: 'bundles.focus',
    path: '/bundles/{bundleId}/focus',
    summary: 'Shows what a bundle was imported to.',
    parameters: [bundleIdParameter],
    spec: 'observed §7',
  }),
  defineTask('bundles', emptyBodySchema, writeResultSchema, {
    id: 'bundles.discard',
    dataKinds: ['bundles'],
    isIrreversible: true,
    path: '/bundles/{bundleId}/discard',
    summary: 'Deletes the working folder of a bundle, or cancels its preparation; never imported cards.',
    parameters: [bundleIdParameter],
    outcome: writeOutcomes.discard,
    spec: 'observed §7',
  }),
  defineRead('bundles', legacySyncStatusSchema, {
    id: 'sync.status',
    dataKinds: ['sync'],
    path: '/sync/legacy/status',
    summary: 'Diagnostics of synchronisation.',
    spec: 'observed §10',
  }),
  defineRead('bundles', legacySyncEventsSchema, {
    id: 'sync.events',
    dataKinds: ['sync'],
    list: { member: 'events', isUnnamed: true },
    path: '/sync/legacy/events',
    summary: 'Events of synchronisation after a sequence number.',
    parameters: [
      defineQueryParameter('afterSequence', 'Only later events.', { type: 'integer', min: 0 }),
      defineQueryParameter('limit', 'Maximum events per response.', {
        type: 'integer',
        ...documentedLimits.syncEvents,
      }),
    ],
    spec: 'observed §10',
  }),
  defineTask('bundles', recheckBodySchema, writeResultSchema, {
    id: 'sync.recheck',
    dataKinds: null,
    path: '/sync/legacy/recheck',
    summary: 'Makes the synchronisation check again; it may apply waiting remote changes.',
    outcome: writeOutcomes.recheck,
    spec: 'observed §10',
  }),
  defineTask('bundles', emptyBodySchema, writeResultSchema, {
    id: 'sync.inventory',
    dataKinds: ['sync'],
    path: '/sync/legacy/inventory',
    summary: 'Compares local with remote data without changing either; slow, and uses quota.',
    outcome: writeOutcomes.inventory,
    spec: 'observed §10',
  }),
]
