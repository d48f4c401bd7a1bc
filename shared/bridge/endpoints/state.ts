import { emptyBodySchema, mcpBodySchema, uiStateBodySchema } from '../resources/body-schemas.ts'
import { writeResultSchema } from '../resources/common.ts'
import { mcpResponseSchema } from '../resources/tool-responses.ts'
import {
  capabilitiesSchema,
  hostContextSchema,
  pairBodySchema,
  pairResponseSchema,
  statusSchema,
  interfaceTemplateSchema,
  uiStateSchema,
} from '../resources/state.ts'
import { normalizeCapabilities } from '../listed-routes.ts'
import { defineQueryParameter, defineRead, defineTask, defineTextRead, defineWrite } from './row-builders.ts'
import { writeOutcomes } from './outcomes.ts'

/** Described in observed-0.49 §1 and §11. */
export const stateEndpoints = [
  defineRead('state', statusSchema, {
    id: 'status.get',
    path: '/status',
    summary: 'Liveness and identity of the host; the only endpoint without a token.',
    auth: 'none',
    spec: 'observed §1',
  }),
  defineRead('state', capabilitiesSchema, {
    id: 'capabilities.get',
    path: '/capabilities',
    normalize: normalizeCapabilities,
    summary: 'This host’s endpoints and limits; authoritative at run time.',
    spec: 'spec §1, §9; observed §1',
  }),
  defineTextRead('state', 'text/markdown', {
    id: 'guide.get',
    path: '/guide',
    summary: 'This host’s guide in Markdown; authoritative at run time.',
    spec: 'spec §1; observed §1',
  }),
  defineRead('state', hostContextSchema, {
    id: 'context.get',
    dataKinds: ['screen', 'cards', 'map'],
    path: '/context',
    summary: 'What the user has open and selected.',
    spec: 'observed §1',
  }),
  defineTextRead('state', 'text/plain', {
    id: 'install.get',
    path: '/install',
    summary:
      'The command line tool’s installation script; uses up the code, and a new installation replaces the token.',
    parameters: [
      defineQueryParameter('code', 'Valid once, for ten minutes.', { required: true, source: 'POST /install/code' }),
    ],
    access: 'task',
    touches: [],
    auth: 'none',
    returnsSecret: true,
    outcome: writeOutcomes.navigate,
    spec: 'observed §1',
  }),
  defineTask('state', emptyBodySchema, writeResultSchema, {
    id: 'install.code',
    path: '/install/code',
    summary: 'Creates a code for the installation; neither replaces the token nor writes a file.',
    returnsSecret: true,
    spec: 'observed §1',
  }),
  defineWrite('state', mcpBodySchema, mcpResponseSchema, {
    id: 'mcp.post',
    dataKinds: null,
    path: '/mcp',
    summary: 'JSON-RPC channel: mn_guide, and mn_call, which may call any other route.',
    requiresMax: false,
    confirm: 'none',
    spec: 'observed §1',
  }),
  defineRead('state', uiStateSchema, {
    id: 'uiState.get',
    dataKinds: ['screen'],
    path: '/ui-state',
    summary: 'Bookmark of the interface.',
    spec: 'spec §4 referenced; observed §11',
  }),
  defineWrite('interface', uiStateBodySchema, writeResultSchema, {
    id: 'uiState.apply',
    dataKinds: ['screen'],
    path: '/ui-state/apply',
    summary: 'Restores a bookmarked state of the interface; takes about a second and a half.',
    confirm: 'none',
    outcome: writeOutcomes.uiState,
    spec: 'observed §11',
  }),
  defineWrite('state', pairBodySchema, pairResponseSchema, {
    id: 'pair.post',
    dataKinds: [],
    path: '/pair',
    summary: 'Exchanges a six-digit code for a token.',
    createsProfile: true,
    requiresMax: false,
    confirm: 'none',
    auth: 'none',
    returnsSecret: true,
    spec: 'observed: discovery',
  }),
  defineRead('interface', interfaceTemplateSchema, {
    id: 'immersive.template',
    path: '/immersive/template',
    summary: 'Interface template: plugins and their configuration.',
    spec: 'spec §7',
  }),
]
