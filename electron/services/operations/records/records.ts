// Holds the records of operations, and adds events to them in memory and in the journal.
// The file of the journal is in services/journal; the state of a record is in operations/outcome.
// Read this file first, then record.ts and read-back.ts.
import { getNextSteps } from '../outcome/next-steps.ts'
import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'
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
/** If more records have changed, pages reload their lists instead of receiving the records. */
const MAX_PUBLISHED_RECORDS = 500

/** Publishes changed ids together, at most once per interval. */
class ChangePublisher {
  readonly #changedIds = new Set<string>()
  readonly #publish: (ids: readonly string[], isComplete: boolean) => void
  #timer: NodeJS.Timeout | null = null
  #isStopped = false

  /** `isComplete` tells `publish` whether the ids are all that have changed. */
  constructor(publish: (ids: readonly string[], isComplete: boolean) => void) {
    this.#publish = publish
  }

  schedule(id: string): void {
    if (this.#isStopped) return
    this.#changedIds.add(id)
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      const ids = [...this.#changedIds]
      this.#changedIds.clear()
      this.#publish(ids.slice(-MAX_PUBLISHED_RECORDS), ids.length <= MAX_PUBLISHED_RECORDS)
    }, PUBLISH_INTERVAL_MS)
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }
}

/** Finished records that keep events in memory: the newest, which are opened most often. */
const MAX_RECORDS_WITH_EVENTS = 200

/** The run of the host that is connected. */
interface CurrentHost {
  readonly baseUrl: string
  readonly instanceNonce: string
}

interface RecordsOptions {
  readonly journal: Journal
  readonly bus: Bus
  /** Called when an event could not be journaled; writing is retried. */
  readonly onUnwritten: (error: unknown) => void
}

/** Newest last. Additions are journaled first, and published at most ten times a second. */
export class OperationRecords {
  readonly #recordsById = new Map<string, OperationRecord>()
  readonly #journal: Journal
  readonly #backlog: EventBacklog
  readonly #changes: ChangePublisher
  #currentHost: CurrentHost | null = null
  #isCurrentHost: (host: string) => boolean = () => false

