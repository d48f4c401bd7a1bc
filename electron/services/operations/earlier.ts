import { isObject } from '../../../shared/bridge/operation-facts.ts'
import type { Earlier } from '../../../shared/ipc/commands.ts'
import type { StoredOperation } from '../journal/types.ts'
import type { OperationRecord } from './record.ts'

type Request = Pick<StoredOperation, 'endpoint' | 'path' | 'body' | 'requestId'>

/**
 * The last of `records` with the same request id: the same request again, or another target (spec §4 pencil-commit rules). What never left
 * was never seen by the host.
 */
export function earlierOf(
  { requestId, endpoint, path, body }: Request,
  records: readonly OperationRecord[],
): Earlier | null {
  if (requestId === null) return null
  const found = records.findLast(
    ({ stored, state }) =>
      stored.requestId === requestId &&
      stored.source === 'sent' &&
      stored.endpoint === endpoint &&
      state !== 'not-sent' &&
      state !== 'prepared',
  )
  if (!found) return null
  const replay = found.stored.path === path && sameMembers(found.stored.body, body)
  return { operationId: found.id, relation: replay ? 'replay' : 'conflict', body: found.stored.body }
}

/** Whether two JSON objects hold the same, in whatever order. */
function sameMembers(left: string | null, right: string | null): boolean {
  const sorted = (text: string | null): string => JSON.stringify(ordered(text === null ? null : parsed(text)))
  return left === right || sorted(left) === sorted(right)
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (!isObject(value)) return value
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, ordered(member)])
}

/** Null where it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}
