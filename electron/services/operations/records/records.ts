import type { OperationEvent, OperationState } from '../../../../shared/operations/operation-events.ts'
import { createHostMatcher } from '../../../../shared/bridge/host-matcher.ts'
import { createRefusedError } from '../../../../shared/errors.ts'
import { createOperationFilter, type Operation, type OperationSummary } from '../../../../shared/ipc/operations.ts'
import type { IpcInput, IpcOutput } from '../../../../shared/ipc/index.ts'
import type { Bus } from '../../bus.ts'
import type { Journal, StoredOperation } from '../../journal/types.ts'
import { EventBacklog } from './event-backlog.ts'
import { findEarlierOperation } from './related-operations.ts'
import { OperationRecord } from './record.ts'
import { mergeRepeatedObservation } from './events.ts'

const PUBLISH_INTERVAL_MS = 100
/** Maximum records in one message; a page that hears of more reads its list again. */
const MAX_LISTED = 500

/** Reports changed ids together, at most once in 100 ms, however many there are. */
class Pusher {
  readonly #changed = new Set<string>()
  readonly #push: (ids: readonly string[], complete: boolean) => void
  #timer: NodeJS.Timeout | null = null
  #stopped = false

  /** `complete` tells `push` whether these are all that have changed. */
  constructor(push: (ids: readonly string[], complete: boolean) => void) {
    this.#push = push
  }

  soon(id: string): void {
    if (this.#stopped) return
    this.#changed.add(id)
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      const ids = [...this.#changed]
      this.#changed.clear()
      this.#push(ids.slice(-MAX_LISTED), ids.length <= MAX_LISTED)
    }, PUBLISH_INTERVAL_MS)
  }

  stop(): void {
    this.#stopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }
}

/** How many of the newest finished records keep their events in memory, because these are the ones that are looked at. */
const MAX_RECORDS_WITH_EVENTS = 200

/** States that need nobody's attention. */
const quiet: ReadonlySet<OperationState> = new Set(['prepared', 'sent', 'pending'])

/** The run of a host that is connected now. */
interface CurrentHost {
  readonly baseUrl: string
  readonly instanceNonce: string
}

interface RecordsOptions {
  readonly journal: Journal
  readonly bus: Bus
  /** Called when something that was seen could not be recorded; writing is retried. */
  readonly onUnwritten: (error: unknown) => void
}

/**
 * Every operation record, newest last. Additions are written to the journal first, and reported to the pages at most ten times a second.
 */
export class OperationRecords {
  readonly #all = new Map<string, OperationRecord>()
  readonly #journal: Journal
  readonly #backlog: EventBacklog
  readonly #pusher: Pusher
  #current: CurrentHost | null = null
  #isCurrent: (host: string) => boolean = () => false

