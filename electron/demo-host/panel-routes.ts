import { endpoints, type EndpointId } from '../../shared/bridge/endpoints/index.ts'

const notForPanels: ReadonlySet<string> = new Set<EndpointId>([
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

/** The web-panel allow-list (spec §5): the endpoints that a panel may call; any other path is refused. Which they are is our choice. */
export const forPanels: ReadonlySet<string> = new Set<string>(
  endpoints.map(({ id }) => id).filter((id) => !notForPanels.has(id)),
)
