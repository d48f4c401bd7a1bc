import { endpoints, type EndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { documentedLimits } from '../../../shared/bridge/documented-limits.ts'
import type { DemoState } from './context.ts'

export const bundlePresets: readonly string[] = ['book-breakdown', 'source-structure', 'exam-general', 'dictionary']
export const tocAnchorModes = ['page_text', 'block'] as const
export const GUIDE_VERSION = '12'

/** Replaces the names of placeholders by those that a host uses: `{id}` and `{index}`. */
const toTemplate = (path: string): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'index' ? '{index}' : '{id}'))

/** A write requires the subscription here if the spec does not say. */
export const listedRoutes = endpoints.map(({ method, path, access, auth, requiresMax }) => ({
  method,
  path: toTemplate(path),
  requiresMax: requiresMax ?? (access === 'write' && auth === 'token'),
}))

const excludedForPanels: ReadonlySet<string> = new Set<EndpointId>([
  'install.get',
  'install.code',
  'mcp.post',
  'library.upload',
  'library.deleteDocument',
  'bundles.submit',
  'studySets.delete',
  'studySets.create',
  'pair.post',
  'snapshots.restore',
])

/** What panels may call (spec §5). The spec does not list it, so the choice is ours. */
export const panelEndpointIds: ReadonlySet<string> = new Set<string>(
  endpoints.map(({ id }) => id).filter((id) => !excludedForPanels.has(id)),
)

/** The spec (§5.3) does not say where a host publishes the list, so the place is our choice. */
const panelRoutes = endpoints
  .filter(({ id }) => panelEndpointIds.has(id))
  .map(({ method, path }) => ({ method, path: toTemplate(path) }))

/** Builds the reply to `GET /capabilities` (observed §1). */
export function buildCapabilities(state: DemoState): object {
  return {
    routes: listedRoutes,
    panelRoutes,
    accessPolicy: {
      readOnlyRequiresMax: false,
      writeRequiresMax: true,
      routeField: 'requiresMax',
      userDataStillRequiresBearerToken: true,
      setupNavigationAndTemporaryExportRequireMax: false,
    },
    presets: bundlePresets,
    anchorModes: tocAnchorModes,
    bundlePrepare: { maxPages: documentedLimits.documentPages, async: true },
    bundleSubmit: { excerptModes: ['child', 'link'], supportsWithBlank: true },
    noteMetadata: {
      maxNoteIds: state.noteLimit,
      colorIndex: { min: 0, max: 15 },
      fillIndex: [-1, 0, 1, 2],
      palette: { route: '/study-sets/{id}/note-palette' },
    },
    fillIndexSemantics: { '-1': 'adaptive', '0': 'fill and stroke', '1': 'fill', '2': 'stroke' },
    noteCopy: {
      modes: ['reference', 'clone'],
      scope: 'branch',
      target: 'existing_parent_card',
      maxSourceRoots: documentedLimits.branchNoteIds,
    },
    noteHashtags: {
      operations: ['add', 'remove', 'replace'],
      hierarchySeparator: '/',
      maxNoteIds: state.noteLimit,
      maxHashtags: documentedLimits.hashtags,
      removeDefault: 'exact_full_path',
      recursiveRemoveFlag: 'includeDescendants',
      writeRoute: '/notes/hashtags',
    },
    reviewDeckCards: {
      questionModes: ['automatic', 'custom_text', 'content_part'],
      customTextField: 'question',
      contentSelectorField: 'questionContentId',
      route: '/decks/{id}/cards',
    },
    imageOcclusions: {
      coordinateSpace: 'normalized_top_left',
      operations: ['add', 'replace'],
      maxMasks: documentedLimits.masks,
      requiresDryRun: true,
    },
    documentExport: { format: 'pdf', selectorInput: 'selectedPageNos', requiresConfirm: false },
    mindMapPrint: {
      schema: 'mn.mindMapPrintPlan.v0',
      modes: ['keepStructure', 'classic', 'cardFlow'],
      densityValue: { min: 0, max: 1, classicCompatibleAt: 0.995 },
    },
    legacySync: { lanes: ['cloudkit', 'documents'], inventoryAuthoritative: false },
    limits: {
      ...documentedLimits,
      batchNoteIds: state.noteLimit,
      walkLimit: state.walkLimit,
      excerptLimit: state.excerptLimit,
    },
    guide: { version: GUIDE_VERSION, route: '/guide', rotatesToken: false },
  }
}
