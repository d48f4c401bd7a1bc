// Watches commands after they were sent, until their outcome is known.
// What an outcome means is in operations/outcome; sending is in operations/send.
// Read this file first, then tracker.ts and poll-result.ts.
import { getNextSteps } from '../outcome/next-steps.ts'
import { getCommandKind } from '../../../../shared/bridge/endpoints/index.ts'
import type { Connection } from '../../bridge/connection/connection.ts'
import type { BridgeClient } from '../../bridge/types.ts'
import type { StoredOperation } from '../../journal/types.ts'
import { getHostOfOperation, findReachableHost, type ConnectedHost } from '../../bridge/connection/connected-host.ts'
import { readSubject } from '../records/read-back.ts'
import type { OperationRecord } from '../records/record.ts'
import type { OperationRecords } from '../records/records.ts'
import { OperationTracker } from './tracker.ts'
import type { Bus } from '../../bus.ts'

/** When a host returns, at most this many of the newest examined records are read back. */
const MAX_READ_BACKS = 50
const MAX_EXAMINED_RECORDS = 200
const MAX_CONCURRENT_READS = 4
/** A read this long after a command says little about it, so it happens only on request. */
const MAX_AUTOMATIC_READ_AGE_MS = 24 * 3_600_000
/** After this many failed reads, a command is read back only on request. */
const MAX_FAILED_READS = 3

interface FollowOptions {
  readonly client: BridgeClient
  readonly connection: Connection
  readonly records: OperationRecords
  readonly onEnded?: ((stored: StoredOperation) => void) | undefined
}

/** Watches a write for its outcome, and reads back the data that it touches. */
export class OperationFollower {
  readonly tracker: OperationTracker
  readonly #options: FollowOptions
  #isDisposed = false

  constructor(options: FollowOptions) {
    this.#options = options
    const { client, connection, records, onEnded } = options
    this.tracker = new OperationTracker({
      client,
      records,
      findReachableHost: this.#findReachable,
      onEnded: (record) => {
        onEnded?.(record.stored)
        void this.readBack(record, 'after')
      },
      onFailure: (error) => connection.checkSoon(error),
    })
  }

  /** Call after a command got its response or failed. */
  async startFollowing(record: OperationRecord): Promise<void> {
    if (record.state === 'not-sent') return
    if (getCommandKind(record.stored.endpoint) === 'plain' || !record.isOpen) await this.readBack(record, 'after')
    this.tracker.watch(record)
  }

  /** Reads back the data that an ended command touches, unless it was read back before. */
  async readBackEnded(record: OperationRecord): Promise<void> {
    if (needsReadBack(record)) await this.readBack(record, 'after')
  }

  /** @returns false if the read failed; the promise never rejects. */
  async readBack(record: OperationRecord, when: 'after' | 'asked'): Promise<boolean> {
    const host = this.#findReachable(record.stored)
    return host !== null && this.#read(record, host, when)
  }

  /** Reads back on the user's request. @throws NOT_CONNECTED, OPERATION_ELSEWHERE */
  async readBackOnRequest(record: OperationRecord): Promise<void> {
    await this.#read(record, getHostOfOperation(this.#options.connection, record.stored), 'asked')
  }

