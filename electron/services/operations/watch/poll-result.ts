import { getCommandKind, getEndpoint, findEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import { isForOtherRequest } from '../outcome/reported-facts.ts'
import { getMember } from '../../../../shared/json/object.ts'
import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'
import { matchSessionRecord, findSessionRecord } from '../../../../shared/bridge/session-record.ts'
import { isRouteListed } from '../../../../shared/bridge/capabilities.ts'
import { AppError } from '../../../../shared/errors.ts'
import type { BridgeClient, SendResult } from '../../bridge/types.ts'
import type { StoredOperation } from '../../journal/types.ts'
import type { ConnectedHost } from '../../bridge/connection/connected-host.ts'
import { parseBodyText } from '../../../../shared/operations/prepared-write.ts'
import { truncateBody } from '../records/stored-body.ts'
import { NOTHING_TO_READ } from '../records/read-back.ts'

type PollContent =
  | { readonly kind: 'seen'; readonly event: OperationEvent }
  /** The host reports that it has no record of the command. */
  | { readonly kind: 'gone'; readonly event: OperationEvent }
  /** The response has no place for a record of the command, or no record yet. */
  | { readonly kind: 'absent' }
  /** The poll brought no information. */
  | { readonly kind: 'nothing'; readonly error: AppError | null; readonly status: number | null }

/** `retryAfterMs` is how long the host asks not to be polled; 0 if it does not say. */
export type PollResult = PollContent & { readonly retryAfterMs: number }

/** `instanceNonce` is the run of the host that last reported on the command; null if none did. */
type PolledOperation = Pick<StoredOperation, 'id' | 'endpoint' | 'requestId' | 'instanceNonce' | 'body'>

const limits = { connectTimeoutMs: 3_000, idleTimeoutMs: 8_000, totalTimeoutMs: 15_000, maxBytes: 4 * 1024 * 1024 }

/**
 * True if the host can report the outcome of this command. A route that the host does not list is
 * not asked. A session record is asked for only once the capabilities were read, because the spec
 * does not say which route has it.
 */
export function canPollOutcome(
  { endpoint: id, requestId }: Pick<PolledOperation, 'endpoint' | 'requestId'>,
  host: Pick<ConnectedHost, 'capabilities' | 'target'>,
): boolean {
  const kind = getCommandKind(id)
  if (requestId === null || kind === 'plain') return false
  if (kind === 'pencil') return isRouteListed(getEndpoint('writing.pencilResult'), host) !== false
  return host.capabilities !== null && isRouteListed(getEndpoint('writing.context'), host) !== false
}

/**
 * Polls the host once for the outcome of a command: through `pencil-result` with the same request
 * id (spec §4: never a new one), or through the session record.
 * @param events those of the operation's record.
 * @returns the result; the promise never rejects.
 */
export async function pollPencilResult(
  client: BridgeClient,
  host: ConnectedHost,
  operation: PolledOperation,
  events: readonly OperationEvent[],
  signal?: AbortSignal,
): Promise<PollResult> {
  const origin = { kind: 'tracker' as const, label: operation.id }
  const request = { limits, origin, ...(signal ? { signal } : {}) }
  const isSession = getCommandKind(operation.endpoint) === 'session'
  const outcome = await client.sendOnce(host.target, {
    endpoint: getEndpoint(isSession ? 'writing.context' : 'writing.pencilResult'),
    ...(isSession ? {} : { body: { requestId: operation.requestId } }),
    ...request,
  })
  const retryAfterMs = outcome.kind === 'answer' ? (outcome.retryAfterSeconds ?? 0) * 1_000 : 0
  const content = isSession
    ? toSessionPollResult(outcome, operation, events)
    : toPencilPollResult(outcome, operation, host.instanceNonce)
  return { ...content, retryAfterMs }
}

function toPencilPollResult(
  outcome: SendResult,
  { requestId, instanceNonce }: PolledOperation,
  currentNonce: string | null,
): PollContent {
  if (outcome.kind === 'failure') return createEmptyResult(outcome)
  const { status, value, exchangeId } = outcome
  const timestamp = Date.now()
  const truncated = truncateBody(value)
  const { body } = truncated
  const isCut = truncated.cut || outcome.isTruncated
  const code = errorCodeOf(value)
  if (isMissing(status, code) && getMember(value, 'settled') !== true)
    return {
      kind: 'gone',
      event: { kind: 'record-gone', at: timestamp, status, body, sameRun: isSameRun(instanceNonce, currentNonce) },
    }
  // An operation's own error comes with success; other statuses say nothing about it.
  if (status < 200 || status >= 300) return createEmptyResult(outcome)
  if (isForOtherRequest(value, requestId)) return { kind: 'nothing', error: createOtherRequestError(), status }
  const event = {
    kind: 'observation' as const,
    at: timestamp,
    source: 'pencil-result' as const,
    status,
    body,
    cut: isCut,
    exchangeId,
  }
  return { kind: 'seen', event: { ...event, matches: null } }
}

const isSameRun = (recordNonce: string | null, currentNonce: string | null): boolean | null =>
  recordNonce === null || currentNonce === null ? null : recordNonce === currentNonce

/**
 * True if the host says that it has no record of the command. The contract does not show the code
 * for that (spec §7), and a caller inside the host sees no status. A host without the route says
 * nothing about the record.
 */
function isMissing(status: number, code: string | null): boolean {
  if (/ROUTE|ENDPOINT|METHOD|PATH/i.test(code ?? '')) return false
  if (status === 404 || status === 410) return true
  // All other statuses are about authorization, rate limits or faults of the host, with any code.
  if (status >= 300 && status !== 400 && status !== 422) return false
  return /NOT_FOUND|UNKNOWN_(REQUEST|OPERATION|RECORD)|_(GONE|EXPIRED|LOST)$/i.test(code ?? '')
}

const createOtherRequestError = () =>
  new AppError({
    kind: 'malformed',
    code: 'OTHER_REQUEST',
    message: 'The host answered with the outcome of another request id.',
    retryable: true,
  })

function toSessionPollResult(
  outcome: SendResult,
  { endpoint: id, requestId, body: bodyText }: PolledOperation,
  events: readonly OperationEvent[],
): PollContent {
  if (outcome.kind === 'failure') return createEmptyResult(outcome)
  const { status, value, exchangeId } = outcome
  if (status < 200 || status >= 300) return createEmptyResult(outcome)
  const before = events.find((event) => event.kind === 'read-back' && event.when === 'before')
  const command = {
    requestId,
    attemptId: getMember(findResponseBody(events), 'attemptId'),
    recordBefore: before?.kind === 'read-back' ? getRecordBefore(before) : null,
    body: parseBodyText(bodyText),
    isPause: findEndpointById(id)?.touches.some((by) => by.kind === 'session' && by.pauses === true) === true,
  }
  const record = findSessionRecord(value, command)
  if (record === undefined) return { kind: 'absent' }
  const matches = record === null ? false : matchSessionRecord(record, command)
  const truncated = truncateBody(record ?? { session: null })
  const { body } = truncated
  const isCut = truncated.cut || outcome.isTruncated
  const event = {
    kind: 'observation' as const,
    at: Date.now(),
    source: 'session-record' as const,
    status,
    body,
    cut: isCut,
  }
  return { kind: 'seen', event: { ...event, exchangeId, matches } }
}

/** If the host had no session record before the command, every later one is new. */
function getRecordBefore({ facts, error }: Extract<OperationEvent, { kind: 'read-back' }>): unknown {
  return facts === null && getMember(error, 'code') === NOTHING_TO_READ ? { session: null } : facts
}

/** The host has nothing that could confirm a session command: its outcome stays unknown. */
export function createNoConfirmationResult(): PollResult & { kind: 'seen' } {
  return {
    kind: 'seen',
    event: { kind: 'given-up', at: Date.now(), by: 'no-confirmation' },
    retryAfterMs: 0,
  }
}

/** The body of the response to the command itself. */
function findResponseBody(events: readonly OperationEvent[]): unknown {
  return events.find((event) => event.kind === 'answer')?.body
}

function createEmptyResult(outcome: SendResult): PollContent {
  return outcome.kind === 'failure'
    ? { kind: 'nothing', error: outcome.error, status: null }
    : { kind: 'nothing', error: null, status: outcome.status }
}
