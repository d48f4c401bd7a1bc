import type { IncomingMessage } from 'node:http'
import { hasMethodOverride } from '../../../shared/bridge/access.ts'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import type { Capabilities } from '../../../shared/bridge/resources/state.ts'
import { relayedRow } from '../bridge/client/row-of.ts'
import { isAmbiguous } from '../bridge/wire/raw-path.ts'
import type { BridgeTarget } from '../bridge/types.ts'
import { pairs } from '../bridge/wire/trace.ts'

const reads = new Set(['GET', 'HEAD'])

/**
 * Whether a request may do something else than read, as far as its head tells. A path that a host may read in another way than we do counts
 * as what it may mean, and so does a header or parameter that some servers take for the method.
 */
export function mayWrite(
  request: IncomingMessage,
  rawPath: string,
  row: Endpoint,
  target: BridgeTarget,
  capabilities: Capabilities | null,
): boolean {
  const method = request.method ?? ''
  if (row.access !== 'read') return true
  if (hasMethodOverride({ path: rawPath, headers: pairs(request.rawHeaders) })) return true
  if (!isAmbiguous(rawPath)) return false
  if (!reads.has(method)) return true
  const plain = rawPath
    .replace(/%2f|%5c|\\/gi, '/')
    .replace(/;[^/?]*/g, '')
    .replace(/\/{2,}/g, '/')
    .replace(/\/(?=\?|$)/, '')
  return relayedRow(method, plain, target, capabilities).access !== 'read'
}
