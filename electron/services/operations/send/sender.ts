import { randomUUID } from 'node:crypto'
import { AppError, createRefusedError, toWireError } from '../../../../shared/errors.ts'
import type { Connection } from '../../bridge/connection/connection.ts'
import { createReadOnlyError } from '../../bridge/client/access-check.ts'
import type { BridgeClient, SendResult, MaskedResponse } from '../../bridge/types.ts'
import type { Origin } from '../../../../shared/traffic/exchange.ts'
import type { StoredOperation } from '../../journal/types.ts'
import { computeTicketBinding, toBridgeRequest, type PreparedCommand } from './prepared-command.ts'
import { getConnectedHost, type ConnectedHost } from '../../bridge/connection/connected-host.ts'
import { truncateBody } from '../records/stored-body.ts'
import { readSubject, getReadBackSubject } from '../records/read-back.ts'
import type { OperationRecord } from '../records/record.ts'
import type { OperationRecords } from '../records/records.ts'
import { isRequestIdInUse } from './request-id-conflict.ts'
import type { Transfer } from '../../uploads/uploads.ts'

/** A host may wait up to a minute for a person before it answers (observed-0.49: `APPROVAL_TIMEOUT`). */
const limits = { idleTimeoutMs: 75_000 }
/** A file takes as long as it takes while bytes move; then the host reads and files it before it answers. */
const uploadLimits = { idleTimeoutMs: 300_000, totalTimeoutMs: 24 * 3_600_000 }

interface SenderOptions {
  readonly client: BridgeClient
  readonly connection: Connection
  readonly records: OperationRecords
  /** Removes every known token from a text. */
  readonly conceal: (text: string) => string
  /** Begins the sending of a file that was handed over. */
  readonly beginTransfer?: ((id: string) => Transfer) | undefined
}

/** A write that another program asked for: its exchange has that origin, and the program gets the host's answer as it came. */
export interface ForwardedWrite {
  readonly origin: Origin
  /** The name of a rule that changes the answer before it reaches the program. */
  readonly rule?: string | undefined
  readonly onResponse: (answer: MaskedResponse, operationId: string) => void
}

/** The only place that sends writes: recorded before the first byte, sent once, and never repeated automatically. */
export class CommandSender {
  readonly #options: SenderOptions
  /** Request ids that are on their way now, by host. */
  readonly #underWay = new Set<string>()

  constructor(options: SenderOptions) {
    this.#options = options
  }

  /**
   * Sends a command that was shown. Returns its record once the host has answered, or will not. Throws `READ_ONLY`, `REQUEST_UNDER_WAY`,
   * `TOKEN_IN_REQUEST`, and `JOURNAL_FAILED` if it cannot be recorded; nothing was sent then. Everything else is in the record.
   */
  async send(command: PreparedCommand, here: ConnectedHost, onBehalf?: ForwardedWrite): Promise<OperationRecord> {
    assertWritable(command, here)
    this.assertNoToken(`${command.path}\n${command.bodyText ?? ''}`)
    const key = command.requestId === null ? null : `${here.target.baseUrl} ${command.requestId}`
    if (key !== null && this.#underWay.has(key)) {
      throw createRefusedError(
        'REQUEST_UNDER_WAY',
        'A command with this request id is already on its way. Nothing was sent.',
      )
    }
    if (key !== null) this.#underWay.add(key)
    try {
      return await this.#record(command, here, onBehalf)
    } finally {
      if (key !== null) this.#underWay.delete(key)
    }
  }

