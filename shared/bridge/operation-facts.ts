import type { OperationEvent } from './operation-states.ts'
import { isObject } from '../json/object.ts'

/** What the host has said so far, in its own words; null if it never said. */
export interface OperationFacts {
  readonly persisted: boolean | null
  readonly settled: boolean | null
  readonly outcome: string | null
  readonly persistedSnapshotVerified: boolean | null
  readonly snapshotCurrent: boolean | null
  readonly errorCode: string | null
  readonly windowId: string | null
}

export const nothingSaid: OperationFacts = {
  persisted: null,
  settled: null,
  outcome: null,
  persistedSnapshotVerified: null,
  snapshotCurrent: null,
  errorCode: null,
  windowId: null,
}

/** How many characters of a host's word a fact keeps; the whole answer is in its event. */
const MOST_WORD = 200

/**
 * The facts from the last answer or `pencil-result` that stated them; what was read back says nothing about the command itself. Only a
 * look says anything about a snapshot: an acknowledgement is no outcome (spec §3 rule 1).
 */
export function factsAfter(facts: OperationFacts, event: OperationEvent, requestId: string | null): OperationFacts {
  const look = event.kind === 'observation' && event.source === 'pencil-result' && says(event, requestId)
  if (event.kind !== 'answer' && !look) return facts
  const { body } = event
  if (event.kind === 'answer' && isOfAnother(body, requestId)) return facts
  const said = statedFacts(body)
  return {
    persisted: said.persisted ?? facts.persisted,
    settled: said.settled ?? facts.settled,
    outcome: said.outcome ?? facts.outcome,
    persistedSnapshotVerified: (look ? said.persistedSnapshotVerified : null) ?? facts.persistedSnapshotVerified,
    snapshotCurrent: (look ? said.snapshotCurrent : null) ?? facts.snapshotCurrent,
    errorCode: said.errorCode ?? facts.errorCode,
    windowId: said.windowId ?? facts.windowId,
  }
}

/** What one answer states, whatever the host put into it; null for what it does not state. */
export function statedFacts(body: unknown): OperationFacts {
  const flag = (name: string): boolean | null => {
    const value = member(body, name)
    return typeof value === 'boolean' ? value : null
  }
  const text = (name: string): string | null => {
    const value = member(body, name)
    return typeof value === 'string' ? value.slice(0, MOST_WORD) : null
  }
  return {
    persisted: flag('persisted'),
    settled: flag('settled'),
    outcome: text('outcome'),
    persistedSnapshotVerified: flag('persistedSnapshotVerified'),
    snapshotCurrent: flag('snapshotCurrent'),
    errorCode: errorCodeOf(body)?.slice(0, MOST_WORD) ?? null,
    windowId: text('windowId'),
  }
}

/**
 * Whether a look was answered with what was looked for: a refusal of the look says nothing about the operation. An error next to
 * `settled: true` is how the operation ended.
 */
export function says(
  { status, body, source }: Extract<OperationEvent, { kind: 'observation' }>,
  requestId: string | null,
): boolean {
  if (status < 200 || status >= 300 || !isObject(body)) return false
  // A session record names its own command (`matches`).
  if (source === 'pencil-result' && isOfAnother(body, requestId)) return false
  return errorCodeOf(body) === null || member(body, 'settled') === true
}

/** Whether an answer names a different request from the one that was asked about. */
export function isOfAnother(body: unknown, requestId: string | null): boolean {
  const named = member(body, 'requestId')
  return requestId !== null && typeof named === 'string' && named !== requestId
}

/**
 * Whether an answer says that the command was not executed. An error of the host itself (5xx) or a timeout (408) may come after it was
 * executed, but `APPROVAL_TIMEOUT` cannot: nobody approved (observed-0.49).
 */
export function isRefusal(status: number, code: string | null): boolean {
  if (status === 408) return code === 'APPROVAL_TIMEOUT'
  if (status >= 400 && status < 500) return true
  return code !== null && status < 300
}

/** Code of the `error` in a body (spec §7); the empty text if it has none, null if there is no error. */
export function errorCodeOf(body: unknown): string | null {
  const error = member(body, 'error')
  if (error === undefined || error === null) return null
  const code = member(error, 'code')
  return typeof code === 'string' ? code : ''
}

/** How many seconds an error asks to wait, as sent: in itself, or in its `details` (observed-0.49: most likely there). */
export const waitIn = (error: unknown): unknown =>
  member(error, 'retryAfterSeconds') ?? member(member(error, 'details'), 'retryAfterSeconds')

/** The JSON text of a body as it was sent, parsed; null if there was none, or it is not JSON. */
export function parsedBody(text: string | null): unknown {
  if (text === null) return null
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

/** An own member of an object, whatever the host sent. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Reflect.get(value, name)
}
