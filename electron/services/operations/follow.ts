import { commandKind } from '../../../shared/bridge/operation.ts'
import type { Connection } from '../bridge/connection.ts'
import type { BridgeClient } from '../bridge/types.ts'
import type { StoredOperation } from '../journal/types.ts'
import { hereFor, reachableFor, type Here } from './here.ts'
import { readBack } from './read-back.ts'
import type { OperationRecord } from './record.ts'
import type { Records } from './records.ts'
import { Tracker } from './tracker.ts'

/** Records that are read back by themselves when their host is there again, and the newest ones of which these are. */
const MOST_READ_AGAIN = 50
const MOST_LOOKED_AT = 200
const AT_ONCE = 4
/** What is read later than this after a command says little of it: a person may ask for it. */
const READ_LATE_MS = 24 * 3_600_000
/** Reads after the end of a command that failed; after so many it is left to a person. */
const MOST_FAILED = 3

interface FollowOptions {
  readonly client: BridgeClient
  readonly connection: Connection
  readonly records: Records
  /** Told when a command that was watched has ended. */
  readonly onEnded?: ((stored: StoredOperation) => void) | undefined
}

/** What follows a write: it is watched, and what it touches is read again when it has ended. */
export class Follow {
  readonly tracker: Tracker
  readonly #options: FollowOptions
  #closed = false

  constructor(options: FollowOptions) {
    this.#options = options
    const { client, connection, records, onEnded } = options
    this.tracker = new Tracker({
      client,
      records,
      reachable: this.#reachable,
      onEnded: (record) => {
        onEnded?.(record.stored)
        void this.readAgain(record, 'after')
      },
      onFailure: (error) => connection.nudge(error),
    })
  }

  /** After the answer to a command, or the lack of one. */
  async begin(record: OperationRecord): Promise<void> {
    if (record.state === 'not-sent') return
    if (commandKind(record.stored.endpoint) === 'plain' || !record.open) await this.readAgain(record, 'after')
    this.tracker.watch(record)
  }

  /** After its end, where it was not read yet. */
  async readEnded(record: OperationRecord): Promise<void> {
    if (isUnread(record)) await this.readAgain(record, 'after')
  }

  /** Reads what the command touches; true where it could be read. Never rejects. */
  async readAgain(record: OperationRecord, when: 'after' | 'asked'): Promise<boolean> {
    const here = this.#reachable(record.stored)
    return here !== null && this.#read(record, here, when)
  }

  /** Because a person asked. Throws `NOT_CONNECTED` and `OPERATION_ELSEWHERE`. */
  async readAsked(record: OperationRecord): Promise<void> {
    await this.#read(record, hereFor(this.#options.connection, record.stored), 'asked')
  }

  async #read(record: OperationRecord, here: Here, when: 'after' | 'asked'): Promise<boolean> {
    const { client, records } = this.#options
    const event = await readBack(client, here, record.subject, when)
    if (event && records.find(record.id)) records.observe(record, event)
    return event !== null && event.error === null
  }

  /** Everything that was seen before the last restart of the connected host; answers how many could be read. */
  async readBackAll(): Promise<{ read: number; failed: number; nothing: number }> {
    const { records } = this.#options
    const earlier = [...records.all].filter((record) => records.summary(record).beforeRestart)
    const some = earlier.filter(({ subject }) => subject.kind !== 'nothing')
    const done = await this.#each(some, 'asked')
    const read = done.filter(Boolean).length
    return { read, failed: done.length - read, nothing: earlier.length - some.length }
  }

  /** The host is there: what waited for it goes on. */
  async online(): Promise<void> {
    const { records } = this.#options
    const unread: OperationRecord[] = []
    const since = Date.now() - READ_LATE_MS
    const newest = new Set([...records.all].slice(-MOST_LOOKED_AT))
    for (const record of records.all) {
      if (record.state === 'sent' || this.#reachable(record.stored) === null) continue
      if (record.open && commandKind(record.stored.endpoint) !== 'plain' && record.tracking !== 'ended')
        this.tracker.watch(record)
      else if (newest.has(record) && record.stored.createdAt > since && isUnread(record)) unread.push(record)
    }
    await this.#each(unread.slice(-MOST_READ_AGAIN), 'after')
  }

  /** What was under way at the end of the program still ends, and nothing follows it: the next start takes it up. */
  dispose(): void {
    this.#closed = true
    this.tracker.dispose()
  }

  readonly #reachable = (stored: StoredOperation): Here | null =>
    this.#closed ? null : reachableFor(this.#options.connection, stored)

  async #each(all: readonly OperationRecord[], when: 'after' | 'asked'): Promise<boolean[]> {
    const done: boolean[] = []
    let next = 0
    const worker = async (): Promise<void> => {
      for (let record = all[next++]; record; record = all[next++]) done.push(await this.readAgain(record, when))
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    return done
  }
}

/** It has ended, or nobody knows how, and what it touches was not read since. */
function isUnread({ state, subject, events, derived }: OperationRecord): boolean {
  if (state === 'prepared' || state === 'sent' || state === 'pending' || state === 'not-sent') return false
  if (subject.kind === 'nothing') return false
  const reads = events
    .slice(derived.transitions.at(-1)?.event ?? 0)
    .flatMap((event) => (event.kind === 'read-back' ? [event.error === null] : []))
  return !reads.includes(true) && reads.length < MOST_FAILED
}
