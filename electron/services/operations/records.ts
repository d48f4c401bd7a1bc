import type { OperationEvent } from '../../../shared/bridge/operation-states.ts'
import { refused } from '../../../shared/errors.ts'
import type { Input, Payload } from '../../../shared/ipc/index.ts'
import type { OperationSummary } from '../../../shared/ipc/operations.ts'
import type { Bus } from '../bus.ts'
import type { Journal, StoredOperation } from '../journal/types.ts'
import { OperationRecord } from './record.ts'

const PUSH_MS = 100
const MOST_PUSHED = 500

type Filter = Input<'operations.list'>
type Changed = Payload<'operations.changed'>

/** Every operation record, newest last; what is added is written down first, and told to the pages at most ten times a second. */
export class Records {
  readonly #all = new Map<string, OperationRecord>()
  readonly #changed = new Set<string>()
  readonly #journal: Journal
  readonly #bus: Bus
  #timer: NodeJS.Timeout | null = null
  #restartedAt: number | null = null

  constructor(journal: Journal, bus: Bus) {
    this.#journal = journal
    this.#bus = bus
    for (const { events, seen, ...stored } of journal.load()) {
      this.#all.set(stored.id, new OperationRecord(stored, events, seen))
    }
  }

  get all(): IterableIterator<OperationRecord> {
    return this.#all.values()
  }

  /** Throws `OPERATION_UNKNOWN`. */
  get(id: string): OperationRecord {
    const record = this.#all.get(id)
    if (!record) throw refused('OPERATION_UNKNOWN', 'There is no such operation record (any more).')
    return record
  }

  /** Throws `JOURNAL_FAILED`; then nothing of it exists. */
  create(stored: StoredOperation, first: OperationEvent): OperationRecord {
    this.#journal.create(stored, first)
    const record = new OperationRecord(stored, [first], true)
    this.#all.set(stored.id, record)
    this.touch(record)
    return record
  }

  /** Throws `JOURNAL_FAILED`; the record is then as it was. */
  append(record: OperationRecord, event: OperationEvent): void {
    this.#journal.append(record.id, record.events.length, event)
    const before = record.derived.state
    record.add(event)
    if (record.derived.state !== before && !['sent', 'prepared', 'pending'].includes(record.derived.state))
      record.seen = false
    this.touch(record)
  }

  /** Adds what was seen; where it cannot be written down, it is kept in memory all the same: what was seen was seen. */
  observe(record: OperationRecord, event: OperationEvent): void {
    try {
      this.append(record, event)
    } catch {
      record.add(event)
      this.touch(record)
    }
  }

  seen(id: string): void {
    const record = this.get(id)
    if (record.seen) return
    record.seen = true
    this.#journal.seen(id, true)
    this.touch(record)
  }

  /** The host was seen to have restarted: what was seen of it before may no longer hold. */
  restarted(at: number): void {
    this.#restartedAt = at
    for (const record of this.all) this.touch(record)
  }

  summary = (record: OperationRecord): OperationSummary => record.summary(this.#restartedAt)
  detail = (record: OperationRecord) => record.detail(this.#restartedAt)

  list({ endpoint, state, unfinished, topicid, text, offset, limit }: Filter) {
    const needle = text?.toLowerCase() ?? ''
    const found: OperationRecord[] = []
    for (const record of this.all) {
      const { stored, derived } = record
      if (endpoint !== undefined && stored.endpoint !== endpoint) continue
      if (state !== undefined && derived.state !== state) continue
      if (unfinished === true && !record.open) continue
      if (topicid !== undefined && stored.topicid !== topicid) continue
      if (
        needle !== '' &&
        ![stored.id, stored.requestId, stored.noteid].some((id) => id?.toLowerCase().includes(needle))
      )
        continue
      found.push(record)
    }
    const items = found
      .reverse()
      .slice(offset, offset + limit)
      .map(this.summary)
    return { items, total: found.length, ...this.#counts() }
  }

  /** Removes finished records that were last touched before a time; answers how many. */
  clear(before: number): number {
    const gone = [...this.all].filter((record) => !record.open && this.summary(record).updatedAt < before)
    this.#journal.remove(gone.map(({ id }) => id))
    for (const { id } of gone) this.#all.delete(id)
    this.#push()
    return gone.length
  }

  /** Removes the oldest finished records until the journal is no larger than `maxBytes`, or nothing finished is left. */
  shrink(maxBytes: number): void {
    while (this.#journal.info().bytes > maxBytes) {
      const finished = [...this.all].filter((record) => !record.open)
      const oldest = finished.slice(0, Math.max(1, Math.ceil(finished.length / 5)))
      if (oldest.length === 0) return
      this.#journal.remove(oldest.map(({ id }) => id))
      for (const { id } of oldest) this.#all.delete(id)
    }
  }

  touch(record: OperationRecord): void {
    this.#changed.add(record.id)
    this.#timer ??= setTimeout(() => this.#push(), PUSH_MS)
  }

  dispose(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#journal.close()
  }

  #counts(): Pick<Changed, 'unfinished' | 'unseen'> {
    let unfinished = 0
    let unseen = 0
    for (const record of this.all) {
      if (record.open) unfinished += 1
      if (!record.seen) unseen += 1
    }
    return { unfinished, unseen }
  }

  #push(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const changed = [...this.#changed].flatMap((id) => this.#all.get(id) ?? [])
    this.#changed.clear()
    const items = changed.slice(-MOST_PUSHED).map(this.summary)
    this.#bus.publish('operations.changed', { items, total: this.#all.size, ...this.#counts() })
  }
}
