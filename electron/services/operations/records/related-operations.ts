import { unacceptedStates } from '../../../../shared/operations/operation-events.ts'
import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import { parseBodyText, type EarlierCommand } from '../../../../shared/operations/prepared-write.ts'
import type { StoredOperation } from '../../journal/types.ts'
import type { OperationRecord } from './record.ts'
import { isObject } from '../../../../shared/json/object.ts'

type Request = Pick<StoredOperation, 'endpoint' | 'path' | 'body' | 'requestId'>

/**
 * Finds the last of `records` with the same endpoint and request id that the host did not refuse.
 * If this run of the host (`nonce`) accepted that command, the same request is a replay, and a
 * request with a different target is a conflict (spec §4 pencil-commit rules). If the command got
 * no response or went to a different run, it is unclear whether the host would carry out the
 * request again.
 */
export function findEarlierOperation(
  { requestId, endpoint, path, body }: Request,
  records: readonly OperationRecord[],
  nonce: string | null,
): EarlierCommand | null {
  if (requestId === null) return null
  const earlier = records.findLast(
    ({ stored, state }) =>
      stored.requestId === requestId &&
      stored.source !== 'watched' &&
      stored.endpoint === endpoint &&
      !unacceptedStates.has(state),
  )
  if (!earlier) return null
  const isSame = earlier.stored.path === path && hasSameMembers(earlier.stored.body, body)
  const isSameRun = nonce !== null && findAcceptingRun(earlier) === nonce
  const relation = isSameRun ? (isSame ? 'replay' : 'conflict') : 'unclear'
  return { operationId: earlier.id, relation, same: isSame, body: earlier.stored.body }
}

function findAcceptingRun({ events }: OperationRecord): string | null {
  const acceptance = events.find(
    (event) => event.kind === 'answer' && event.status >= 200 && event.status < 300 && errorCodeOf(event.body) === null,
  )
  if (acceptance?.kind !== 'answer' || events.some(({ kind }) => kind === 'record-gone')) return null
  return acceptance.instanceNonce
}

/** True if two JSON texts are equal apart from the order of members. */
function hasSameMembers(left: string | null, right: string | null): boolean {
  const toSortedText = (text: string | null): string => JSON.stringify(sortMembers(parseBodyText(text)))
  return left === right || toSortedText(left) === toSortedText(right)
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers)
  if (!isObject(value)) return value
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, sortMembers(member)])
}
