import { randomUUID } from 'node:crypto'
import { endpoint, commandKind } from '../../../shared/bridge/endpoints/index.ts'
import { untaken } from '../../../shared/operations/events.ts'
import { errorCodeOf } from '../../../shared/bridge/errors.ts'
import { member } from '../../../shared/json/object.ts'
import { hostAt } from '../../../shared/bridge/same-host.ts'
import { AppError, fromWire, refused } from '../../../shared/errors.ts'
import type { CommandDraft, Prepared, Preview } from '../../../shared/operations/commands.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeClient } from '../bridge/types.ts'
import type { StoredOperation } from '../journal/types.ts'
import { ticketBinding, prepareCommand, requestOf, withoutConfirm, type Command, type FileOf } from './send/command.ts'
import { describeCommand, obstaclesOf, troubleIn } from './send/describe.ts'
import type { Follow } from './watch/follow.ts'
import { hereFor, hereOf, type Here } from '../bridge/connection/connected-host.ts'
import { canBeLookedAt, lookAt, noConfirmation, type Look } from './watch/look.ts'
import type { OperationRecord } from './records/record.ts'
import type { Records } from './records/records.ts'
import { assertWritable, type OnBehalf, type Sender } from './send/sender.ts'
import { Tickets } from './send/tickets.ts'

interface Options {
  readonly client: BridgeClient
  readonly connection: Connection
  readonly records: Records
  readonly sender: Sender
  readonly follow: Follow
  readonly fileOf?: FileOf | undefined
  /** Whether what is written down outlives the program. */
  readonly journaled: () => boolean
}

/**
 * The gate as a page sees it: a write is shown, gets a ticket, and is sent with that ticket once. Every method throws `NOT_CONNECTED`,
 * and the writing ones `READ_ONLY` while the profile is locked.
 */
