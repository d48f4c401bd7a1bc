import { isOpen } from '../../../shared/bridge/operation.ts'
import type { Capabilities } from '../../../shared/bridge/resources/state.ts'
import type { Prepared } from '../../../shared/ipc/operations.ts'
import { requestHeaders } from '../bridge/headers.ts'
import type { BridgeTarget } from '../bridge/types.ts'
import type { Command } from './command.ts'
import type { OperationRecord } from './record.ts'

/** Routes whose effect nothing here takes back. */
const final = new Set([
  'studySets.delete',
  'snapshots.restore',
  'notes.delete',
  'notes.deleteComment',
  'notes.mergeBranch',
  'bundles.submit',
])

/** Everything that a person should know of a command before it is sent. */
export function describeCommand(
  command: Command,
  target: BridgeTarget,
  records: readonly OperationRecord[],
  capabilities: Pick<Capabilities, 'routes'> | null,
): Omit<Prepared, 'ticket' | 'expiresAt'> {
  const { endpoint, path, bodyText, added } = command
  const route = routeOf(command, capabilities)
  const requiresMax = route?.requiresMax ?? null
  const listed = capabilities === null ? null : route !== null
  const blockedBy = blockerOf(command, records)
  const same = sameRequestOf(command, records)
  const warn = (code: string, params: Record<string, string> = {}) => ({ code, params })
  const warnings = [
    ...(endpoint.access === 'navigate' ? [warn('takes-over-screen')] : []),
    ...(final.has(endpoint.id) ? [warn('cannot-be-undone')] : []),
    ...(endpoint.access === 'write' && endpoint.confirm === 'none' ? [warn('no-confirm-gate')] : []),
    ...(endpoint.addon ? [warn('addon-is-rewritten')] : []),
    ...(requiresMax === true ? [warn('requires-max')] : []),
    ...(listed === false ? [warn('not-listed')] : []),
    ...(blockedBy === null ? [] : [warn('unfinished-commit')]),
    ...(same === null ? [] : [warn(same.relation === 'replay' ? 'replay' : 'other-target')]),
  ]
  const headers = requestHeaders(
    { ...target, token: target.token === null ? null : 'x'.repeat(16) },
    {
      accept: 'application/json',
      body: bodyText === null ? null : Buffer.from(bodyText),
      userAgent: 'bridge-inspector',
    },
  )
  return {
    endpoint: endpoint.id,
    access: endpoint.access === 'navigate' ? 'navigate' : 'write',
    method: endpoint.method,
    path,
    origin: new URL(target.baseUrl).origin,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.includes('x'.repeat(16)) ? '••••' : value]),
    ),
    body: bodyText,
    added: [...added],
    requiresMax,
    listed,
    canPreview: added.length > 0,
    warnings,
    blockedBy,
    sameRequestId: same,
  }
}

function routeOf({ endpoint }: Command, capabilities: Pick<Capabilities, 'routes'> | null) {
  const shape = (path: string): string =>
    `/${path}`
      .replace(/^\/+/, '/')
      .replace(/^\/bridge\/v1(?=\/)/, '')
      .replace(/\{[^{}]*\}|:[A-Za-z_]+/g, '{}')
  return (
    capabilities?.routes.find(
      ({ method, path }) => method.toUpperCase() === endpoint.method && shape(path) === shape(endpoint.path),
    ) ?? null
  )
}

/** The unfinished commit of the same surface: each window may have only one (spec §4, §8). */
function blockerOf({ endpoint, body, requestId }: Command, records: readonly OperationRecord[]): string | null {
  if (endpoint.id !== 'writing.pencilCommit') return null
  const surface = body?.['surfaceId']
  const found = records.find(({ stored, derived }) => {
    if (stored.endpoint !== endpoint.id || !isOpen(derived.state) || stored.requestId === requestId) return false
    return bodyOf(stored.body)?.['surfaceId'] === surface
  })
  return found?.id ?? null
}

/** An earlier record with this request id: the same request again, or another target (spec §4 pencil-commit rules). */
function sameRequestOf(
  { endpoint, bodyText, requestId }: Command,
  records: readonly OperationRecord[],
): Prepared['sameRequestId'] {
  if (requestId === null) return null
  const found = records.findLast(({ stored }) => stored.requestId === requestId && stored.endpoint === endpoint.id)
  if (!found) return null
  return { operationId: found.id, relation: found.stored.body === bodyText ? 'replay' : 'conflict' }
}

function bodyOf(text: string | null): Record<string, unknown> | null {
  if (text === null) return null
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return null
  }
}
