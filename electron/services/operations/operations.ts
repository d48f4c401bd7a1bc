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
  /** Whether what is written down outlives the program. */
  readonly isJournaled: () => boolean
}

/**
 * The gate as a page sees it: a write is shown, gets a ticket, and is sent with that ticket once. Every method throws `NOT_CONNECTED`,
 * and the writing ones `READ_ONLY` while the profile is locked.
 */
export function createOperations({
  client,
  connection,
  records,
  sender,
  follower: follow,
  findUpload: fileOf,
  isJournaled: journaled,
}: Options) {
  const tickets = new Tickets()
  /** Request ids that are about to be watched: a second caller gets the same record. */
  const beginning = new Map<string, Promise<Operation>>()
  const bindingNow = (command: PreparedCommand): string => computeTicketBinding(command, getConnectedHost(connection))

  function prepare(draft: CommandDraft): PreparedWrite {
    const here = getConnectedHost(connection)
    const command = prepareCommand(draft, here.target, here.capabilities, fileOf)
    assertWritable(command, here)
    sender.assertNoToken(`${command.path}\n${command.bodyText ?? ''}`)
    const request = client.describeRequest(here.target, toBridgeRequest(command))
    const obstacles = obstaclesNow(command)
    const shown = describeCommand(command, here, { request, obstacles, isJournaled: journaled() })
    return { ...tickets.issue(command, bindingNow(command), summarizeObstacles(obstacles)), ...shown }
  }

  const obstaclesNow = (command: PreparedCommand) => {
    const here = getConnectedHost(connection)
    const isHere = createHostMatcher(here.target.baseUrl)
    const own = [...records.all].filter(({ stored }) => isHere(stored.host))
    return findObstacles(command, here, own)
  }
  const troubleNow = (command: PreparedCommand): readonly string[] => summarizeObstacles(obstaclesNow(command))

  async function send(ticket: string, onBehalf?: ForwardedWrite): Promise<Operation> {
    const command = tickets.take(ticket, bindingNow, troubleNow)
    const record = await sender.send(command, getConnectedHost(connection), onBehalf)
    await follow.startFollowing(record)
    return records.getDetail(record)
  }

  /**
   * Sends the command without `confirm`. It is recorded like any write, and the record is removed again if the host executed nothing. The
   * ticket remains valid for the write afterwards only if nothing can have been executed.
   */
  async function preview(ticket: string): Promise<PreviewResponse> {
    const { addedMembers: added, endpoint } = tickets.peek(ticket, bindingNow)
    if (added.length === 0 || endpoint.confirm !== 'body') {
      throw createRefusedError(
        'PREVIEW_UNSAFE',
        'This route has no confirm gate: a preview could be executed. Nothing was sent.',
      )
    }
    const { command, giveBack } = tickets.borrow(ticket, bindingNow, troubleNow)
    const record = await sender.send(removeConfirm(command), getConnectedHost(connection)).catch((error: unknown) => {
      // Nothing was sent.
      giveBack()
      throw error
    })
    const spent = record.state !== 'refused' && record.state !== 'not-sent'
    if (!spent) giveBack()
    const shown = previewOf(record)
    if (shown?.refusedAsExpected) {
      records.remove([record])
      return { ...shown, operationId: null, spent }
    }
    await follow.startFollowing(record)
    if (!shown) throw failureIn(record)
    return { ...shown, operationId: record.id, spent }
  }

  /** Looks once before it returns: what cannot be looked up gets no record. */
  function watchRequest(requestId: string): Promise<Operation> {
    sender.assertNoToken(requestId)
    const here = getConnectedHost(connection)
    const key = `${here.target.baseUrl} ${requestId}`
    const watching = beginning.get(key) ?? beginWatch(requestId, here).finally(() => beginning.delete(key))
    beginning.set(key, watching)
    return watching
  }

  async function beginWatch(requestId: string, here: ConnectedHost): Promise<Operation> {
    const stored = watchedOf(requestId, here)
    const known = [...records.all].findLast((record) => isWatchable(record, requestId, here))
    if (known) {
      resumeWatching(known)
      return records.getDetail(known)
    }
    const event = seenIn(await pollPencilResult(client, here, stored, []))
    const record = records.create(stored, event)
    follow.tracker.watch(record)
    return records.getDetail(record)
  }

  async function pollOutcome(record: OperationRecord, signal: AbortSignal): Promise<void> {
    const here = getHostOfOperation(connection, record.stored)
    if (unacceptedStates.has(record.state) || !canPollOutcome(record.stored, here)) {
      throw createRefusedError('NOTHING_TO_LOOK_AT', 'The host offers no way to look up the outcome of this command.')
    }
    const asked = { ...record.stored, instanceNonce: record.instanceNonce }
    records.observe(record, seenIn(await pollPencilResult(client, here, asked, record.events, signal)))
    // If watching was stopped, this single look does not count as watching to the end.
    if (record.isOpen || record.state === 'given-up') return
    follow.tracker.stop(record, 'ended')
    await follow.readBackEnded(record)
  }

  function stopWatching(record: OperationRecord): void {
    if (!record.isOpen || record.state === 'sent') return
    records.append(record, { kind: 'given-up', at: Date.now(), by: 'person' })
    follow.tracker.stop(record, 'stopped')
  }

  function resumeWatching(record: OperationRecord): void {
    if (record.state === 'given-up') records.append(record, { kind: 'resumed', at: Date.now() })
    follow.tracker.watch(record)
  }

  /** Forgets a write that was prepared and will not be sent. */
  const drop = (ticket: string): void => tickets.drop(ticket)

  return {
    prepare,
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

/** A command of ours that the host refused says nothing about the one that holds its request id. */
const isWatchable = ({ stored, state }: OperationRecord, requestId: string, here: ConnectedHost): boolean =>
  stored.requestId === requestId &&
  getCommandKind(stored.endpoint) === 'pencil' &&
  createHostMatcher(here.target.baseUrl)(stored.host) &&
  !unacceptedStates.has(state)

function watchedOf(requestId: string, here: ConnectedHost): StoredOperation {
  const { id, method, path } = getEndpoint('writing.pencilResult')
  return {
    id: randomUUID(),
    endpoint: id,
    source: 'watched',
    profileId: here.profileId,
    profileName: here.profileName,
    host: here.target.baseUrl,
    method,
    path,
    body: null,
    createdAt: Date.now(),
    requestId,
    topicid: null,
    noteid: null,
    instanceNonce: here.instanceNonce,
    caller: null,
  }
}

/** The result of a look that the user requested. Throws the reason if there is none. */
function seenIn(look: PollResult) {
  if (look.kind === 'absent') return createNoConfirmationResult().event
  if (look.kind !== 'nothing') return look.event
  if (look.error) throw look.error
  throw new AppError({
    kind: 'http',
    code: 'LOOK_REFUSED',
    status: look.status ?? 0,
    message: `The host answered with ${look.status ?? 0} when it was asked for the outcome.`,
    retryable: true,
    params: { status: look.status ?? 0 },
    ...(look.retryAfterMs > 0 ? { retryAfterSeconds: look.retryAfterMs / 1_000 } : {}),
  })
}

function previewOf({ events, state }: OperationRecord): Omit<PreviewResponse, 'operationId' | 'spent'> | null {
  const answer = events.find((event) => event.kind === 'answer')
  if (!answer) return null
  const { status, body, durationMs } = answer
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

/** Why a command got no answer. */
function failureIn({ events }: OperationRecord): AppError {
  return fromWireError(events.find((event) => event.kind === 'failure')?.error)
}
