import { randomUUID } from 'node:crypto'
import { toWireError } from '../../../shared/errors.ts'
import { toListedId } from '../../../shared/bridge/listed-row.ts'
import { classifyRequest } from '../../../shared/bridge/endpoints/index.ts'
import { createHostMatcher } from '../../../shared/bridge/host-matcher.ts'
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

/** Characters of a client's name that a record keeps. */
const MAX_NAME_CHARS = 40

/**
 * Makes a record of a command that another client sent through the recording, once its exchange has ended: that client is its sender, so
 * there is nothing to be written down before. From then on it is followed like any other: watched to its end, and read back.
 */
export function createRecordedCommandHandler({ connection, records, follower: follow, log, conceal }: Options) {
  return (begun: ExchangeStart, ended: ExchangeEnd): void => {
    const { origin, endpoint, target } = begun
    if (origin.kind !== 'recorded' || endpoint.access === 'read' || endpoint.returnsSecret || endpoint.createsProfile)
      return
    try {
      const stored = storedOf(begun, ended)
      if (!stored) return
      const record = records.create(stored, { kind: 'intent', at: begun.startedAt })
      records.append(record, { kind: 'sent', at: begun.startedAt })
      records.observe(record, eventOf(begun, ended, stored.instanceNonce))
      void follow.startFollowing(record)
    } catch (error) {
      log.warn('a recorded command has no operation record', { reason: describeError(error), host: target.baseUrl })
    }
  }

  function storedOf(begun: ExchangeStart, ended: ExchangeEnd): StoredOperation | null {
    const { endpoint, method, path, target, origin, startedAt } = begun
    const here = getConnectedHost(connection)
    const [bare = ''] = path.split('?', 1)
    const id = endpoint.id === '' ? toListedId({ method, path: bare }) : endpoint.id
    if (id === null || !createHostMatcher(here.target.baseUrl)(target.baseUrl)) return null
    const body = bodyOf(begun, ended)
    const named = findNamedIds(classifyRequest(method, path).params, body?.value)
    return {
      id: randomUUID(),
      endpoint: id,
      source: 'recorded',
      profileId: here.profileId,
      profileName: here.profileName,
      host: target.baseUrl,
      method,
      path: conceal(path),
      body: body && conceal(body.text),
      createdAt: startedAt,
      ...named,
      instanceNonce: here.instanceNonce,
      caller: origin.label?.slice(0, MAX_NAME_CHARS) ?? null,
    }
  }
}

/** A JSON body that is here whole; null for anything else. */
function bodyOf({ body, endpoint }: ExchangeStart, { sentBody: sent }: ExchangeEnd) {
  const bytes = sent ? (sent.isWhole && sent.body?.byteLength === sent.bytes ? sent.body : null) : body
  if (bytes === null || endpoint.isUpload) return null
  const { isValid: ok, value, text } = inspectJson(bytes)
  return ok ? { value, text } : null
}

function eventOf({ id, target }: ExchangeStart, ended: ExchangeEnd, instanceNonce: string | null): OperationEvent {
  const at = Date.now()
  const { isComplete: complete, status, error, durationMs, requestHeaders } = ended
  if (!complete || status === null) {
    const failure = toWireError(error ?? new Error('no answer'))
    return { kind: 'failure', at, reached: requestHeaders.length > 0 ? 'maybe' : 'no', error: failure }
  }
  const whole = ended.missing === null
  const { body, cut } = truncateBody(valueOf(ended, target.token))
  return { kind: 'answer', at, status, body, cut: cut || !whole, durationMs, exchangeId: id, instanceNonce }
}

function valueOf({ body, responseHeaders }: ExchangeEnd, token: string | null): unknown {
  if (body === null) return null
  // A copy: what is recorded is masked on its own.
  const bytes = Uint8Array.from(body)
  const type = responseHeaders.find(([name]) => /^content-type$/i.test(name))?.[1] ?? ''
  maskBytes(bytes, token, isJsonType(type))
  const { isValid: ok, value, text } = inspectJson(bytes)
  return ok ? value : text
}