export function createOperations({ client, connection, records, sender, follow, fileOf, journaled }: Options) {
  const tickets = new Tickets()
  /** Request ids that are about to be watched: a second caller gets the same record. */
  const beginning = new Map<string, Promise<Operation>>()
  const bindingNow = (command: Command): string => ticketBinding(command, hereOf(connection))

  function prepare(draft: CommandDraft): Prepared {
    const here = hereOf(connection)
    const command = prepareCommand(draft, here.target, here.capabilities, fileOf)
    assertWritable(command, here)
    sender.assertNoToken(`${command.path}\n${command.bodyText ?? ''}`)
    const request = client.describe(here.target, requestOf(command))
    const obstacles = obstaclesNow(command)
    const shown = describeCommand(command, here, { request, obstacles, journaled: journaled() })
    return { ...tickets.issue(command, bindingNow(command), troubleIn(obstacles)), ...shown }
  }

  const obstaclesNow = (command: Command) => {
    const here = hereOf(connection)
    const isHere = hostAt(here.target.baseUrl)
    const own = [...records.all].filter(({ stored }) => isHere(stored.host))
    return obstaclesOf(command, here, own)
  }
  const troubleNow = (command: Command): readonly string[] => troubleIn(obstaclesNow(command))

  async function send(ticket: string, onBehalf?: OnBehalf): Promise<Operation> {
    const command = tickets.take(ticket, bindingNow, troubleNow)
    const record = await sender.send(command, hereOf(connection), onBehalf)
    await follow.begin(record)
    return records.detail(record)
  }

  /**
   * Sends the command without `confirm`. It is recorded like any write, and the record is removed again if the host executed nothing. The
   * ticket remains valid for the write afterwards only if nothing can have been executed.
   */
  async function preview(ticket: string): Promise<Preview> {
    const { added, endpoint } = tickets.look(ticket, bindingNow)
    if (added.length === 0 || endpoint.confirm !== 'body') {
      throw refused('PREVIEW_UNSAFE', 'This route has no confirm gate: a preview could be executed. Nothing was sent.')
    }
    const { command, giveBack } = tickets.borrow(ticket, bindingNow, troubleNow)
    const record = await sender.send(withoutConfirm(command), hereOf(connection)).catch((error: unknown) => {
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
    await follow.begin(record)
    if (!shown) throw failureIn(record)
    return { ...shown, operationId: record.id, spent }
  }

  /** Looks once before it returns: what cannot be looked up gets no record. */
  function watch(requestId: string): Promise<Operation> {
    sender.assertNoToken(requestId)
    const here = hereOf(connection)
    const key = `${here.target.baseUrl} ${requestId}`
    const watching = beginning.get(key) ?? beginWatch(requestId, here).finally(() => beginning.delete(key))
    beginning.set(key, watching)
    return watching
  }

  async function beginWatch(requestId: string, here: Here): Promise<Operation> {
    const stored = watchedOf(requestId, here)
    const known = [...records.all].findLast((record) => isWatchable(record, requestId, here))
    if (known) {
      resume(known)
      return records.detail(known)
    }
    const event = seenIn(await lookAt(client, here, stored, []))
    const record = records.create(stored, event)
    follow.tracker.watch(record)
    return records.detail(record)
  }

  async function look(record: OperationRecord, signal: AbortSignal): Promise<void> {
    const here = hereFor(connection, record.stored)
    if (untaken.has(record.state) || !canBeLookedAt(record.stored, here)) {
      throw refused('NOTHING_TO_LOOK_AT', 'The host offers no way to look up the outcome of this command.')
    }
    const asked = { ...record.stored, instanceNonce: record.nonce }
    records.observe(record, seenIn(await lookAt(client, here, asked, record.events, signal)))
    // If watching was stopped, this single look does not count as watching to the end.
    if (record.open || record.state === 'given-up') return
    follow.tracker.stop(record, 'ended')
    await follow.readEnded(record)
  }

  function stop(record: OperationRecord): void {
    if (!record.open || record.state === 'sent') return
    records.append(record, { kind: 'given-up', at: Date.now(), by: 'person' })
    follow.tracker.stop(record, 'stopped')
  }

  function resume(record: OperationRecord): void {
    if (record.state === 'given-up') records.append(record, { kind: 'resumed', at: Date.now() })
    follow.tracker.watch(record)
  }

  /** Forgets a write that was prepared and will not be sent. */
  const drop = (ticket: string): void => tickets.drop(ticket)

  return { prepare, drop, send, preview, watch, look, stop, resume }
}

export type Operations = ReturnType<typeof createOperations>

/** A command of ours that the host refused says nothing about the one that holds its request id. */
const isWatchable = ({ stored, state }: OperationRecord, requestId: string, here: Here): boolean =>
  stored.requestId === requestId &&
  commandKind(stored.endpoint) === 'pencil' &&
  hostAt(here.target.baseUrl)(stored.host) &&
  !untaken.has(state)

function watchedOf(requestId: string, here: Here): StoredOperation {
  const { id, method, path } = endpoint('writing.pencilResult')
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
    instanceNonce: here.nonce,
    caller: null,
  }
}

/** The result of a look that the user requested. Throws the reason if there is none. */
function seenIn(look: Look) {
  if (look.kind === 'absent') return noConfirmation().event
  if (look.kind !== 'nothing') return look.event
  if (look.error) throw look.error
  throw new AppError({
    kind: 'http',
    code: 'LOOK_REFUSED',
    status: look.status ?? 0,
    message: `The host answered with ${look.status ?? 0} when it was asked for the outcome.`,
    retryable: true,
    params: { status: look.status ?? 0 },
    ...(look.again > 0 ? { retryAfterSeconds: look.again / 1_000 } : {}),
  })
}

function previewOf({ events, state }: OperationRecord): Omit<Preview, 'operationId' | 'spent'> | null {
  const answer = events.find((event) => event.kind === 'answer')
  if (!answer) return null
  const { status, body, durationMs } = answer
  const code = errorCodeOf(body)
  const error = member(body, 'error')
  const message = member(error, 'message')
  return {
    status,
    code,
    message: typeof message === 'string' ? message : null,
    details: member(error, 'details') ?? null,
    body,
    refusedAsExpected: code === 'CONFIRM_REQUIRED' && state === 'refused',
    durationMs,
  }
}

/** Why a command got no answer. */
function failureIn({ events }: OperationRecord): AppError {
  return fromWire(events.find((event) => event.kind === 'failure')?.error)
}
