import type { HostLimits } from '../bridge/host-limits.ts'
import type { FindingRuleId } from './finding.ts'
import type { ObservedExchange } from './observed-exchange.ts'

/** What a rule may ask and tell. */
export interface RuleContext {
  /** Says that a rule was broken; the last of `seqs` is where it shows. Returns the finding's id. `mark` tells findings of one exchange, and of one resource, apart. */
  report(rule: FindingRuleId, seqs: readonly number[], params: Readonly<Record<string, string>>, mark?: string): string
  /** Takes back what did follow after all. */
  withdraw(id: string): void
  /** Nothing was left out of the recording lately. */
  readonly isRecordingComplete: boolean
  /** Everything that all loads of this caller sent and received is known: it is a panel that runs here, and nothing was left out of the recording since it was opened. */
  readonly isCallerComplete: boolean
  /** Whether the kept answer of an exchange contains this text; null if nobody knows. */
  responseContains(seq: number, text: string): boolean | null
  /** The limits of this host; null if its capabilities were not seen. */
  readonly limits: HostLimits | null
  /** The routes that this host lists, as `GET /notes/{noteid}/render`; null if they were not seen. */
  getRoutes(): readonly string[] | null
  /** Now, as far as is known: the end of the exchange, or the time of the tick. */
  readonly timestamp: number
}

/** One idea about one load of a caller: sees each of its exchanges in the order in which they ended, and remembers a bounded number of them. */
export interface RuleState {
  observe(exchange: ObservedExchange, context: RuleContext): void
  /** An exchange of another load of the same caller: what was left open here may be finished there. */
  observeSibling?(exchange: ObservedExchange, context: RuleContext): void
  /** What did not follow. Called only while nothing of this caller is under way, and never for a page that was left. */
  checkOverdue?(context: RuleContext): void
}

/** Reads that are looked through for where a value came from. */
const MAX_READS = 100
const MAX_CURSORS = 5_000

/** What all loads of a caller were told: a page may keep it over a reload, or share it with another tab. */
export class CallerMemory {
  /** `seq` of the exchanges whose answers may have told a revision, newest last. */
  reads: number[] = []
  /** Older reads were forgotten. */
  hasForgottenReads = false
  readonly #cursors = new BoundedMap<true>(MAX_CURSORS)
  readonly #requests = new BoundedMap<true>(1_000)
  /** An answer that may have told a cursor is not known, or older cursors were forgotten. */
  hasUnknownCursors = false

  addRead(seq: number): void {
    this.reads.push(seq)
    if (this.reads.length <= MAX_READS) return
    this.reads = this.reads.slice(-MAX_READS)
    this.hasForgottenReads = true
  }

  /** A request id under which some load asked for a commit, whatever became of it. */
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

/** After this long without a next step, it did not follow. It is told at the next tick, 30 s after the last step at the latest. */
export const FOLLOW_UP_TIMEOUT_MS = 25_000

/** A map that forgets its oldest entries. */
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

/** The last elements of a list, so that a finding never names more exchanges than it may. */
export const takeLast = <T>(list: readonly T[], maxCount = 50): T[] => list.slice(-maxCount)
