import { randomUUID } from 'node:crypto'
import { isOpen } from '../../../shared/bridge/operation.ts'
import type { Capabilities } from '../../../shared/bridge/resources/state.ts'
import { AppError, refused, toWire } from '../../../shared/errors.ts'
import type { CommandDraft, Operation, Prepared, Preview } from '../../../shared/ipc/operations.ts'
import type { Connection } from '../bridge/connection.ts'
import type { BridgeClient, BridgeTarget } from '../bridge/types.ts'
import type { StoredOperation } from '../journal/types.ts'
import { answerEvent, hostError } from './answer.ts'
import { bindingOf, commandOf, unconfirmed, type Command } from './command.ts'
import { describeCommand } from './describe.ts'
import { listsSessionRoute, reachedHost, readBack } from './read-back.ts'
import type { OperationRecord } from './record.ts'
import type { Records } from './records.ts'
import { Tickets } from './tickets.ts'
import type { Tracker } from './tracker.ts'

export interface OperationsOptions {
  readonly client: BridgeClient
  readonly connection: Connection
  readonly records: Records
  readonly tracker: Tracker
  readonly conceal: (text: string) => string
  /** What the host's capabilities said last; null while they were not read. */
  readonly capabilities: () => Promise<Pick<Capabilities, 'routes'> | null>
}

/**
 * The one gate through which a write leaves: shown first, written down before its first byte, sent once, never again by itself. Every
 * method throws `NOT_CONNECTED`, and the writing ones `READ_ONLY` while the profile is locked.
 */
