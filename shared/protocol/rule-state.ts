import type { HostLimits } from '../bridge/host-limits.ts'
import type { FindingRuleId } from './finding.ts'
import type { ObservedExchange } from './observed-exchange.ts'

export interface RuleContext {
  /**
   * Reports a broken rule; the last of `seqs` is where it shows. `mark` distinguishes findings of
   * one exchange and of one resource. Returns the finding's id.
   */
  report(rule: FindingRuleId, seqs: readonly number[], params: Readonly<Record<string, string>>, mark?: string): string
  /** Takes back a finding because the missing request arrived late. */
  withdraw(id: string): void
  /** The recording has no recent gap. */
  readonly isRecordingComplete: boolean
  /**
   * All exchanges of all loads of this caller are recorded: it is a panel that runs here, and no
   * gap occurred since it was opened.
   */
  readonly isCallerComplete: boolean
  /** Returns whether the stored response contains this text; null if unknown. */
  responseContains(seq: number, text: string): boolean | null
  /** These are the limits of this host; null if its capabilities were not observed. */
  readonly limits: HostLimits | null
  /**
   * Returns the routes that this host lists, as `GET /notes/{noteid}/render`; null if they were not
   * observed.
   */
  getRoutes(): readonly string[] | null
  /** In epoch milliseconds, this is the end of the exchange or the time of the tick. */
  readonly timestamp: number
}

/**
 * The state of one rule for one load of a caller. It sees each exchange in the order in which
 * they ended, and stores a bounded number of facts.
 */
export interface RuleState {
  observe(exchange: ObservedExchange, context: RuleContext): void
  /** Called for another load of the same caller, which may finish what this one left open. */
  observeSibling?(exchange: ObservedExchange, context: RuleContext): void
  /**
   * Reports missing follow-ups. Called only while the caller has no pending exchange, and never
   * for a page that was left.
   */
  checkOverdue?(context: RuleContext): void
}

/** This many reads are searched for the source of a value. */
const MAX_READS = 100
const MAX_CURSORS = 5_000

/**
 * Remembers values that any load of a caller received: a page may keep them over a reload, or share
 * them with another tab.
 */
export class CallerMemory {
  /** These are the `seq` of exchanges whose responses may contain a revision, newest last. */
  reads: number[] = []
  hasForgottenReads = false
  readonly #cursors = new BoundedMap<true>(MAX_CURSORS)
  readonly #requests = new BoundedMap<true>(1_000)
  /**
   * Some cursors may be missing here, because a response is unknown or older cursors were dropped.
   */
  hasUnknownCursors = false

  addRead(seq: number): void {
    this.reads.push(seq)
    if (this.reads.length <= MAX_READS) return
    this.reads = this.reads.slice(-MAX_READS)
    this.hasForgottenReads = true
  }

  /** Adds a request id with which a load requested a commit, whatever the result was. */
  addRequest(requestId: string): void {
    this.#requests.set(requestId, true)
  }

  hasRequest(requestId: string): boolean {
    return this.#requests.get(requestId) === true
  }

  addCursor(cursor: string): void {
    this.#cursors.set(cursor, true)
    if (this.#cursors.size === MAX_CURSORS) this.hasUnknownCursors = true
  }

  hasCursor(cursor: string): boolean {
    return this.#cursors.get(cursor) === true
  }
}

/**
 * A follow-up that has not come after this time is missing. It is reported at the next tick, at
 * most 30 s after the last step.
 */
export const FOLLOW_UP_TIMEOUT_MS = 25_000

/** This map drops its oldest entries. */
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

  values(): IterableIterator<V> {
    return this.#map.values()
  }

  get size(): number {
    return this.#map.size
  }
}

export const takeLast = <T>(list: readonly T[], maxCount = 50): T[] => list.slice(-maxCount)