  async #read(record: OperationRecord, host: ConnectedHost, when: 'after' | 'asked'): Promise<boolean> {
    const { client, records } = this.#options
    const event = await readSubject(client, host, record.subject, when, record.id)
    if (event && records.find(record.id)) records.observe(record, event)
    return event !== null && event.error === null
  }

  /** Reads back what was observed before the host's last restart, and counts the results. */
  async readBackAll(): Promise<{ read: number; failed: number; nothing: number }> {
    const { records } = this.#options
    const staleRecords = [...records.all].filter((record) => records.getSummary(record).beforeRestart)
    const readableRecords = staleRecords.filter(({ subject }) => subject.kind !== 'nothing')
    const results = await this.#readBackEach(readableRecords, 'asked')
    const read = results.filter(Boolean).length
    return { read, failed: results.length - read, nothing: staleRecords.length - readableRecords.length }
  }

  /** Continues watching and reading back where they waited for the host to return. */
  async resumeWaiting(): Promise<void> {
    const { records } = this.#options
    const unread: OperationRecord[] = []
    const since = Date.now() - MAX_AUTOMATIC_READ_AGE_MS
    const newest = new Set([...records.all].slice(-MAX_EXAMINED_RECORDS))
    for (const record of records.all) {
      if (record.state === 'sent' || this.#findReachable(record.stored) === null) continue
      if (record.isOpen && getCommandKind(record.stored.endpoint) !== 'plain' && record.tracking !== 'ended')
        this.tracker.watch(record)
      else if (newest.has(record) && record.stored.createdAt > since && needsReadBack(record)) unread.push(record)
    }
    await this.#readBackEach(unread.slice(-MAX_READ_BACKS), 'after')
  }

  /** A request in progress finishes; the next start of the program takes over. */
  dispose(): void {
    this.#isDisposed = true
    this.tracker.dispose()
  }

  readonly #findReachable = (stored: StoredOperation): ConnectedHost | null =>
    this.#isDisposed ? null : findReachableHost(this.#options.connection, stored)

  async #readBackEach(records: readonly OperationRecord[], when: 'after' | 'asked'): Promise<boolean[]> {
    const done: boolean[] = []
    let nextIndex = 0
    const worker = async (): Promise<void> => {
      for (let record = records[nextIndex++]; record; record = records[nextIndex++])
        done.push(await this.readBack(record, when))
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT_READS }, worker))
    return done
  }
}

/** The command has ended or its end is unknown, and its data has not been read since. */
function needsReadBack({ state, subject, events, derived }: OperationRecord): boolean {
  if (!getNextSteps(state).canReadBack) return false
  if (subject.kind === 'nothing') return false
  const reads = events
    .slice(derived.transitions.at(-1)?.event ?? 0)
    .flatMap((event) => (event.kind === 'read-back' ? [event.error === null] : []))
  return !reads.includes(true) && reads.length < MAX_FAILED_READS
}

/**
 * Notes in open records, by `instanceNonce`, that their host has restarted (spec §4: it then loses
 * its records of operations), and resumes or pauses watching as hosts come and go.
 * @returns a function that stops this.
 */
export function watchHostRestarts(
  bus: Bus,
  connection: Connection,
  records: OperationRecords,
  follower: OperationFollower,
): () => void {
  let lastConnectionKey = ''

  function onConnectionChanged(): void {
    const { phase, profile, host, epoch } = connection.state()
    const connectionKey = JSON.stringify([phase, profile?.id, profile?.baseUrl, host?.instanceNonce, epoch])
    if (connectionKey === lastConnectionKey) return
    lastConnectionKey = connectionKey
    const nonce = host?.instanceNonce ?? null
    if (phase === 'online' && profile && nonce !== null) {
      records.setCurrentHost({ baseUrl: connection.target().baseUrl, instanceNonce: nonce })
      noteRestart(nonce)
    }
    follower.tracker.wake()
    if (phase === 'online') void follower.resumeWaiting()
  }

  function noteRestart(currentNonce: string): void {
    for (const record of records.all) {
      const recordNonce = record.instanceNonce
      if (!getNextSteps(record.state).canPoll || recordNonce === null || recordNonce === currentNonce) continue
      if (findReachableHost(connection, record.stored) === null) continue
      const isNoted = record.events.some((event) => event.kind === 'host-restarted' && event.to === currentNonce)
      if (!isNoted)
        records.observe(record, { kind: 'host-restarted', at: Date.now(), from: recordNonce, to: currentNonce })
    }
  }

  return bus.on('connection.changed', onConnectionChanged)
}
