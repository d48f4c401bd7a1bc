/**
 * The store of recorded exchanges: on disk in a thread of its own (`thread/`, `disk/`), or in
 * memory. Not for sending requests or for the rules (`../bridge`, `../findings`). Read this file
 * first, then `recorder.ts` and `disk/disk-store.ts`.
 */
import type { ExchangeDetail, ExchangeRow } from '../../../shared/traffic/exchange.ts'
import type { TrafficFilter, TrafficSort } from '../../../shared/traffic/traffic-filter.ts'
import type { TrafficInfo } from '../../../shared/ipc/traffic.ts'
import type { PendingExchange } from '../../../shared/protocol/rules/rule-engine.ts'
import type { FindingsChange } from '../findings/findings-judge.ts'
import type { PanelCallFacts } from '../findings/exchange-step.ts'
import type { PendingRow, RawEntry } from './entry.ts'

export const TRAFFIC_FILE = 'traffic.db'

type MaybePromise<T> = T | Promise<T>

export interface FoundExchanges {
  readonly seqs: Uint32Array<ArrayBuffer>
  readonly newest: number
  /** True if some bodies could not be searched yet. */
  readonly incomplete: boolean
  /**
   * True if some exchanges belong beside earlier ones, so that they cannot be appended to a list.
   */
  readonly scattered: boolean
}

/** The first rows of a list. */
export interface ListHead {
  readonly rows: ExchangeRow[]
  readonly newest: number
  /** True if no other exchange matches. */
  readonly isWhole: boolean
}

export interface TimeSpan {
  readonly filter: TrafficFilter
  readonly from: number
  readonly to: number
  readonly buckets: number
}

/** The part of `TrafficInfo` that the store knows; the recorder adds the rest. */
export type StoreInfo = Pick<
  TrafficInfo,
  'kind' | 'reason' | 'exchanges' | 'bytes' | 'oldestAt' | 'droppedBodies' | 'setAside'
>

export interface StoreChange {
  readonly newest: number
  readonly exchanges: number
  /** True if anything but new exchanges changed. */
  readonly reread: boolean
}

export interface StoreListeners {
  readonly onChange: (change: StoreChange) => void
  readonly onFindings?: ((change: FindingsChange) => void) | undefined
}

export interface JudgedRuns {
  readonly judged: number
  /** Number of older exchanges that were not judged. */
  readonly left: number
}

export interface RetentionBounds {
  readonly keepDays: number
  readonly maxBytes: number
}

/**
 * Stores exchanges on disk, in a thread of its own, or in memory. Every query includes all
 * exchanges that were added before it.
 */
export interface TrafficStore {
  /** Adds an exchange that has ended; never throws and never waits. */
  add(entry: RawEntry): void
  /** Notes an exchange that takes long, so that it is not lost if the program ends. */
  addPending(row: PendingRow, token: string | null): void
  /** Whether a body of this size can be stored now; false if the store cannot keep up. */
  hasRoom(bytes: number): boolean
  /** Called when a body was left out because `hasRoom` returned false. */
  recordDropped(): void
  addTokens(tokens: readonly string[]): void
  /**
   * Lets the rules look for missing requests; `underWay` are the exchanges without a response yet.
   */
  checkPending(now: number, underWay: readonly PendingExchange[]): void
  /** Records how a panel's page made the call of the exchange with this id. */
  recordPanelCall(id: string, page: PanelCallFacts): void
  /** Records that the pages of a panel up to this load were left. */
  recordPageLeft(caller: string, load: number): void
  /** Records that exchanges before `now` may be missing. */
  recordGap(now: number): void
  setBounds(bounds: RetentionBounds): void
  find(filter: TrafficFilter, sort: TrafficSort, after: number): MaybePromise<FoundExchanges>
  /** Returns the first rows of what `find` would return, without searching for all the others. */
  head(filter: TrafficFilter, sort: TrafficSort): MaybePromise<ListHead>
  rows(seqs: readonly number[]): MaybePromise<ExchangeRow[]>
  /** Null if the exchange is unknown or has been removed. */
  exchange(by: {
    readonly seq?: number | undefined
    readonly id?: string | undefined
  }): MaybePromise<ExchangeDetail | null>
  /** Returns the exchange's `seq`; null if it is unknown or has been removed. */
  seqOf(id: string): MaybePromise<number | null>
  /** `kept` is the total number of stored bytes; null if the exchange is unknown. */
  body(
    seq: number,
    side: 'request' | 'response',
    start: number,
    end: number,
  ): MaybePromise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly kept: number } | null>
  countOverTime(span: TimeSpan): MaybePromise<{ all: number[]; failed: number[] }>
  info(): MaybePromise<StoreInfo>
  /** Applies the rules to the exchanges of earlier runs, once; findings are published as usual. */
  judgePast(): MaybePromise<JudgedRuns>
  /** Removes all but the pinned exchanges; returns how many were removed. */
  clear(): MaybePromise<number>
  /** Removes every finding; the stored exchanges are not judged again. */
  clearFindings(): MaybePromise<void>
  pin(seqs: readonly number[], pinned: boolean): MaybePromise<void>
  close(): MaybePromise<void>
}
