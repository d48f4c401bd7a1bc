import { getCommandKind } from '../../../../shared/bridge/endpoints/index.ts'
import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import { isRefusal } from '../outcome/reported-facts.ts'
import { getMember, isObject } from '../../../../shared/json/object.ts'
import { parseBodyText } from '../../../../shared/operations/prepared-write.ts'
import type { BridgeClient, SendResult } from '../../bridge/types.ts'
import type { StoredOperation } from '../../journal/types.ts'
import { findEarlierOperation } from '../records/related-operations.ts'
import type { ConnectedHost } from '../../bridge/connection/connected-host.ts'
import { pollPencilResult } from '../watch/poll-result.ts'
import type { OperationRecord } from '../records/record.ts'

/**
 * True if a refused command's request id is in use with another target (spec §4 pencil-commit). The
 * contract does not show the code of that refusal, so facts decide: either this program sent the id
 * with another target to this run of the host, or the host has a record of it with another target.
 * @returns null if that could not be found out
 */
export async function isRequestIdInUse(
  client: BridgeClient,
  host: ConnectedHost,
  stored: StoredOperation,
  otherRecords: readonly OperationRecord[],
  outcome: SendResult,
): Promise<boolean | null> {
  const kind = getCommandKind(stored.endpoint)
  if (kind === 'plain' || stored.requestId === null || !mayBeConflict(outcome)) return false
  if (findEarlierOperation(stored, otherRecords, host.instanceNonce)?.relation === 'conflict') return true
  if (kind !== 'pencil') return null
  const result = await pollPencilResult(client, host, stored, [])
  if (result.kind === 'gone') return false
  if (result.kind !== 'seen' || result.event.kind !== 'observation') return null
  return isOtherTarget(getMember(result.event.body, 'target'), getMember(parseBodyText(stored.body), 'target'))
}

/** Authorization, rate limits, missing routes. No document shows a conflict's status (spec §7). */
const UNRELATED_STATUSES: ReadonlySet<number> = new Set([401, 403, 404, 405, 408, 429])

const mayBeConflict = (outcome: SendResult): boolean =>
  outcome.kind === 'answer' &&
  !UNRELATED_STATUSES.has(outcome.status) &&
  isRefusal(outcome.status, errorCodeOf(outcome.value))

/**
 * The contract does not show whether a record contains its target. A member that the record omits
 * or sends as null proves neither the same target nor another one.
 * @returns null if the record does not show it
 */
function isOtherTarget(recorded: unknown, requested: unknown): boolean | null {
  if (!isObject(recorded) || !isObject(requested)) return null
  const comparisons = Object.entries(requested).map(([name, value]) => {
    const recordedValue = getMember(recorded, name) ?? null
    return recordedValue === null ? null : recordedValue !== value
  })
  if (comparisons.includes(true)) return true
  return comparisons.includes(null) ? null : false
}
