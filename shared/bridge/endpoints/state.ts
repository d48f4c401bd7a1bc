import { looseWriteBodySchema } from '../resources/notes.ts'
import { writeResultSchema } from '../resources/common.ts'
import {
  capabilitiesSchema,
  contextSchema,
  pairBodySchema,
  pairSchema,
  statusSchema,
  templateSchema,
  uiStateSchema,
} from '../resources/state.ts'
import { read, text, write } from './define.ts'

export const stateEndpoints = [
  read('state', statusSchema, {
    id: 'status.get',
    path: '/status',
    summary: 'Liveness and identity of the host; the one endpoint without a token.',
    auth: 'none',
    spec: 'observed: discovery',
  }),
  read('state', capabilitiesSchema, {
    id: 'capabilities.get',
    path: '/capabilities',
    summary: 'Endpoint list and limits of this host; authoritative at run time.',
    spec: 'spec §1, §9',
  }),
  text('state', 'text/markdown', {
    id: 'guide.get',
    path: '/guide',
    summary: 'The guide of this host, Markdown; authoritative at run time.',
    spec: 'spec §1',
  }),
  read('state', contextSchema, {
    id: 'context.get',
    path: '/context',
    summary: 'What the user has open and selected.',
    spec: 'observed: read endpoints',
  }),
  read('state', uiStateSchema, {
    id: 'uiState.get',
    path: '/ui-state',
    summary: 'Bookmark of the interface.',
    spec: 'spec §4 referenced',
  }),
  write('interface', looseWriteBodySchema, writeResultSchema, {
    id: 'uiState.apply',
    path: '/ui-state/apply',
    summary: 'Brings the interface to a bookmarked state.',
    confirm: 'none',
    spec: 'observed: writes',
  }),
  write('state', pairBodySchema, pairSchema, {
    id: 'pair.post',
    path: '/pair',
    summary: 'Exchanges a six-digit code for a token.',
    confirm: 'none',
    auth: 'none',
    spec: 'observed: discovery',
  }),
  read('interface', templateSchema, {
    id: 'immersive.template',
    path: '/immersive/template',
    summary: 'Interface template: plugins and their configuration.',
    spec: 'spec §7',
  }),
]
