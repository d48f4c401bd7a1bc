import { getCommandKind, getEndpoint, findEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import { isForOtherRequest } from '../outcome/reported-facts.ts'
import { getMember } from '../../../../shared/json/object.ts'
import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'
import { matchSessionRecord, findSessionRecord } from '../../../../shared/bridge/session-record.ts'
import { findRowRoute } from '../../../../shared/bridge/capabilities.ts'
import { AppError } from '../../../../shared/errors.ts'
import type { BridgeClient, SendResult } from '../../bridge/types.ts'
import type { StoredOperation } from '../../journal/types.ts'
import type { ConnectedHost } from '../../bridge/connection/connected-host.ts'
import { parseBodyText } from '../../../../shared/operations/prepared-write.ts'
import { truncateBody } from '../records/stored-body.ts'
import { NOTHING_TO_READ } from '../records/read-back.ts'

/** The result of one look at the outcome of a command. */
export type PollResult =
  | { readonly kind: 'seen'; readonly event: OperationEvent }
  /** The host has no record of it. */
  | { readonly kind: 'gone'; readonly event: OperationEvent }
  /** The host answered, and nothing in its answer could be a record of it: it may have no place for one, or not yet. */
  | { readonly kind: 'absent' }
  /** Nothing was learned; `again` is how long the host wants to be left alone, in milliseconds. */
  | {
      readonly kind: 'nothing'
      readonly retryAfterMs: number
      readonly error: AppError | null
      readonly status: number | null
    }

/** `instanceNonce`: the run of the host that last said something about the command; null if none did. */
type Asked = Pick<StoredOperation, 'id' | 'endpoint' | 'requestId' | 'instanceNonce' | 'body'>

const limits = { connectTimeoutMs: 3_000, idleTimeoutMs: 8_000, totalTimeoutMs: 15_000, maxBytes: 4 * 1024 * 1024 }

/** Whether the outcome of this command can be looked up at all: a session record only if the capabilities list its route. */
export function canPollOutcome(
  { endpoint: id, requestId }: Pick<Asked, 'endpoint' | 'requestId'>,
  { capabilities }: Pick<ConnectedHost, 'capabilities'>,
): boolean {
  const kind = getCommandKind(id)
  if (requestId === null || kind === 'plain') return false
  if (kind === 'pencil') return true
  return capabilities !== null && findRowRoute(getEndpoint('writing.context'), capabilities) !== null
}

/**
 * Asks the host once what became of a command: with `pencil-result` and the same request id (spec §4: never a new one), or through the
 * session record. `events` are those of its record. Never rejects.
 */
export async function pollPencilResult(
  client: BridgeClient,
  here: ConnectedHost,
  asked: Asked,
  events: readonly OperationEvent[],
  signal?: AbortSignal,
): Promise<PollResult> {
  const origin = { kind: 'tracker' as const, label: asked.id }
  const request = { limits, origin, ...(signal ? { signal } : {}) }
  if (getCommandKind(asked.endpoint) === 'session') {
    const outcome = await client.sendOnce(here.target, { endpoint: getEndpoint('writing.context'), ...request })
    return sessionLook(outcome, asked, events)
  }
  const body = { requestId: asked.requestId }
  return pencilLook(
    await client.sendOnce(here.target, { endpoint: getEndpoint('writing.pencilResult'), body, ...request }),
    asked,
    here.instanceNonce,
  )
}

function pencilLook(outcome: SendResult, { requestId, instanceNonce }: Asked, now: string | null): PollResult {
  if (outcome.kind === 'failure') return nothing(outcome)
  const { status, value, exchangeId } = outcome
  const at = Date.now()
  const kept = truncateBody(value)
  const { body } = kept
  const cut = kept.cut || outcome.isTruncated
  const code = errorCodeOf(value)
  if (isMissing(status, code) && getMember(value, 'settled') !== true)
    return { kind: 'gone', event: { kind: 'record-gone', at, status, body, sameRun: sameRun(instanceNonce, now) } }
  // A result that is an `error` of the operation itself has a success status; anything else says nothing about it.
  if (status < 200 || status >= 300) return nothing(outcome)
  if (isForOtherRequest(value, requestId)) return { kind: 'nothing', retryAfterMs: 0, error: otherRequest(), status }
  const event = { kind: 'observation' as const, at, source: 'pencil-result' as const, status, body, cut, exchangeId }
  return { kind: 'seen', event: { ...event, matches: null } }
}

const sameRun = (meant: string | null, now: string | null): boolean | null =>
  meant === null || now === null ? null : meant === now

/**
 * Whether the host says that it has no such record. The contract does not show the code for that (spec §7), and a caller inside the host
 * sees no status; a host without the route says nothing about the record.
 */
function isMissing(status: number, code: string | null): boolean {
  if (/ROUTE|ENDPOINT|METHOD|PATH/i.test(code ?? '')) return false
  if (status === 404 || status === 410) return true
  // Other statuses are about who is asking, how often, or whether the host works at all, whatever their codes say.
  if (status >= 300 && status !== 400 && status !== 422) return false
  return /NOT_FOUND|UNKNOWN_(REQUEST|OPERATION|RECORD)|_(GONE|EXPIRED|LOST)$/i.test(code ?? '')
}

const otherRequest = () =>
  new AppError({
    kind: 'malformed',
    code: 'OTHER_REQUEST',
    message: 'The host answered with the outcome of another request id.',
    retryable: true,
  })

function sessionLook(
  outcome: SendResult,
  { endpoint: id, requestId, body: sent }: Asked,
  events: readonly OperationEvent[],
): PollResult {
  if (outcome.kind === 'failure') return nothing(outcome)
  const { status, value, exchangeId } = outcome
  if (status < 200 || status >= 300) return nothing(outcome)
  const before = events.find((event) => event.kind === 'read-back' && event.when === 'before')
  const known = {
    requestId,
    attemptId: getMember(answerIn(events), 'attemptId'),
    recordBefore: before?.kind === 'read-back' ? recordBefore(before) : null,
    body: parseBodyText(sent),
    isPause: findEndpointById(id)?.touches.some((by) => by.kind === 'session' && by.pauses === true) === true,
  }
  const record = findSessionRecord(value, known)
  if (record === undefined) return { kind: 'absent' }
  const matches = record === null ? false : matchSessionRecord(record, known)
  const kept = truncateBody(record ?? { session: null })
  const { body } = kept
  const cut = kept.cut || outcome.isTruncated
  const event = { kind: 'observation' as const, at: Date.now(), source: 'session-record' as const, status, body, cut }
  return { kind: 'seen', event: { ...event, exchangeId, matches } }
}

/** An answer that held no record is a host without one: whatever it has later is new. */
function recordBefore({ facts, error }: Extract<OperationEvent, { kind: 'read-back' }>): unknown {
  return facts === null && getMember(error, 'code') === NOTHING_TO_READ ? { session: null } : facts
}

/** The host has nothing that could confirm a session command: nobody will ever know more. */
export const createNoConfirmationResult = (): PollResult & { kind: 'seen' } => ({
  kind: 'seen',
  event: { kind: 'given-up', at: Date.now(), by: 'no-confirmation' },
})

/** The body of the answer to the command itself. */
function answerIn(events: readonly OperationEvent[]): unknown {
  return events.find((event) => event.kind === 'answer')?.body
}

function nothing(outcome: SendResult): PollResult {
  if (outcome.kind === 'failure') return { kind: 'nothing', retryAfterMs: 0, error: outcome.error, status: null }
  return {
    kind: 'nothing',
    retryAfterMs: (outcome.retryAfterSeconds ?? 0) * 1_000,
    error: null,
    status: outcome.status,
  }
}
