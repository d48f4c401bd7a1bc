import { common } from '../../../../shared/bridge/endpoints/define.ts'
import { endpointNamed, findEndpoint } from '../../../../shared/bridge/endpoints/index.ts'
import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { routeShape, templateOf } from '../../../../shared/bridge/capabilities.ts'
import { listedId, rowIn } from '../../../../shared/bridge/listed-row.ts'
import { templatePattern } from '../../../../shared/bridge/endpoints/path-template.ts'
import type { Capabilities } from '../../../../shared/bridge/resources/state.ts'
import type { BridgeTarget } from '../types.ts'

/**
 * The row that a method and path belong to: of the table, of the table under the path that this host lists, or of the host alone. For
 * anything else a row without an id, which reads only if it is a GET.
 */
export function rowOf(
  method: string,
  path: string,
  { pathOverrides }: Pick<BridgeTarget, 'pathOverrides'>,
  capabilities: Capabilities | null,
): Endpoint {
  const verb = method.toUpperCase()
  const found = findEndpoint(verb, path).endpoint
  if (found) return found
  const bare = path.split('?', 1)[0] ?? path
  for (const [id, template] of Object.entries(pathOverrides)) {
    const row = rowIn(id, null)
    if (row?.method === verb && templatePattern(template).test(bare)) return row
  }
  for (const route of capabilities?.routes ?? []) {
    const template = templateOf(route.path)
    const id = listedId(route)
    const row =
      id && routeShape(route.method, template).startsWith(`${verb} `) && templatePattern(template).test(bare)
        ? rowIn(id, capabilities)
        : null
    if (row) return row
  }
  const isRead = verb === 'GET'
  return {
    ...common,
    ...endpointNamed('status.get'),
    id: '',
    method: 'GET',
    path: bare,
    auth: 'token',
    concerns: null,
    access: isRead ? 'read' : 'write',
  }
}

/** The same for a request that is passed on: a HEAD asks for the head of what a GET answers. */
export const relayedRow: typeof rowOf = (method, ...rest) => rowOf(method === 'HEAD' ? 'GET' : method, ...rest)