  /** A token does not belong in a path or a body, and a record would keep it on disk. Throws `TOKEN_IN_REQUEST`. */
  assertNoToken(text: string): void {
    if (this.#options.conceal(text) === text) return
    throw createRefusedError(
      'TOKEN_IN_REQUEST',
      'The request contains the token, which would be recorded with it. Nothing was sent.',
    )
  }

  async #record(command: PreparedCommand, here: ConnectedHost, onBehalf?: ForwardedWrite): Promise<OperationRecord> {
    const { records, client } = this.#options
    const record = records.create(this.#storedOf(command, here), { kind: 'intent', at: Date.now() })
    const before = await readSubject(client, here, getReadBackSubject(record.stored), 'before', record.id)
    if (before) records.observe(record, before)
    try {
      this.#assertUnchanged(command, here)
      // On disk before the first byte is sent; if that fails, nothing is sent.
      records.append(record, { kind: 'sent', at: Date.now() })
    } catch (error) {
      records.observe(record, { kind: 'failure', at: Date.now(), reached: 'no', error: toWireError(error) })
      throw error
    }
    const outcome = await this.#exchange(command, here, record.id, onBehalf)
    const others = [...records.all].filter((one) => one !== record)
    const taken = await isRequestIdInUse(client, here, record.stored, others, outcome)
    records.observe(record, eventOf(outcome, here.instanceNonce, taken))
    return record
  }

  async #exchange(
    command: PreparedCommand,
    { target }: ConnectedHost,
    operationId: string,
    onBehalf?: ForwardedWrite,
  ): Promise<SendResult> {
    const { client, connection } = this.#options
    let transfer: Transfer | undefined
    try {
      const origin = onBehalf?.origin ?? { kind: 'write' as const, label: operationId }
      const passOn = onBehalf && { onResponse: (answer: MaskedResponse) => onBehalf.onResponse(answer, operationId) }
      const ruled = onBehalf?.rule === undefined ? {} : { rule: onBehalf.rule }
      const request = { ...toBridgeRequest(command), origin, ...ruled, ...passOn }
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
      // An `AppError` means that it was refused before anything was sent; a defect of ours says nothing about that.
      const known = thrown instanceof AppError
      const error = known ? thrown : new AppError(toWireError(thrown), { cause: thrown })
      return { kind: 'failure', reached: known ? 'no' : 'maybe', error, exchangeId: '' }
    } finally {
      transfer?.end()
    }
  }

  /** What was shown was shown for this connection, while writing was unlocked; reading it took time. */
  #assertUnchanged(command: PreparedCommand, then: ConnectedHost): void {
    const now = getConnectedHost(this.#options.connection)
    if (computeTicketBinding(command, now) !== computeTicketBinding(command, then)) throw createStaleTicketError()
    assertWritable(command, now)
  }

  #storedOf(command: PreparedCommand, here: ConnectedHost): StoredOperation {
    return {
      id: randomUUID(),
      endpoint: command.endpoint.id,
      source: 'sent',
      profileId: here.profileId,
      profileName: here.profileName,
      host: here.target.baseUrl,
      method: command.endpoint.method,
      path: command.path,
      body: command.bodyText,
      createdAt: Date.now(),
      requestId: command.requestId,
      topicid: command.topicid,
      noteid: command.noteid,
      instanceNonce: here.instanceNonce,
      caller: command.caller,
    }
  }
}

/** Throws `READ_ONLY`. The client checks every request once more. */
export function assertWritable({ endpoint }: PreparedCommand, { target }: ConnectedHost): void {
  if (target.isReadOnly) throw createReadOnlyError(endpoint)
}

export const createStaleTicketError = () =>
  createRefusedError(
    'TICKET_STALE',
    'The connection has changed since this was reviewed. Nothing was sent. Review it again.',
  )

export const createOutdatedTicketError = () =>
  createRefusedError(
    'TICKET_OUTDATED',
    'Since this was reviewed, its request id was used or another commit began in its window. Nothing was sent. Review it again.',
  )

function eventOf(outcome: SendResult, instanceNonce: string | null, taken: boolean | null) {
  const at = Date.now()
  if (outcome.kind === 'failure') {
    return { kind: 'failure' as const, at, reached: outcome.reached, error: toWireError(outcome.error) }
  }
  const { status, value, exchangeId, durationMs } = outcome
  const { body, cut } = truncateBody(value)
  const kept = { body, cut: cut || outcome.isTruncated }
  const event = { kind: 'answer' as const, at, status, ...kept, durationMs, exchangeId, instanceNonce }
  return taken === false ? event : { ...event, requestIdTaken: taken }
}
