import { emptyBody, mcpBody, uiStateBody } from '../resources/bodies.ts'
import { writeResultSchema } from '../resources/common.ts'
import { mcpSchema } from '../resources/observed.ts'
import {
  capabilitiesSchema,
  contextSchema,
  pairBodySchema,
  pairSchema,
  statusSchema,
  templateSchema,
  uiStateSchema,
} from '../resources/state.ts'
import { inQuery, read, task, text, write } from './define.ts'
import { outcomes } from './outcomes.ts'

/** The host itself, its installation, and its interface (observed-0.49 §1, §11). */
export const stateEndpoints = [
  read('state', statusSchema, {
    id: 'status.get',
    path: '/status',
    summary: 'Liveness and identity of the host; the only endpoint without a token.',
    auth: 'none',
    spec: 'observed §1',
  }),
  read('state', capabilitiesSchema, {
    id: 'capabilities.get',
    path: '/capabilities',
    summary: 'This host’s endpoints and limits; authoritative at run time.',
    spec: 'spec §1, §9; observed §1',
  }),
  text('state', 'text/markdown', {
    id: 'guide.get',
    path: '/guide',
    summary: 'This host’s guide in Markdown; authoritative at run time.',
    spec: 'spec §1; observed §1',
  }),
  read('state', contextSchema, {
    id: 'context.get',
    concerns: ['screen', 'cards', 'map'],
    path: '/context',
    summary: 'What the user has open and selected.',
    spec: 'observed §1',
  }),
  text('state', 'text/plain', {
    id: 'install.get',
    path: '/install',
    summary:
      'The command line tool’s installation script; uses up the code, and a new installation replaces the token.',
    parameters: [inQuery('code', 'Valid once, for ten minutes.', { required: true, source: 'POST /install/code' })],
    access: 'task',
    touches: [],
    auth: 'none',
    secret: true,
    outcome: outcomes.navigate,
    spec: 'observed §1',
  }),
  task('state', emptyBody, writeResultSchema, {
    id: 'install.code',
    path: '/install/code',
    summary: 'Creates a code for the installation; neither replaces the token nor writes a file.',
    secret: true,
    spec: 'observed §1',
  }),
  write('state', mcpBody, mcpSchema, {
    id: 'mcp.post',
    concerns: null,
    path: '/mcp',
    summary: 'JSON-RPC channel: mn_guide, and mn_call, which may call any other route.',
    requiresMax: false,
    confirm: 'none',
    spec: 'observed §1',
  }),
  read('state', uiStateSchema, {
    id: 'uiState.get',
    concerns: ['screen'],
    path: '/ui-state',
    summary: 'Bookmark of the interface.',
    spec: 'spec §4 referenced; observed §11',
  }),
  write('interface', uiStateBody, writeResultSchema, {
    id: 'uiState.apply',
    concerns: ['screen'],
    path: '/ui-state/apply',
    summary: 'Restores a bookmarked state of the interface; takes about a second and a half.',
    confirm: 'none',
    outcome: outcomes.uiState,
    spec: 'observed §11',
  }),
  write('state', pairBodySchema, pairSchema, {
    id: 'pair.post',
    concerns: [],
    path: '/pair',
    summary: 'Exchanges a six-digit code for a token.',
    pairs: true,
    requiresMax: false,
    confirm: 'none',
    auth: 'none',
    secret: true,
    spec: 'observed: discovery',
  }),
  read('interface', templateSchema, {
    id: 'immersive.template',
    path: '/immersive/template',
    summary: 'Interface template: plugins and their configuration.',
    spec: 'spec §7',
  }),
]
