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

/** How many records are read back automatically when their host returns, out of how many of the newest. */
const MAX_READ_BACKS = 50
const MAX_EXAMINED_RECORDS = 200
const MAX_CONCURRENT_READS = 4
/** A read later than this after a command says little about it; the user may still request one. */
const READ_LATE_MS = 24 * 3_600_000
/** After this many failed reads following a command, it is left to the user. */
const MAX_FAILURES = 3

interface FollowOptions {
  readonly client: BridgeClient
  readonly connection: Connection
  readonly records: OperationRecords
  /** Called when a watched command has ended. */
  readonly onEnded?: ((stored: StoredOperation) => void) | undefined
}

/** What follows a write: it is watched, and what it touches is read again when it has ended. */
export class OperationFollower {
  readonly tracker: OperationTracker
  readonly #options: FollowOptions
  #closed = false

  constructor(options: FollowOptions) {
    this.#options = options
    const { client, connection, records, onEnded } = options
    this.tracker = new OperationTracker({
      client,
      records,
      findReachableHost: this.#reachable,
      onEnded: (record) => {
        onEnded?.(record.stored)
        void this.readBack(record, 'after')
      },
      onFailure: (error) => connection.checkSoon(error),
    })
  }

  /** Call after the answer to a command, or after its failure to come. */
  async startFollowing(record: OperationRecord): Promise<void> {
    if (record.state === 'not-sent') return
    if (getCommandKind(record.stored.endpoint) === 'plain' || !record.isOpen) await this.readBack(record, 'after')
    this.tracker.watch(record)
  }

  /** Reads back after the end, unless that has been done. */
  async readBackEnded(record: OperationRecord): Promise<void> {
    if (isUnread(record)) await this.readBack(record, 'after')
  }

  /** Reads what the command touches. Returns whether that worked; never rejects. */
  async readBack(record: OperationRecord, when: 'after' | 'asked'): Promise<boolean> {
    const here = this.#reachable(record.stored)
    return here !== null && this.#read(record, here, when)
  }

  /** Reads on the user's request. Throws `NOT_CONNECTED` and `OPERATION_ELSEWHERE`. */
  async readBackOnRequest(record: OperationRecord): Promise<void> {
    await this.#read(record, getHostOfOperation(this.#options.connection, record.stored), 'asked')
  }

  async #read(record: OperationRecord, here: ConnectedHost, when: 'after' | 'asked'): Promise<boolean> {
    const { client, records } = this.#options
    const event = await readSubject(client, here, record.subject, when, record.id)
    if (event && records.find(record.id)) records.observe(record, event)
    return event !== null && event.error === null
  }

  /** Reads back everything seen before the connected host's last restart. Returns how many reads worked and how many failed. */
  async readBackAll(): Promise<{ read: number; failed: number; nothing: number }> {
    const { records } = this.#options
    const earlier = [...records.all].filter((record) => records.getSummary(record).beforeRestart)
    const some = earlier.filter(({ subject }) => subject.kind !== 'nothing')
    const done = await this.#each(some, 'asked')
    const read = done.filter(Boolean).length
    return { read, failed: done.length - read, nothing: earlier.length - some.length }
  }

  /** The host is back: whatever was waiting for it continues. */
  async resumeWaiting(): Promise<void> {
    const { records } = this.#options
    const unread: OperationRecord[] = []
    const since = Date.now() - READ_LATE_MS
    const newest = new Set([...records.all].slice(-MAX_EXAMINED_RECORDS))
    for (const record of records.all) {
      if (record.state === 'sent' || this.#reachable(record.stored) === null) continue
      if (record.isOpen && getCommandKind(record.stored.endpoint) !== 'plain' && record.tracking !== 'ended')
        this.tracker.watch(record)
      else if (newest.has(record) && record.stored.createdAt > since && isUnread(record)) unread.push(record)
    }
    await this.#each(unread.slice(-MAX_READ_BACKS), 'after')
  }

  /** What is under way when the program ends still finishes, but nothing follows it: the next start takes over. */
  dispose(): void {
    this.#closed = true
    this.tracker.dispose()
  }

  readonly #reachable = (stored: StoredOperation): ConnectedHost | null =>
    this.#closed ? null : findReachableHost(this.#options.connection, stored)

  async #each(all: readonly OperationRecord[], when: 'after' | 'asked'): Promise<boolean[]> {
    const done: boolean[] = []
    let next = 0
    const worker = async (): Promise<void> => {
      for (let record = all[next++]; record; record = all[next++]) done.push(await this.readBack(record, when))
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT_READS }, worker))
    return done
  }
}

/** It has ended, or nobody knows how, and what it touches has not been read since. */
function isUnread({ state, subject, events, derived }: OperationRecord): boolean {
  if (state === 'prepared' || state === 'sent' || state === 'pending' || state === 'not-sent') return false
  if (subject.kind === 'nothing') return false
  const reads = events
    .slice(derived.transitions.at(-1)?.event ?? 0)
    .flatMap((event) => (event.kind === 'read-back' ? [event.error === null] : []))
  return !reads.includes(true) && reads.length < MAX_FAILURES
}

/**
 * Notices, by `instanceNonce`, that a record's host is now another run than the one that last said something about it (spec §4: records
 * of operations are lost then), and that hosts come and go. Returns a function that stops it.
 */
export function watchHostRestarts(
  bus: Bus,
  connection: Connection,
  records: OperationRecords,
  follow: OperationFollower,
): () => void {
  let heard = ''

  function changed(): void {
    const { phase, profile, host, epoch } = connection.state()
    const now = JSON.stringify([phase, profile?.id, profile?.baseUrl, host?.instanceNonce, epoch])
    if (now === heard) return
    heard = now
    const nonce = host?.instanceNonce ?? null
    if (phase === 'online' && profile && nonce !== null) {
      records.setCurrentHost({ baseUrl: connection.target().baseUrl, instanceNonce: nonce })
      note(nonce)
    }
    follow.tracker.wake()
    if (phase === 'online') void follow.resumeWaiting()
  }

  function note(to: string): void {
    for (const record of records.all) {
      const from = record.instanceNonce
      if (!record.isOpen || record.state === 'sent' || from === null || from === to) continue
      if (findReachableHost(connection, record.stored) === null) continue
      const noted = record.events.some((event) => event.kind === 'host-restarted' && event.to === to)
      if (!noted) records.observe(record, { kind: 'host-restarted', at: Date.now(), from, to })
    }
  }

  return bus.subscribe(({ topic }) => {
    if (topic === 'connection.changed') changed()
  })
}
