// Prepares commands, issues tickets for them, and sends each command once. What follows after
// sending is in operations/watch. Read prepared-command.ts first, then tickets.ts and this file.
import { randomUUID } from 'node:crypto'
import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'
import { AppError, createRefusedError, toWireError } from '../../../../shared/errors.ts'
import type { Connection } from '../../bridge/connection/connection.ts'
import { createReadOnlyError } from '../../bridge/client/access-check.ts'
import type { BridgeClient, CallStart, SendResult, MaskedResponse } from '../../bridge/types.ts'
import type { Origin } from '../../../../shared/traffic/exchange.ts'
import type { StoredOperation } from '../../journal/types.ts'
import type { PanelCallFacts } from '../../findings/exchange-step.ts'
import { describeError, type Log } from '../../files/log.ts'
import { computeTicketBinding, toBridgeRequest, type PreparedCommand } from './prepared-command.ts'
import { getConnectedHost, type ConnectedHost } from '../../bridge/connection/connected-host.ts'
import { truncateBody } from '../records/stored-body.ts'
import { readSubject, getReadBackSubject } from '../records/read-back.ts'
import type { OperationRecord } from '../records/record.ts'
import type { OperationRecords } from '../records/records.ts'
import type { UploadTransfer } from '../../uploads/uploads.ts'
import { getCommandKind } from '../../../../shared/bridge/endpoints/index.ts'
import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import { isRefusal } from '../outcome/reported-facts.ts'
import { getMember, isObject } from '../../../../shared/json/object.ts'
import { parseBodyText } from '../../../../shared/operations/prepared-write.ts'
import { findEarlierOperation } from '../records/related-operations.ts'
import { pollPencilResult } from '../watch/poll-result.ts'

/**
 * True if a refused command's request id is in use with another target (spec §4 pencil-commit). The
 * contract does not show the code of that refusal, so facts decide: either this program sent the id
 * with another target to this run of the host, or the host has a record of it with another target.
 * @returns null if that could not be found out
 */
