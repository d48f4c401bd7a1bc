import { common } from '../../../../shared/bridge/endpoints/define.ts'
import { endpointNamed, endpoints } from '../../../../shared/bridge/endpoints/index.ts'
import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { rowOf } from '../../bridge/client/row-of.ts'
import type { Here } from '../../operations/here.ts'
import type { GatePath } from './path.ts'

/** The row that a call belongs to; one without an id if nobody knows the route. */
export function rowFor(method: string, path: GatePath | null, here: Here | null): Endpoint {
  if (path === null) return { ...common, ...endpointNamed('status.get'), id: '', path: '', access: 'write' }
  return rowOf(method, path.path, here?.target ?? { pathOverrides: {} }, here?.capabilities ?? null)
}

/** Routes that hand out a token, or a code for one, as hosts of any spelling might take them. */
const secretShapes = endpoints
  .filter(({ secret, pairs }) => secret || pairs)
  .map(({ path }) => path.toLowerCase().slice(1).split('/'))

/** Whether a call could be answered with a token. The letter case counts for nothing: some servers ignore it. */
export function isNeverAllowed(row: Endpoint, { segments }: GatePath): boolean {
  if (row.secret || row.pairs) return true
  const shape = segments.map((one) => one.toLowerCase())
  return secretShapes.some(
    (parts) => parts.length === shape.length && parts.every((part, at) => part.startsWith('{') || part === shape[at]),
  )
}
