// The gate: everything that writes to the host is prepared, reviewed, sent and followed here. Reads
// are sent elsewhere (services/bridge), and the journal is in services/journal. Read this file
// first, then send/sender.ts and outcome/derived-operation.ts.
import { getNextSteps } from './outcome/next-steps.ts'
import { randomUUID } from 'node:crypto'
import { getEndpoint, getCommandKind } from '../../../shared/bridge/endpoints/index.ts'
import { unacceptedStates } from '../../../shared/operations/operation-events.ts'
import { errorCodeOf } from '../../../shared/bridge/errors.ts'
import { getMember } from '../../../shared/json/object.ts'
import { createHostMatcher } from '../../../shared/bridge/host-matcher.ts'
import { AppError, fromWireError, createRefusedError } from '../../../shared/errors.ts'
import type { CommandDraft, PreparedWrite, PreviewResponse } from '../../../shared/operations/prepared-write.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeClient } from '../bridge/types.ts'
import type { StoredOperation } from '../journal/types.ts'
import {
  computeTicketBinding,
  prepareCommand,
  toBridgeRequest,
  removeConfirm,
  type PreparedCommand,
  type UploadLookup,
} from './send/prepared-command.ts'
import { describeCommand, findObstacles, summarizeObstacles } from './send/command-description.ts'
import type { OperationFollower } from './watch/operation-follower.ts'
import { getHostOfOperation, getConnectedHost, type ConnectedHost } from '../bridge/connection/connected-host.ts'
import { canPollOutcome, pollPencilResult, createNoConfirmationResult, type PollResult } from './watch/poll-result.ts'
import type { OperationRecord } from './records/record.ts'
import type { OperationRecords } from './records/records.ts'
import { assertWritable, type ForwardedWrite, type CommandSender } from './send/sender.ts'
import { Tickets } from './send/tickets.ts'

interface Options {
  readonly client: BridgeClient
  readonly connection: Connection
  readonly records: OperationRecords
  readonly sender: CommandSender
  readonly follower: OperationFollower
  readonly findUpload?: UploadLookup | undefined
  readonly isJournaled: () => boolean
}

/**
 * The gate as a page sees it: a write is prepared and reviewed, gets a ticket, and is sent once
 * with that ticket.
 * @throws NOT_CONNECTED from every method while no host is connected; `READ_ONLY` from the writing
 *   ones while the profile is locked.
 */
export function createOperations({ client, connection, records, sender, follower, findUpload, isJournaled }: Options) {
  const tickets = new Tickets()
  /** Records being created, by host and request id. A second caller gets the same record. */
  const startingWatches = new Map<string, Promise<Operation>>()
  const computeCurrentBinding = (command: PreparedCommand): string =>
    computeTicketBinding(command, getConnectedHost(connection))

  function prepare(draft: CommandDraft): PreparedWrite {
    return describe(draft, assertWritable)
  }

  /** Prepares another program's write for a person, who may unlock the profile first. */
  function propose(draft: CommandDraft): PreparedWrite {
    return describe(draft, () => undefined)
  }

  function describe(draft: CommandDraft, assertLock: typeof assertWritable): PreparedWrite {
    const host = getConnectedHost(connection)
    const command = prepareCommand(draft, host.target, host.capabilities, findUpload)
    assertLock(command, host)
    sender.assertNoToken(`${command.path}\n${command.bodyText ?? ''}`)
    const request = client.describeRequest(host.target, toBridgeRequest(command))
    const obstacles = findCurrentObstacles(command)
    const description = describeCommand(command, host, { request, obstacles, isJournaled: isJournaled() })
    return { ...tickets.issue(command, computeCurrentBinding(command), summarizeObstacles(obstacles)), ...description }
  }

  const findCurrentObstacles = (command: PreparedCommand) => {
    const host = getConnectedHost(connection)
    const isSameHost = createHostMatcher(host.target.baseUrl)
    const hostRecords = [...records.all].filter(({ stored }) => isSameHost(stored.host))
    return findObstacles(command, host, hostRecords)
  }
  const summarizeCurrentObstacles = (command: PreparedCommand): readonly string[] =>
    summarizeObstacles(findCurrentObstacles(command))

  async function send(ticket: string, onBehalf?: ForwardedWrite): Promise<Operation> {
    const command = tickets.take(ticket, computeCurrentBinding, summarizeCurrentObstacles)
    const record = await sender.send(command, getConnectedHost(connection), onBehalf)
    await follower.startFollowing(record)
    return records.getDetail(record)
  }

  /**
   * Sends the command without `confirm`. It is recorded like any write, and the record is removed
   * again if the host executed nothing. The ticket stays valid for the write itself only if nothing
   * can have been executed.
   */
  async function preview(ticket: string): Promise<PreviewResponse> {
    const { addedMembers, endpoint } = tickets.peek(ticket, computeCurrentBinding)
    if (addedMembers.length === 0 || endpoint.confirm !== 'body') {
      throw createRefusedError(
        'PREVIEW_UNSAFE',
        'This route has no confirm gate: a preview could be executed. Nothing was sent.',
      )
    }
    const { command, returnTicket } = tickets.borrow(ticket, computeCurrentBinding, summarizeCurrentObstacles)
    const record = await sender.send(removeConfirm(command), getConnectedHost(connection)).catch((error: unknown) => {
      returnTicket()
      throw error
    })
    const isTicketSpent = getNextSteps(record.state).isTicketSpent
    if (!isTicketSpent) returnTicket()
    const response = toPreviewResponse(record)
    if (response?.refusedAsExpected) {
      records.remove([record])
      return { ...response, operationId: null, spent: isTicketSpent }
    }
    await follower.startFollowing(record)
    if (!response) throw toFailureError(record)
    return { ...response, operationId: record.id, spent: isTicketSpent }
  }

  /** Polls first: no record is made for an id that the host cannot report on. */
  function watchRequest(requestId: string): Promise<Operation> {
    sender.assertNoToken(requestId)
    const host = getConnectedHost(connection)
    const key = `${host.target.baseUrl} ${requestId}`
    const operation = startingWatches.get(key) ?? beginWatch(requestId, host).finally(() => startingWatches.delete(key))
    startingWatches.set(key, operation)
    return operation
  }

  async function beginWatch(requestId: string, host: ConnectedHost): Promise<Operation> {
    const stored = createWatchedOperation(requestId, host)
    const existing = [...records.all].findLast((record) => isWatchable(record, requestId, host))
    if (existing) {
      resumeWatching(existing)
      return records.getDetail(existing)
    }
    const event = getPolledEvent(await pollPencilResult(client, host, stored, []))
    const record = records.create(stored, event)
    follower.tracker.watch(record)
    return records.getDetail(record)
  }

  async function pollOutcome(record: OperationRecord, signal: AbortSignal): Promise<void> {
    const host = getHostOfOperation(connection, record.stored)
    if (unacceptedStates.has(record.state) || !canPollOutcome(record.stored, host)) {
      throw createRefusedError('NOTHING_TO_LOOK_AT', 'The host offers no way to look up the outcome of this command.')
    }
    const polledOperation = { ...record.stored, instanceNonce: record.instanceNonce }
    records.observe(
      record,
      getPolledEvent(await pollPencilResult(client, host, polledOperation, record.events, signal)),
    )
    // A poll after watching was given up does not count as watching to the end.
    if (record.isOpen || record.state === 'given-up') return
    follower.tracker.stop(record, 'ended')
    await follower.readBackEnded(record)
  }

  function stopWatching(record: OperationRecord): void {
    if (!getNextSteps(record.state).canPoll) return
    records.append(record, { kind: 'given-up', at: Date.now(), by: 'person' })
    follower.tracker.stop(record, 'stopped')
  }

  function resumeWatching(record: OperationRecord): void {
    if (record.state === 'given-up') records.append(record, { kind: 'resumed', at: Date.now() })
    follower.tracker.watch(record)
  }

  const drop = (ticket: string): void => tickets.drop(ticket)

  return {
    prepare,
    propose,
    drop,
    send,
    preview,
    watch: watchRequest,
    look: pollOutcome,
    stop: stopWatching,
    resume: resumeWatching,
  }
}

