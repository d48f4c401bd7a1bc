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
 * Whether a refused command's request id is in use with another target (spec §4 pencil-commit). The contract does not show the code of
 * that refusal, so the facts decide: either this program sent the id with another target to this run of the host, or the host has a
 * record of it that it did not answer with, as it does for the same target. Null if that could not be found out.
 */
export async function isRequestIdInUse(
  client: BridgeClient,
  here: ConnectedHost,
  stored: StoredOperation,
  others: readonly OperationRecord[],
  outcome: SendResult,
): Promise<boolean | null> {
  const kind = getCommandKind(stored.endpoint)
  if (kind === 'plain' || stored.requestId === null || !mayBeConflict(outcome)) return false
  if (findEarlierOperation(stored, others, here.instanceNonce)?.relation === 'conflict') return true
  if (kind !== 'pencil') return null
  const look = await pollPencilResult(client, here, stored, [])
  if (look.kind === 'gone') return false
  if (look.kind !== 'seen' || look.event.kind !== 'observation') return null
  return !isSameTarget(getMember(look.event.body, 'target'), getMember(parseBodyText(stored.body), 'target'))
}

/** Statuses for who is asking, how often, and whether the route exists; the status of a conflict is not shown (spec §7). */
const otherwise: ReadonlySet<number> = new Set([401, 403, 404, 405, 408, 429])

const mayBeConflict = (outcome: SendResult): boolean =>
  outcome.kind === 'answer' && !otherwise.has(outcome.status) && isRefusal(outcome.status, errorCodeOf(outcome.value))

/** Members that the host does not name do not make it another target; but a record next to a refusal does. */
function isSameTarget(recorded: unknown, asked: unknown): boolean {
  if (!isObject(recorded) || !isObject(asked)) return false
  return Object.entries(asked).every(([name, value]) => getMember(recorded, name) === value)
}
