import { randomUUID } from 'node:crypto'
import { toWire } from '../../../shared/errors.ts'
import { listedId } from '../../../shared/bridge/listed-row.ts'
import { findEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import { hostAt } from '../../../shared/bridge/same-host.ts'
import { inspectJson } from '../../../shared/json/inspect.ts'
import type { OperationEvent } from '../../../shared/operations/events.ts'
import { isJsonType } from '../bridge/client/answer.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { ExchangeBegun, ExchangeEnded } from '../bridge/types.ts'
import type { StoredOperation } from '../journal/types.ts'
import { describe, type Log } from '../files/log.ts'
import { maskBytes } from '../mask/mask.ts'
import { hereOf } from '../bridge/connection/connected-host.ts'
import { keptBody } from './records/kept-body.ts'
import type { Records } from './records/records.ts'
import { namedBy } from './send/command.ts'
import type { Follow } from './watch/follow.ts'

interface Options {
  readonly connection: Connection
  readonly records: Records
  readonly follow: Follow
  readonly log: Log
  /** Removes every known token from a text. */
  readonly conceal: (text: string) => string
}

/** Characters of a client's name that a record keeps. */
const LONGEST_NAME = 40

/**
 * Makes a record of a command that another client sent through the recording, once its exchange has ended: that client is its sender, so
 * there is nothing to be written down before. From then on it is followed like any other: watched to its end, and read back.
 */
export function notesRecorded({ connection, records, follow, log, conceal }: Options) {
  return (begun: ExchangeBegun, ended: ExchangeEnded): void => {
    const { origin, endpoint, target } = begun
    if (origin.kind !== 'recorded' || endpoint.access === 'read' || endpoint.secret || endpoint.pairs) return
    try {
      const stored = storedOf(begun, ended)
      if (!stored) return
      const record = records.create(stored, { kind: 'intent', at: begun.startedAt })
      records.append(record, { kind: 'sent', at: begun.startedAt })
      records.observe(record, eventOf(begun, ended, stored.instanceNonce))
      void follow.begin(record)
    } catch (error) {
      log.warn('a recorded command has no operation record', { reason: describe(error), host: target.baseUrl })
    }
  }

  function storedOf(begun: ExchangeBegun, ended: ExchangeEnded): StoredOperation | null {
    const { endpoint, method, path, target, origin, startedAt } = begun
    const here = hereOf(connection)
    const [bare = ''] = path.split('?', 1)
    const id = endpoint.id === '' ? listedId({ method, path: bare }) : endpoint.id
    if (id === null || !hostAt(here.target.baseUrl)(target.baseUrl)) return null
    const body = bodyOf(begun, ended)
    const named = namedBy(findEndpoint(method, path).params, body?.value)
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
      instanceNonce: here.nonce,
      caller: origin.label?.slice(0, LONGEST_NAME) ?? null,
    }
  }
}

/** A JSON body that is here whole; null for anything else. */
function bodyOf({ body, endpoint }: ExchangeBegun, { sent }: ExchangeEnded) {
  const bytes = sent ? (sent.whole && sent.body?.byteLength === sent.bytes ? sent.body : null) : body
  if (bytes === null || endpoint.upload) return null
  const { ok, value, text } = inspectJson(bytes)
  return ok ? { value, text } : null
}

function eventOf({ id, target }: ExchangeBegun, ended: ExchangeEnded, instanceNonce: string | null): OperationEvent {
  const at = Date.now()
  const { complete, status, error, durationMs, requestHeaders } = ended
  if (!complete || status === null) {
    const failure = toWire(error ?? new Error('no answer'))
    return { kind: 'failure', at, reached: requestHeaders.length > 0 ? 'maybe' : 'no', error: failure }
  }
  const whole = ended.missing === null
  const { body, cut } = keptBody(valueOf(ended, target.token))
  return { kind: 'answer', at, status, body, cut: cut || !whole, durationMs, exchangeId: id, instanceNonce }
}

function valueOf({ body, responseHeaders }: ExchangeEnded, token: string | null): unknown {
  if (body === null) return null
  // A copy: what is recorded is masked on its own.
  const bytes = Uint8Array.from(body)
  const type = responseHeaders.find(([name]) => /^content-type$/i.test(name))?.[1] ?? ''
  maskBytes(bytes, token, isJsonType(type))
  const { ok, value, text } = inspectJson(bytes)
  return ok ? value : text
}
