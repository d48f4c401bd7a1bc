import { commandKind } from '../../../shared/bridge/operation.ts'
import type { Connection } from '../bridge/connection.ts'
import type { BridgeClient } from '../bridge/types.ts'
import type { StoredOperation } from '../journal/types.ts'
import { hereFor, reachableFor, type Here } from './here.ts'
import { readBack } from './read-back.ts'
import type { OperationRecord } from './record.ts'
import type { Records } from './records.ts'
import { subjectOf } from './subject.ts'
import { Tracker } from './tracker.ts'

/** Records of plain writes that are read back by themselves when their host is there again. */
const MOST_READ_AGAIN = 50
const AT_ONCE = 4

interface FollowOptions {
  readonly client: BridgeClient
  readonly connection: Connection
  readonly records: Records
}

/** What follows a write: it is watched, and what it touches is read again when it has ended. */
export class Follow {
  readonly tracker: Tracker
  readonly #options: FollowOptions
  #closed = false

  constructor(options: FollowOptions) {
    this.#options = options
    const { client, connection, records } = options
    this.tracker = new Tracker({
      client,
      records,
      reachable: this.#reachable,
      onEnded: (record) => void this.readAgain(record, 'after'),
      onFailure: (error) => connection.nudge(error),
    })
  }

  /** After the answer to a command, or the lack of one. */
  async begin(record: OperationRecord): Promise<void> {
    if (record.state === 'not-sent') return
    if (commandKind(record.stored.endpoint) === 'plain' || !record.open) await this.readAgain(record, 'after')
    this.tracker.watch(record)
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
    const event = await readBack(client, here, subjectOf(record.stored), when)
    if (event && records.find(record.id)) records.observe(record, event)
    return event !== null && event.error === null
  }

  /** Everything that was seen before the last restart of the connected host; answers how many could be read. */
  async readBackAll(): Promise<{ read: number; failed: number; nothing: number }> {
    const { records } = this.#options
    const earlier = [...records.all].filter((record) => records.summary(record).beforeRestart)
    const some = earlier.filter(({ stored }) => subjectOf(stored).kind !== 'nothing')
    const done = await this.#each(some, 'asked')
    const read = done.filter(Boolean).length
    return { read, failed: done.length - read, nothing: earlier.length - some.length }
  }

  /** The host is there: what waited for it goes on. */
  async online(): Promise<void> {
    const { records } = this.#options
    const unread: OperationRecord[] = []
    for (const record of records.all) {
      if (!record.open || record.state === 'sent' || this.#reachable(record.stored) === null) continue
      if (commandKind(record.stored.endpoint) !== 'plain') this.tracker.watch(record)
      else if (!wasReadAfter(record)) unread.push(record)
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

const wasReadAfter = ({ events }: OperationRecord): boolean =>
  events.some((event) => event.kind === 'read-back' && event.when !== 'before' && event.error === null)
