import { unacceptedStates } from '../../../../shared/operations/operation-events.ts'
import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import { parseBodyText, type EarlierCommand } from '../../../../shared/operations/prepared-write.ts'
import type { StoredOperation } from '../../journal/types.ts'
import type { OperationRecord } from './record.ts'
import { isObject } from '../../../../shared/json/object.ts'

type Request = Pick<StoredOperation, 'endpoint' | 'path' | 'body' | 'requestId'>

/**
 * The last of `records` with the same request id. If this run of the host (`nonce`) accepted it, the same request is a replay and another
 * target a conflict (spec §4 pencil-commit rules). If the host did not answer, or it was another run, nobody knows whether it would be
 * carried out again.
 */
export function findEarlierOperation(
  { requestId, endpoint, path, body }: Request,
  records: readonly OperationRecord[],
  nonce: string | null,
): EarlierCommand | null {
  if (requestId === null) return null
  const found = records.findLast(
    ({ stored, state }) =>
      stored.requestId === requestId &&
      stored.source !== 'watched' &&
      stored.endpoint === endpoint &&
      !unacceptedStates.has(state),
  )
  if (!found) return null
  const same = found.stored.path === path && sameMembers(found.stored.body, body)
  const known = nonce !== null && runThatAccepted(found) === nonce
  const relation = known ? (same ? 'replay' : 'conflict') : 'unclear'
  return { operationId: found.id, relation, same, body: found.stored.body }
}

/** The run of the host that accepted a command; null if none did, or if it has lost the record since. */
function runThatAccepted({ events }: OperationRecord): string | null {
  const accepted = events.find(
    (event) => event.kind === 'answer' && event.status >= 200 && event.status < 300 && errorCodeOf(event.body) === null,
  )
  if (accepted?.kind !== 'answer' || events.some(({ kind }) => kind === 'record-gone')) return null
  return accepted.instanceNonce
}

/** Whether two JSON objects are equal, whatever the order of their members. */
function sameMembers(left: string | null, right: string | null): boolean {
  const sorted = (text: string | null): string => JSON.stringify(ordered(parseBodyText(text)))
  return left === right || sorted(left) === sorted(right)
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (!isObject(value)) return value
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, ordered(member)])
}
