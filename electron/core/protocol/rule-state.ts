import type { HostLimits } from '../../../shared/bridge/host-limits.ts'
import type { FindingRuleId } from '../../../shared/protocol/finding.ts'
import type { ObservedExchange } from './observed-exchange.ts'

export interface RuleContext {
  /**
   * Reports a broken rule. The last of `seqs` is the exchange that shows the mistake. `mark`
   * distinguishes findings of the same exchange and resource. Returns the id of the finding.
   */
  report(rule: FindingRuleId, seqs: readonly number[], params: Readonly<Record<string, string>>, mark?: string): string
  /** Withdraws a finding because the missing request arrived late. */
  withdraw(id: string): void
  /** True if the recording has no recent gap. */
  readonly isRecordingComplete: boolean
  /** True if all exchanges are recorded: of a panel in this program, since it was opened. */
  readonly isCallerComplete: boolean
  /** Returns true if any caller sent this host a commit with this id, whatever its result was. */
  wasCommitted(requestId: string): boolean
  /** Returns null if the stored response is unknown. */
  responseContains(seq: number, text: string): boolean | null
  /** Limits of this host; null if its capabilities were not observed. */
  readonly limits: HostLimits | null
  /** Lists routes as `GET /notes/{noteid}/render`; null if the host's list was not observed. */
  getRoutes(): readonly string[] | null
  /** End of the exchange, or time of the tick, in epoch milliseconds. */
  readonly timestamp: number
  /**
   * Returns whether what is owed can be held against the caller: the time for it is over, or the
   * caller has ended.
   * @param lastStepAt when the caller got the last response about it
   * @param patienceMs a caller that somebody ended within this time may have been about to do it
   */
  isOverdue(lastStepAt: number, patienceMs?: number): boolean
  /** True if the caller can send no further request. */
  readonly hasEnded: boolean
}

/** The state of a rule for one load of a caller; gets exchanges as they end, stores few facts. */
export interface RuleState {
  observe(exchange: ObservedExchange, context: RuleContext): void
  /** Called for another load of the same caller, which may finish what this load left open. */
  observeSibling?(exchange: ObservedExchange, context: RuleContext): void
  /** Returns whether the caller still has to do something. */
  isOwing?(): boolean
  /** Called while the caller has no pending exchange or has ended; never for a replaced page. */
  checkOverdue?(context: RuleContext): void
}

/** Only the last reads are searched for the source of a value. */
const MAX_READS = 100
const MAX_CURSORS = 5_000

/** Values of all loads of a caller: a page may keep them over a reload, or share them. */
export class CallerMemory {
  /** The `seq` of exchanges whose responses may contain a revision, newest last. */
  reads: number[] = []
  hasForgottenReads = false
  readonly #cursors = new BoundedMap<true>(MAX_CURSORS)
  readonly #completeTopics = new BoundedMap<true>(500)
  /** A response is unknown or cursors were dropped: a missing one proves nothing. */
  hasUnknownCursors = false

  addRead(seq: number): void {
    this.reads.push(seq)
    if (this.reads.length <= MAX_READS) return
    this.reads = this.reads.slice(-MAX_READS)
    this.hasForgottenReads = true
  }

  /** Adds a study set whose listing was read to its end in one run of the host. */
  addCompleteTopic(key: string): void {
    this.#completeTopics.set(key, true)
  }

  isTopicComplete(key: string): boolean {
    return this.#completeTopics.get(key) === true
  }

  addCursor(cursor: string): void {
    this.#cursors.set(cursor, true)
    if (this.#cursors.size === MAX_CURSORS) this.hasUnknownCursors = true
  }

  hasCursor(cursor: string): boolean {
    return this.#cursors.get(cursor) === true
  }
}

/** A later follow-up counts as missing, which the next tick reports at most 30 s afterwards. */
export const FOLLOW_UP_TIMEOUT_MS = 25_000

/** When the map is full, the oldest entry is dropped. */
export class BoundedMap<V> {
  readonly #map = new Map<string, V>()
  readonly #maxEntries: number

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  get(key: string): V | undefined {
    return this.#map.get(key)
  }

  set(key: string, value: V): void {
    this.#map.delete(key)
    this.#map.set(key, value)
    if (this.#map.size <= this.#maxEntries) return
    for (const oldest of this.#map.keys()) {
      this.#map.delete(oldest)
      return
    }
  }

  delete(key: string): void {
    this.#map.delete(key)
  }

  keys(): IterableIterator<string> {
    return this.#map.keys()
  }

  entries(): IterableIterator<[string, V]> {
    return this.#map.entries()
  }

  values(): IterableIterator<V> {
    return this.#map.values()
  }

  get size(): number {
    return this.#map.size
  }
}

export function takeLast<T>(list: readonly T[], maxCount = 50): T[] {
  return list.slice(-maxCount)
}