async function isRequestIdInUse(
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

/** A host may wait a minute for a person's approval (observed-0.49: `APPROVAL_TIMEOUT`). */
const limits = { idleTimeoutMs: 75_000 }
/** A transfer may take long while bytes move; then the host processes it before it responds. */
const uploadLimits = { idleTimeoutMs: 300_000, totalTimeoutMs: 24 * 3_600_000 }

interface SenderOptions {
  readonly client: BridgeClient
  readonly connection: Connection
  readonly records: OperationRecords
  readonly log: Log
  /** Removes every known token from a text. */
  readonly conceal: (text: string) => string
  readonly beginTransfer?: ((id: string) => UploadTransfer) | undefined
}

/** The exchange has another program's origin, and that program gets the host's response. */
export interface ForwardedWrite {
  readonly origin: Origin
  /** The name of a rule that changes the response before it reaches the program. */
  readonly rule?: string | undefined
  /** When the program made the call, if that was earlier. */
  readonly start?: CallStart | undefined
  readonly panelCall?: PanelCallFacts | undefined
  readonly onResponse: (response: MaskedResponse, operationId: string) => void
}

/** The only sender of writes: each is recorded before its first byte, and sent only once. */
export class CommandSender {
  readonly #options: SenderOptions
  /** Host and request id of the commands that are on their way. */
  readonly #activeRequests = new Set<string>()

  constructor(options: SenderOptions) {
    this.#options = options
  }

  /**
   * @returns its record, once the host has responded or the request has failed. Failures after the
   *   first byte are in the record.
   * @throws READ_ONLY, REQUEST_UNDER_WAY, TOKEN_IN_REQUEST or JOURNAL_FAILED; nothing was sent then
   */
  async send(command: PreparedCommand, host: ConnectedHost, onBehalf?: ForwardedWrite): Promise<OperationRecord> {
    assertWritable(command, host)
    this.assertNoToken(`${command.path}\n${command.bodyText ?? ''}`)
    const key = command.requestId === null ? null : `${host.target.baseUrl} ${command.requestId}`
    if (key !== null && this.#activeRequests.has(key)) {
      throw createRefusedError(
        'REQUEST_UNDER_WAY',
        'A command with this request id is already on its way. Nothing was sent.',
      )
    }
    if (key !== null) this.#activeRequests.add(key)
    try {
      return await this.#recordAndSend(command, host, onBehalf)
    } finally {
      if (key !== null) this.#activeRequests.delete(key)
    }
  }

  /** A token in a path or body would be on disk with the record. @throws TOKEN_IN_REQUEST */
  assertNoToken(text: string): void {
    if (this.#options.conceal(text) === text) return
    throw createRefusedError(
      'TOKEN_IN_REQUEST',
      'The request contains the token, which would be recorded with it. Nothing was sent.',
    )
  }

  async #recordAndSend(
    command: PreparedCommand,
    host: ConnectedHost,
    onBehalf?: ForwardedWrite,
  ): Promise<OperationRecord> {
    const { records, client } = this.#options
    const record = records.create(this.#toStoredOperation(command, host), { kind: 'intent', at: Date.now() })
    const readBack = await readSubject(client, host, getReadBackSubject(record.stored), 'before', record.id)
    if (readBack) records.observe(record, readBack)
    try {
      this.#assertUnchanged(command, host)
      // The event is on disk before the first byte is sent. If writing it fails, nothing is sent.
      records.append(record, { kind: 'sent', at: Date.now() })
    } catch (error) {
      records.observe(record, { kind: 'failure', at: Date.now(), reached: 'no', error: toWireError(error) })
      throw error
    }
    const outcome = await this.#exchange(command, host, record.id, onBehalf)
    records.observe(record, await this.#judgeOutcome(record, host, outcome))
    return record
  }

  /** Never rejects: whatever fails after the command was sent leaves its outcome unknown. */
  async #judgeOutcome(record: OperationRecord, host: ConnectedHost, outcome: SendResult): Promise<OperationEvent> {
    const { records, client } = this.#options
    try {
      const otherRecords = [...records.all].filter((other) => other !== record)
      const isInUse = await isRequestIdInUse(client, host, record.stored, otherRecords, outcome)
      return toOutcomeEvent(outcome, host.instanceNonce, isInUse)
    } catch (error) {
      this.#options.log.error('the response to a command could not be judged', { reason: describeError(error) })
      return { kind: 'failure', at: Date.now(), reached: 'maybe', error: toWireError(error) }
    }
  }

  async #exchange(
    command: PreparedCommand,
    { target }: ConnectedHost,
    operationId: string,
    onBehalf?: ForwardedWrite,
  ): Promise<SendResult> {
    const { client, connection } = this.#options
    let transfer: UploadTransfer | undefined
    try {
      const kind = command.caller === 'console' ? ('console' as const) : ('write' as const)
      const origin = onBehalf?.origin ?? { kind, label: operationId }
      const forwarding = onBehalf && {
        onResponse: (response: MaskedResponse) => onBehalf.onResponse(response, operationId),
      }
      const rule = onBehalf?.rule === undefined ? {} : { rule: onBehalf.rule }
      const start = onBehalf?.start === undefined ? {} : { start: onBehalf.start }
      const { panelCall } = onBehalf ?? {}
      const request = { ...toBridgeRequest(command), origin, panelCall, ...rule, ...start, ...forwarding }
      transfer = command.file ? this.#options.beginTransfer?.(command.file.id) : undefined
      const { signal, onProgress: onSent } = transfer ?? {}
      const upload =
        request.file && signal && onSent
          ? { file: { ...request.file, onSent }, signal, limits: uploadLimits }
          : { limits }
      const outcome = await client.sendOnce(target, { ...request, ...upload })
      if (outcome.kind === 'failure') connection.checkSoon(outcome.error)
      return outcome
    } catch (thrown) {
      // An `AppError` means that the request was refused before anything was sent. Any other error
      // is a defect of this program, after which something may have been sent.
      const isAppError = thrown instanceof AppError
      const error = isAppError ? thrown : new AppError(toWireError(thrown), { cause: thrown })
      return { kind: 'failure', reached: isAppError ? 'no' : 'maybe', error, exchangeId: '' }
    } finally {
      transfer?.end()
    }
  }

  /** During the reading back, the connection or the write lock may have changed. */
  #assertUnchanged(command: PreparedCommand, reviewedHost: ConnectedHost): void {
    const currentHost = getConnectedHost(this.#options.connection)
    if (computeTicketBinding(command, currentHost) !== computeTicketBinding(command, reviewedHost))
      throw createStaleTicketError()
    assertWritable(command, currentHost)
  }

  #toStoredOperation(command: PreparedCommand, host: ConnectedHost): StoredOperation {
    return {
      id: randomUUID(),
      endpoint: command.endpoint.id,
      source: 'sent',
      profileId: host.profileId,
      profileName: host.profileName,
      host: host.target.baseUrl,
      method: command.endpoint.method,
      path: command.path,
      body: command.bodyText,
      createdAt: Date.now(),
      requestId: command.requestId,
      topicid: command.topicid,
      noteid: command.noteid,
      instanceNonce: host.instanceNonce,
      caller: command.caller,
    }
  }
}

/** The HTTP client checks each request again. @throws READ_ONLY when the profile is locked */
export function assertWritable({ endpoint }: PreparedCommand, { target }: ConnectedHost): void {
  if (target.isReadOnly) throw createReadOnlyError(endpoint)
}

export function createStaleTicketError() {
  return createRefusedError(
    'TICKET_STALE',
    'The connection has changed since this was reviewed. Nothing was sent. Review it again.',
  )
}

export function createOutdatedTicketError() {
  return createRefusedError(
    'TICKET_OUTDATED',
    'Since this was reviewed, its request id was used or another commit began in its window. Nothing was sent. Review it again.',
  )
}

function toOutcomeEvent(outcome: SendResult, instanceNonce: string | null, isRequestIdTaken: boolean | null) {
  const timestamp = Date.now()
  if (outcome.kind === 'failure') {
    return { kind: 'failure' as const, at: timestamp, reached: outcome.reached, error: toWireError(outcome.error) }
  }
  const { status, value, exchangeId, durationMs, retryAfterSeconds } = outcome
  const { body, cut } = truncateBody(value)
  const storedBody = { body, cut: cut || outcome.isTruncated }
  const event = { kind: 'answer' as const, at: timestamp, status, ...storedBody, durationMs, exchangeId, instanceNonce }
  return {
    ...event,
    ...(isRequestIdTaken === false ? {} : { requestIdTaken: isRequestIdTaken }),
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
  }
}
