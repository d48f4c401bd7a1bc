import { randomUUID } from 'node:crypto'
import { toWireError } from '../../../shared/errors.ts'
import { toListedId } from '../../../shared/bridge/listed-row.ts'
import { classifyRequest } from '../../../shared/bridge/endpoints/index.ts'
import { createHostMatcher } from '../../../shared/bridge/host-matcher.ts'
import { getMember } from '../../../shared/json/object.ts'
import { inspectJson } from '../../../shared/json/inspection.ts'
import type { OperationEvent } from '../../../shared/operations/operation-events.ts'
import { isJsonType } from '../bridge/client/response.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { ExchangeStart, ExchangeEnd } from '../bridge/types.ts'
import type { StoredOperation } from '../journal/types.ts'
import { describeError, type Log } from '../files/log.ts'
import { maskBytes } from '../mask/mask.ts'
import { getConnectedHost } from '../bridge/connection/connected-host.ts'
import { truncateBody } from './records/stored-body.ts'
import type { OperationRecords } from './records/records.ts'
import { findNamedIds } from './send/prepared-command.ts'
import type { OperationFollower } from './watch/operation-follower.ts'

interface Options {
  readonly connection: Connection
  readonly records: OperationRecords
  readonly follower: OperationFollower
  readonly log: Log
  /** Removes every known token from a text. */
  readonly conceal: (text: string) => string
}

/** Maximum characters of a client's name in a record. */
const MAX_NAME_CHARS = 40

/**
 * Returns a handler that makes a record of each command that another client sent through the
 * recording, after its exchange has ended. The client itself is the sender, so the command is not
 * journaled before sending. The record is then followed like the record of a command of this
 * program. The outcome of a commit that a panel or client has read is noted in the commit's record.
 */
export function createRecordedCommandHandler({ connection, records, follower, log, conceal }: Options) {
  return (start: ExchangeStart, end: ExchangeEnd): void => {
    const { origin, endpoint, target } = start
    if (endpoint.id === 'writing.pencilResult' && ['panel', 'recorded'].includes(origin.kind))
      return observeOutcome(start, end)
    if (origin.kind !== 'recorded' || endpoint.access === 'read' || endpoint.returnsSecret || endpoint.createsProfile)
      return
    try {
      const stored = toStoredOperation(start, end)
      if (!stored) return
      const event = toOperationEvent(start, end, stored.instanceNonce)
      const record = records.create(stored, { kind: 'intent', at: start.startedAt })
      // Observed, not appended: a journal that fails now must not leave the write without its end.
      records.observe(record, { kind: 'sent', at: start.startedAt })
      records.observe(record, event)
      void follower.startFollowing(record)
    } catch (error) {
      log.warn('a recorded command has no operation record', { reason: describeError(error), host: target.baseUrl })
    }
  }

  function observeOutcome(start: ExchangeStart, end: ExchangeEnd): void {
    const { status } = end
    const requestId = getMember(getJsonBody(start, end)?.value, 'requestId')
    if (status === null || !end.isComplete || typeof requestId !== 'string') return
    const { at, body, cut, exchangeId } = toResponseEvent(start, { ...end, status }, null)
    if (getMember(body, 'settled') !== true) return
    const isSameHost = createHostMatcher(start.target.baseUrl)
    for (const record of records.all) {
      const { stored } = record
      if (stored.requestId !== requestId || !record.isOpen || !isSameHost(stored.host)) continue
      records.observe(record, {
        kind: 'observation',
        at,
        source: 'pencil-result',
        status,
        body,
        cut,
        exchangeId,
        matches: null,
      })
      if (record.isOpen) continue
      follower.tracker.stop(record, 'ended')
      void follower.readBackEnded(record)
    }
  }

  /** Never throws: a response that cannot be read leaves the outcome unknown. */
  function toOperationEvent(start: ExchangeStart, end: ExchangeEnd, instanceNonce: string | null): OperationEvent {
    const { isComplete, status, error, requestHeaders } = end
    const toFailure = (reached: 'maybe' | 'no', reason: unknown): OperationEvent => {
      return { kind: 'failure', at: Date.now(), reached, error: toWireError(reason) }
    }
    if (!isComplete || status === null)
      return toFailure(requestHeaders.length > 0 ? 'maybe' : 'no', error ?? new Error('no answer'))
    try {
      return toResponseEvent(start, { ...end, status }, instanceNonce)
    } catch (thrown) {
      log.error('the response to a recorded command could not be read', { reason: describeError(thrown) })
      return toFailure('maybe', thrown)
    }
  }

  function toStoredOperation(start: ExchangeStart, end: ExchangeEnd): StoredOperation | null {
    const { endpoint, method, path, target, origin, startedAt } = start
    const host = getConnectedHost(connection)
    const [pathname = ''] = path.split('?', 1)
    const id = endpoint.id === '' ? toListedId({ method, path: pathname }) : endpoint.id
    if (id === null || !createHostMatcher(host.target.baseUrl)(target.baseUrl)) return null
    const body = getJsonBody(start, end)
    const namedIds = findNamedIds(classifyRequest(method, path).params, body?.value)
    return {
      id: randomUUID(),
      endpoint: id,
      source: 'recorded',
      profileId: host.profileId,
      profileName: host.profileName,
      host: target.baseUrl,
      method,
      path: conceal(path),
      body: body && conceal(body.text),
      createdAt: startedAt,
      ...namedIds,
      instanceNonce: host.instanceNonce,
      caller: origin.label?.slice(0, MAX_NAME_CHARS) ?? null,
    }
  }
}

/** Returns the parsed JSON body if all of it was recorded; null for anything else. */
function getJsonBody({ body, endpoint }: ExchangeStart, { sentBody }: ExchangeEnd) {
  const bytes = sentBody
    ? sentBody.isWhole && sentBody.body?.byteLength === sentBody.bytes
      ? sentBody.body
      : null
    : body
  if (bytes === null || endpoint.isUpload) return null
  const { isValid, value, text } = inspectJson(bytes)
  return isValid ? { value, text } : null
}

function toResponseEvent(
  { id, target }: ExchangeStart,
  ended: ExchangeEnd & { readonly status: number },
  instanceNonce: string | null,
): Extract<OperationEvent, { kind: 'answer' }> {
  const { status, durationMs } = ended
  const isWhole = ended.missing === null
  const { body, cut } = truncateBody(parseMaskedBody(ended, target.token))
  return {
    kind: 'answer',
    at: Date.now(),
    status,
    body,
    cut: cut || !isWhole,
    durationMs,
    exchangeId: id,
    instanceNonce,
  }
}

function parseMaskedBody({ body, responseHeaders }: ExchangeEnd, token: string | null): unknown {
  if (body === null) return null
  // Masking changes the bytes in place, and the recorder masks its own.
  const bytes = Uint8Array.from(body)
  const type = responseHeaders.find(([name]) => /^content-type$/i.test(name))?.[1] ?? ''
  maskBytes(bytes, token, isJsonType(type))
  const { isValid, value, text } = inspectJson(bytes)
  return isValid ? value : text
}