  constructor({ journal, bus, onUnwritten }: RecordsOptions) {
    this.#journal = journal
    this.#backlog = new EventBacklog(journal, onUnwritten)
    this.#pusher = new Pusher((ids, complete) => {
      const items = ids.flatMap((id) => this.#all.get(id) ?? []).map(this.getSummary)
      const removed = ids.filter((id) => !this.#all.has(id))
      bus.publish('operations.changed', { items, removed, complete, ...this.#counts() })
    })
    const loaded: OperationRecord[] = []
    for (const { events, isSeen: seen, nextPlace: next, ...stored } of journal.load()) {
      const record = new OperationRecord(stored, events, seen, next, () => journal.events(stored.id))
      this.#all.set(stored.id, record)
      loaded.push(record)
      if (loaded.length > MAX_RECORDS_WITH_EVENTS) loaded.shift()?.releaseEvents()
    }
  }

  get all(): IterableIterator<OperationRecord> {
    return this.#all.values()
  }

  find(id: string): OperationRecord | null {
    return this.#all.get(id) ?? null
  }

  /** Throws `OPERATION_UNKNOWN`. */
  get(id: string): OperationRecord {
    const record = this.#all.get(id)
    if (!record) throw createRefusedError('OPERATION_UNKNOWN', 'This operation record does not exist, or was removed.')
    return record
  }

  /** Throws `JOURNAL_FAILED`; nothing of the record exists then. */
  create(stored: StoredOperation, first: OperationEvent): OperationRecord {
    this.#backlog.flush()
    this.#journal.create(stored, first)
    const record = new OperationRecord(stored, [first], true, 1, () => this.#journal.events(stored.id))
    this.#all.set(stored.id, record)
    this.touch(record)
    return record
  }

  /** Throws `JOURNAL_FAILED`; the record is unchanged then. */
  append(record: OperationRecord, event: OperationEvent): void {
    void record.events
    this.#backlog.flush()
    this.#journal.append(record.id, record.nextPlace, event)
    this.#added(record, event)
  }

  /** Adds what was seen. If it cannot be written now, it is kept in memory and written later: what was seen was seen. */
  observe(record: OperationRecord, isSeen: OperationEvent): void {
    const event = mergeRepeatedObservation(isSeen, record.events)
    // Nothing can be written for a record that was removed in the meantime, and a failing write would block all later ones.
    if (this.#all.has(record.id)) this.#backlog.append(record.id, record.nextPlace, event)
    this.#added(record, event)
  }

  #added(record: OperationRecord, event: OperationEvent): void {
    const before = record.state
    record.addEvent(event)
    if (record.state !== before && !quiet.has(record.state)) this.#mark(record, false)
    this.touch(record)
  }

  /** The user has opened it. Throws `OPERATION_UNKNOWN`. */
  observed(id: string): void {
    const record = this.get(id)
    if (record.isSeen) return
    this.#mark(record, true)
    this.touch(record)
  }

  /** The user has looked at all of them. */
  markAllSeen(): void {
    for (const record of this.all) if (!record.isSeen) this.observed(record.id)
  }

  #mark(record: OperationRecord, markSeen: boolean): void {
    if (record.isSeen === markSeen) return
    record.isSeen = markSeen
    this.#backlog.setSeen(record.id, markSeen)
  }

  /** Sets the host that is connected now: what was heard from an earlier run of it may no longer hold. */
  setCurrentHost(host: CurrentHost | null): void {
    if (host?.instanceNonce === this.#current?.instanceNonce && host?.baseUrl === this.#current?.baseUrl) return
    this.#current = host
    this.#isCurrent = host ? createHostMatcher(host.baseUrl) : () => false
    for (const record of this.all) this.touch(record)
  }

  getSummary = (record: OperationRecord): OperationSummary => record.toSummary(this.#nonceFor(record))

  getDetail(record: OperationRecord): Operation {
    const { stored } = record
    const all = stored.requestId === null ? [] : [...this.all]
    const before = all.slice(0, all.indexOf(record)).filter(({ stored: { host } }) => host === stored.host)
    return record.toDetail(this.#nonceFor(record), findEarlierOperation(stored, before, stored.instanceNonce))
  }

  #nonceFor({ stored }: OperationRecord): string | null {
    return this.#current && this.#isCurrent(stored.host) ? this.#current.instanceNonce : null
  }

  /** Newest first. */
  list(filter: IpcInput<'operations.list'>): IpcOutput<'operations.list'> {
    const { offset, limit } = filter
    const fits = createOperationFilter(filter)
    const found: OperationRecord[] = []
    const topicids = new Set<string>()
    for (const record of this.all) {
      const { filterFacts: filtered } = record
      if (fits(filtered)) found.push(record)
      if (filtered.topicid !== null) topicids.add(filtered.topicid)
    }
    found.reverse()
    return {
      items: found.slice(offset, offset + limit).map(this.getSummary),
      total: found.length,
      topicids: [...topicids],
      ...this.#counts(),
    }
  }

  /** Removes finished records that were last touched before a time. Returns how many. Throws `JOURNAL_FAILED`. */
  removeBefore(before: number): number {
    return this.remove(
      [...this.all].filter((record) => !record.isOutcomeExpected && this.getSummary(record).updatedAt < before),
    )
  }

  remove(gone: readonly OperationRecord[]): number {
    if (gone.length === 0) return 0
    // What is waiting may belong to one of them, and could not be written afterwards.
    this.#backlog.flush()
    this.#journal.remove(gone.map(({ id }) => id))
    for (const { id } of gone) {
      this.#all.delete(id)
      this.#pusher.soon(id)
    }
    return gone.length
  }

  /** Removes the oldest finished records until the journal is no larger than `maxBytes`, or none is left. */
  shrinkTo(maxBytes: number): void {
    while (this.#journal.info().bytes > maxBytes) {
      const finished = [...this.all].filter((record) => !record.isOutcomeExpected)
      if (this.remove(finished.slice(0, Math.ceil(finished.length / 5))) === 0) return
    }
  }

  touch(record: OperationRecord): void {
    this.#pusher.soon(record.id)
  }

  dispose(): void {
    this.#pusher.stop()
    this.#backlog.close()
    this.#journal.close()
  }

  #counts(): { all: number; unfinished: number; unseen: number } {
    let unfinished = 0
    let unseen = 0
    for (const record of this.all) {
      if (record.isOutcomeExpected) unfinished += 1
      if (!record.isSeen) unseen += 1
    }
    return { all: this.#all.size, unfinished, unseen }
  }
}
