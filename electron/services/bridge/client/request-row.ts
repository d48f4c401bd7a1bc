import { rowDefaults } from '../../../../shared/bridge/endpoints/row-builders.ts'
import { getEndpointById, classifyRequest } from '../../../../shared/bridge/endpoints/index.ts'
import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { toRouteShape, toPathTemplate } from '../../../../shared/bridge/capabilities.ts'
import { toListedId, findEndpointRow } from '../../../../shared/bridge/listed-row.ts'
import { createTemplatePattern } from '../../../../shared/bridge/endpoints/path-template.ts'
import type { Capabilities } from '../../../../shared/bridge/resources/state.ts'
import type { BridgeTarget } from '../types.ts'

/**
 * The row that a method and path belong to: of the table, of the table under the path that this host lists, or of the host alone. For
 * anything else a row without an id, which reads only if it is a GET.
 */
export function resolveRow(
  method: string,
  path: string,
  { pathOverrides }: Pick<BridgeTarget, 'pathOverrides'>,
  capabilities: Capabilities | null,
): Endpoint {
  const verb = method.toUpperCase()
  const found = classifyRequest(verb, path).endpoint
  if (found) return found
  const bare = path.split('?', 1)[0] ?? path
  for (const [id, template] of Object.entries(pathOverrides)) {
    const row = findEndpointRow(id, null)
    if (row?.method === verb && createTemplatePattern(template).test(bare)) return row
  }
  for (const route of capabilities?.routes ?? []) {
    const template = toPathTemplate(route.path)
    const id = toListedId(route)
    const row =
      id && toRouteShape(route.method, template).startsWith(`${verb} `) && createTemplatePattern(template).test(bare)
        ? findEndpointRow(id, capabilities)
        : null
    if (row) return row
  }
  const isRead = verb === 'GET'
  return {
    ...rowDefaults,
    ...getEndpointById('status.get'),
    id: '',
    method: 'GET',
    path: bare,
    auth: 'token',
    dataKinds: null,
    access: isRead ? 'read' : 'write',
  }
}

/** The same for a request that is passed on: a HEAD asks for the head of what a GET answers. */
export const resolveRelayedRow: typeof resolveRow = (method, ...rest) =>
  resolveRow(method === 'HEAD' ? 'GET' : method, ...rest)