export function createOperations(options: OperationsOptions) {
  const { client, connection, records, tracker, conceal, capabilities } = options
  const tickets = new Tickets()

  function here(): { target: BridgeTarget; profileId: string; profileName: string; nonce: string | null } {
    const target = connection.target()
    const { profile, host } = connection.state()
    return {
      target,
      profileId: profile?.id ?? '',
      profileName: profile?.name ?? '',
      nonce: host?.instanceNonce ?? null,
    }
  }

  function assertUnlocked({ readOnly }: BridgeTarget, command: Command): void {
    if (!readOnly) return
    const { method, path } = command.endpoint
    throw refused('READ_ONLY', `The profile is read-only: ${method} ${path} was not sent.`, {
      endpoint: command.endpoint.id,
    })
  }

  /** A token has no place in a path or a body, and a record would keep it on the disk. */
  function assertNoToken(text: string): void {
    if (conceal(text) === text) return
    throw refused('TOKEN_IN_REQUEST', 'The token stands in what would be sent and written down. Nothing was sent.')
  }

  const bindingNow = (command: Command): string => {
    const { target, profileId, nonce } = here()
    return bindingOf(command, profileId, target, nonce)
  }

  async function prepare(draft: CommandDraft): Promise<Prepared> {
    const { target } = here()
    const command = commandOf(draft, target)
    assertUnlocked(target, command)
    assertNoToken(`${command.path}\n${command.bodyText ?? ''}`)
    const { ticket, expiresAt } = tickets.issue(command, bindingNow(command))
    return { ticket, expiresAt, ...describeCommand(command, target, [...records.all], await capabilities()) }
  }

  async function preview(ticket: string): Promise<Preview> {
    const command = tickets.look(ticket, bindingNow)
    const { target } = here()
    assertUnlocked(target, command)
    if (command.added.length === 0) {
      throw refused(
        'PREVIEW_UNSAFE',
        'This route has no confirm gate: without it a preview could be executed. Nothing was sent.',
      )
    }
    const { endpoint, params, query } = command
    const started = performance.now()
    const body = unconfirmed(command)
    try {
      const { value, meta } = await client.requestJson(target, { endpoint, params, query, body, attempts: 1 })
      const durationMs = performance.now() - started
      return {
        status: meta.status,
        code: null,
        message: null,
        details: null,
        body: value,
        refusedAsExpected: false,
        durationMs,
      }
    } catch (error) {
      const found = hostError(error)
      if (!found) throw error
      const { status, code, message, details } = found
      const durationMs = performance.now() - started
      return {
        status,
        code,
        message,
        details,
        body: found.body,
        refusedAsExpected: code === 'CONFIRM_REQUIRED',
        durationMs,
      }
    }
  }

  async function send(ticket: string): Promise<Operation> {
    const command = tickets.take(ticket, bindingNow)
    const { target, profileId, profileName, nonce } = here()
    assertUnlocked(target, command)
    const record = records.create(storedOf(command, { profileId, profileName, target }), {
      kind: 'intent',
      at: Date.now(),
    })
    const subject = record.stored
    const before = await readBack(client, target, subject, 'before')
    if (before) records.observe(record, before)
    // Written down before the first byte leaves; where that fails, nothing leaves.
    records.append(record, { kind: 'sent', at: Date.now() })
    const { endpoint, params, query, body } = command
    try {
      const { value, meta } = await client.requestJson(target, { endpoint, params, query, body, attempts: 1 })
      records.observe(record, answerEvent(value, meta, nonce))
    } catch (error) {
      const found = hostError(error)
      if (found) {
        const { status, body: sent, exchangeId } = found
        records.observe(record, answerEvent(sent, { status, durationMs: 0, exchangeId }, nonce))
      } else {
        records.observe(record, { kind: 'failure', at: Date.now(), reached: reachedHost(error), error: toWire(error) })
        if (error instanceof AppError) connection.nudge(error)
      }
    }
    await after(record, target)
    return records.detail(record)
  }

  /** What follows an answer: the card is read again, a session command is looked up, an unfinished commit is watched. */
  async function after(record: OperationRecord, target: BridgeTarget): Promise<void> {
    const { state } = record.derived
    if (state === 'not-sent') return
    if (record.stored.endpoint.startsWith('writing.session') && isOpen(state)) {
      if (listsSessionRoute(await capabilities())) await confirmSession(record, target)
    } else if (!isOpen(state)) {
      const event = await readBack(client, target, record.stored, 'after')
      if (event) records.observe(record, event)
    }
    tracker.watch(record)
  }

  /** A session command writes the session record alone (spec §3 rule 2): it is confirmed by finding itself there. */
  async function confirmSession(record: OperationRecord, target: BridgeTarget): Promise<void> {
    const event = await readBack(client, target, record.stored, 'after')
    if (!event) return
    records.observe(record, event)
    const facts = event.facts as Record<string, unknown> | null
    if (facts?.['requestId'] !== record.stored.requestId) return
    records.observe(record, {
      kind: 'observation',
      at: Date.now(),
      source: 'session-record',
      status: 200,
      body: facts,
      cut: false,
      exchangeId: '',
    })
  }

  function storedOf(
    command: Command,
    { profileId, profileName, target }: { profileId: string; profileName: string; target: BridgeTarget },
  ): StoredOperation {
    return {
      id: randomUUID(),
      endpoint: command.endpoint.id,
      source: 'sent',
      profileId,
      profileName,
      host: new URL(target.baseUrl).origin,
      method: command.endpoint.method,
      path: command.path,
      body: command.bodyText,
      createdAt: Date.now(),
      requestId: command.requestId,
      topicid: command.topicid,
      noteid: command.noteid,
    }
  }

  /** Watches a request id that somebody else made; what it was is not known. */
  async function watch(requestId: string): Promise<Operation> {
    assertNoToken(requestId)
    const { target, profileId, profileName } = here()
    const known = [...records.all].find(
      ({ stored }) => stored.requestId === requestId && stored.profileId === profileId,
    )
    const record =
      known ?? records.create(watchedOf(requestId, profileId, profileName, target), { kind: 'intent', at: Date.now() })
    if (!known) records.append(record, { kind: 'sent', at: Date.now() })
    if (!known) await tracker.look(record)
    tracker.watch(record)
    return records.detail(record)
  }

  function watchedOf(requestId: string, profileId: string, profileName: string, target: BridgeTarget): StoredOperation {
    return {
      id: randomUUID(),
      endpoint: 'writing.pencilResult',
      source: 'watched',
      profileId,
      profileName,
      host: new URL(target.baseUrl).origin,
      method: 'POST',
      path: '/writing/pencil-result',
      body: null,
      createdAt: Date.now(),
      requestId,
      topicid: null,
      noteid: null,
    }
  }

  async function readAgain(record: OperationRecord): Promise<boolean> {
    const event = await readBack(client, here().target, record.stored, 'asked')
    if (event) records.append(record, event)
    return event !== null && event.error === null
  }

  return { prepare, preview, send, watch, readAgain }
}

export type Operations = ReturnType<typeof createOperations>