export type Operations = ReturnType<typeof createOperations>

/**
 * True if a record is a pencil commit with this request id on this host. One that the host refused
 * does not count, because it says nothing about the command that uses the id.
 */
const isWatchable = ({ stored, state }: OperationRecord, requestId: string, host: ConnectedHost): boolean =>
  stored.requestId === requestId &&
  getCommandKind(stored.endpoint) === 'pencil' &&
  createHostMatcher(host.target.baseUrl)(stored.host) &&
  !unacceptedStates.has(state)

function createWatchedOperation(requestId: string, host: ConnectedHost): StoredOperation {
  const { id, method, path } = getEndpoint('writing.pencilResult')
  return {
    id: randomUUID(),
    endpoint: id,
    source: 'watched',
    profileId: host.profileId,
    profileName: host.profileName,
    host: host.target.baseUrl,
    method,
    path,
    body: null,
    createdAt: Date.now(),
    requestId,
    topicid: null,
    noteid: null,
    instanceNonce: host.instanceNonce,
    caller: null,
  }
}

/** Returns the event of a requested poll. @throws the poll's error if it brought none */
function getPolledEvent(result: PollResult) {
  if (result.kind === 'absent') return createNoConfirmationResult().event
  if (result.kind !== 'nothing') return result.event
  if (result.error) throw result.error
  throw new AppError({
    kind: 'http',
    code: 'LOOK_REFUSED',
    status: result.status ?? 0,
    message: `The host answered with ${result.status ?? 0} when it was asked for the outcome.`,
    retryable: true,
    params: { status: result.status ?? 0 },
    ...(result.retryAfterMs > 0 ? { retryAfterSeconds: result.retryAfterMs / 1_000 } : {}),
  })
}

function toPreviewResponse({ events, state }: OperationRecord): Omit<PreviewResponse, 'operationId' | 'spent'> | null {
  const response = events.find((event) => event.kind === 'answer')
  if (!response) return null
  const { status, body, durationMs } = response
  const code = errorCodeOf(body)
  const error = getMember(body, 'error')
  const message = getMember(error, 'message')
  return {
    status,
    code,
    message: typeof message === 'string' ? message : null,
    details: getMember(error, 'details') ?? null,
    body,
    refusedAsExpected: code === 'CONFIRM_REQUIRED' && state === 'refused',
    durationMs,
  }
}

/** Returns the error of a command that got no response. */
function toFailureError({ events }: OperationRecord): AppError {
  return fromWireError(events.find((event) => event.kind === 'failure')?.error)
}
