import { rowDefaults } from '../../../../shared/bridge/endpoints/row-builders.ts'
import { getEndpointById, classifyRequest } from '../../../../shared/bridge/endpoints/index.ts'
import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { toPathTemplate, type CapabilityComparison } from '../../../../shared/bridge/capabilities.ts'
import { findCommandRow, toListedId, findEndpointRow } from '../../../../shared/bridge/listed-row.ts'
import { matchPathTemplate } from '../../../../shared/bridge/endpoints/path-template.ts'
import type { Capabilities } from '../../../../shared/bridge/resources/state.ts'
import type { ExchangeRow } from '../../../../shared/traffic/exchange.ts'

/**
 * Finds the endpoint for a method and path: in the endpoint table, in the table under a path that
 * this host lists, or among the host's own routes.
 * @returns For an unknown route, an endpoint with an empty id, which is a read only if the method
 *   is GET.
 */
export function resolveRow(
  method: string,
  path: string,
  { pathOverrides }: Pick<CapabilityComparison, 'pathOverrides'>,
  capabilities: Capabilities | null,
): Endpoint {
  const upperMethod = method.toUpperCase()
  const tableRow = classifyRequest(upperMethod, path).endpoint
  if (tableRow) return tableRow
  const pathname = path.split('?', 1)[0] ?? path
  for (const [id, template] of Object.entries(pathOverrides)) {
    const row = findEndpointRow(id, null)
    if (row?.method === upperMethod && matchPathTemplate(template, pathname) !== null) return row
  }
  for (const route of capabilities?.routes ?? []) {
    if (route.method.toUpperCase() !== upperMethod) continue
    if (matchPathTemplate(toPathTemplate(route.path), pathname) === null) continue
    const id = toListedId(route)
    const row = id && findEndpointRow(id, capabilities)
    if (row) return row
  }
  const isRead = upperMethod === 'GET'
  return {
    ...rowDefaults,
    ...getEndpointById('status.get'),
    id: '',
    method: 'GET',
    path: pathname,
    auth: 'token',
    dataKinds: null,
    access: isRead ? 'read' : 'write',
  }
}

/** Ignores the host's own paths, which only reads have. */
export function resolveRecordedRow(
  { endpoint, method, path }: Pick<ExchangeRow, 'endpoint' | 'method' | 'path'>,
  capabilities: Capabilities | null,
): Endpoint {
  const row = endpoint === null ? null : (findEndpointRow(endpoint, capabilities) ?? findCommandRow(endpoint))
  return row ?? resolveRelayedRow(method, path, { pathOverrides: {} }, capabilities)
}

/** Like `resolveRow`. A HEAD belongs to the endpoint of the GET with its path. */
export const resolveRelayedRow: typeof resolveRow = (method, ...rest) =>
  resolveRow(method === 'HEAD' ? 'GET' : method, ...rest)