  constructor({ journal, bus, onUnwritten }: RecordsOptions) {
    this.#journal = journal
    this.#backlog = new EventBacklog(journal, onUnwritten)
    this.#changes = new ChangePublisher((ids, isComplete) => {
      const items = ids.flatMap((id) => this.#recordsById.get(id) ?? []).map(this.getSummary)
      const removed = ids.filter((id) => !this.#recordsById.has(id))
      bus.publish('operations.changed', { items, removed, complete: isComplete, ...this.#counts() })
    })
    const loaded: OperationRecord[] = []
    for (const { events, isSeen, nextPlace, ...stored } of journal.load()) {
      const record = new OperationRecord(stored, events, isSeen, nextPlace, () => journal.events(stored.id))
      this.#recordsById.set(stored.id, record)
      loaded.push(record)
      if (loaded.length > MAX_RECORDS_WITH_EVENTS) loaded.shift()?.releaseEvents()
    }
  }

  get all(): IterableIterator<OperationRecord> {
    return this.#recordsById.values()
  }

  find(id: string): OperationRecord | null {
    return this.#recordsById.get(id) ?? null
  }

  /** @throws OPERATION_UNKNOWN when there is no such record */
  get(id: string): OperationRecord {
    const record = this.#recordsById.get(id)
    if (!record) throw createRefusedError('OPERATION_UNKNOWN', 'This operation record does not exist, or was removed.')
    return record
  }

  /** @throws JOURNAL_FAILED when it cannot be written; there is no record then */
  create(stored: StoredOperation, firstEvent: OperationEvent): OperationRecord {
    this.#backlog.flush()
    this.#journal.create(stored, firstEvent)
    const record = new OperationRecord(stored, [firstEvent], true, 1, () => this.#journal.events(stored.id))
    this.#recordsById.set(stored.id, record)
    this.touch(record)
    return record
  }

  /** @throws JOURNAL_FAILED when it cannot be written; the record is unchanged then */
  append(record: OperationRecord, event: OperationEvent): void {
    void record.events
    this.#backlog.flush()
    this.#journal.append(record.id, record.nextPlace, event)
    this.#applyEvent(record, event)
  }

  /** If it cannot be journaled now, the event is kept in memory and written later. */
  observe(record: OperationRecord, observed: OperationEvent): void {
    const event = mergeRepeatedObservation(observed, record.events)
    // A write for a record that was removed in the meantime would fail, and block all later writes.
    if (this.#recordsById.has(record.id)) this.#backlog.append(record.id, record.nextPlace, event)
    this.#applyEvent(record, event)
  }

  #applyEvent(record: OperationRecord, event: OperationEvent): void {
    const previousState = record.state
    record.addEvent(event)
    if (record.state !== previousState && getNextSteps(record.state).needsAttention) this.#setSeen(record, false)
    this.touch(record)
  }

  /** Call it when the user has opened a record. @throws OPERATION_UNKNOWN */
  observed(id: string): void {
    const record = this.get(id)
    if (record.isSeen) return
    this.#setSeen(record, true)
    this.touch(record)
  }

  markAllSeen(): void {
    for (const record of this.all) if (!record.isSeen) this.observed(record.id)
  }

  #setSeen(record: OperationRecord, isSeen: boolean): void {
    if (record.isSeen === isSeen) return
    record.isSeen = isSeen
    this.#backlog.setSeen(record.id, isSeen)
  }

  /** Sets the host that is connected. Reports of an earlier run of this host may no longer hold. */
  setCurrentHost(host: CurrentHost | null): void {
    if (host?.instanceNonce === this.#currentHost?.instanceNonce && host?.baseUrl === this.#currentHost?.baseUrl) return
    this.#currentHost = host
    this.#isCurrentHost = host ? createHostMatcher(host.baseUrl) : () => false
    for (const record of this.all) this.touch(record)
  }

  getSummary = (record: OperationRecord): OperationSummary => record.toSummary(this.#getCurrentNonce(record))

  getDetail(record: OperationRecord): Operation {
    const { stored } = record
    const allRecords = stored.requestId === null ? [] : [...this.all]
    const earlierRecords = allRecords
      .slice(0, allRecords.indexOf(record))
      .filter(({ stored: { host } }) => host === stored.host)
    return record.toDetail(
      this.#getCurrentNonce(record),
      findEarlierOperation(stored, earlierRecords, stored.instanceNonce),
    )
  }

  #getCurrentNonce({ stored }: OperationRecord): string | null {
    return this.#currentHost && this.#isCurrentHost(stored.host) ? this.#currentHost.instanceNonce : null
  }

  /** The result is sorted from newest to oldest. */
  list(filter: IpcInput<'operations.list'>): IpcOutput<'operations.list'> {
    const { offset, limit } = filter
    const matches = createOperationFilter(filter)
    const matchingRecords: OperationRecord[] = []
    const topicids = new Set<string>()
    for (const record of this.all) {
      const { filterFacts } = record
      if (matches(filterFacts)) matchingRecords.push(record)
      if (filterFacts.topicid !== null) topicids.add(filterFacts.topicid)
    }
    matchingRecords.reverse()
    return {
      items: matchingRecords.slice(offset, offset + limit).map(this.getSummary),
      total: matchingRecords.length,
      topicids: [...topicids],
      ...this.#counts(),
    }
  }

  /** Removes finished records by `before` (epoch ms); returns how many. @throws JOURNAL_FAILED */
  removeBefore(before: number): number {
    return this.remove(
      [...this.all].filter((record) => !record.isOutcomeExpected && this.getSummary(record).updatedAt < before),
    )
  }

  remove(records: readonly OperationRecord[]): number {
    if (records.length === 0) return 0
    // A pending write may belong to a record that is removed here, and would fail afterwards.
    this.#backlog.flush()
    this.#journal.remove(records.map(({ id }) => id))
    for (const { id } of records) {
      this.#recordsById.delete(id)
      this.#changes.schedule(id)
    }
    return records.length
  }

  /** Removes the oldest finished records until the journal fits or none is left. */
  shrinkTo(maxBytes: number): void {
    while (this.#journal.info().bytes > maxBytes) {
      const finished = [...this.all].filter((record) => !record.isOutcomeExpected)
      if (this.remove(finished.slice(0, Math.ceil(finished.length / 5))) === 0) return
    }
  }

  touch(record: OperationRecord): void {
    this.#changes.schedule(record.id)
  }

  dispose(): void {
    this.#changes.stop()
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
    return { all: this.#recordsById.size, unfinished, unseen }
  }
}
