import type { ExchangeDetail, ExchangeRow } from '../../../shared/traffic/exchange.ts'
import type { TrafficFilter, TrafficSort } from '../../../shared/traffic/traffic-filter.ts'
import type { TrafficInfo } from '../../../shared/ipc/traffic.ts'
import type { PendingExchange } from '../../../shared/protocol/rules/rule-engine.ts'
import type { FindingsChange } from '../findings/findings-judge.ts'
import type { PanelCallFacts } from '../findings/exchange-step.ts'
import type { PendingRow, RawEntry } from './entry.ts'

/** The store's file name in the data directory. */
export const TRAFFIC_FILE = 'traffic.db'

type Later<T> = T | Promise<T>

export interface FoundExchanges {
  readonly seqs: Uint32Array<ArrayBuffer>
  readonly newest: number
  /** Some bodies could not be searched yet. */
  readonly incomplete: boolean
  /** Some of them belong beside earlier ones, so that they are no continuation of a list. */
  readonly scattered: boolean
}

/** How a list begins. */
export interface ListHead {
  readonly rows: ExchangeRow[]
  readonly newest: number
  /** Nothing else passes. */
  readonly isWhole: boolean
}

export interface TimeSpan {
  readonly filter: TrafficFilter
  readonly from: number
  readonly to: number
  readonly buckets: number
}

/** What the store knows about itself; the rest of `TrafficInfo` is the recorder's. */
export type StoreInfo = Pick<
  TrafficInfo,
  'kind' | 'reason' | 'exchanges' | 'bytes' | 'oldestAt' | 'droppedBodies' | 'setAside'
>

export interface StoreChange {
  readonly newest: number
  readonly exchanges: number
  /** Something else than arrivals. */
  readonly reread: boolean
}

/** Told of what changed in a store. */
export interface StoreListeners {
  readonly onChange: (change: StoreChange) => void
  readonly onFindings?: ((change: FindingsChange) => void) | undefined
}

/** What became of judging earlier runs. */
export interface JudgedRuns {
  readonly judged: number
  /** Older exchanges that were not looked at. */
  readonly left: number
}

/** How much is kept. */
export interface RetentionBounds {
  readonly keepDays: number
  readonly maxBytes: number
}

/**
 * Where exchanges are kept: on disk, in a thread of its own, or in memory. Every answer includes
 * what was added before the question.
 */
export interface TrafficStore {
  /** Hands over an exchange; never throws and never waits. */
  add(entry: RawEntry): void
  /** An exchange that takes long is noted, so that it is not forgotten if the program ends. */
  addPending(row: PendingRow, token: string | null): void
  /** Whether a body of this size can be taken now; false if the store cannot keep up. */
  hasRoom(bytes: number): boolean
  /** A body was left out because `hasRoom` said so. */
  recordDropped(): void
  addTokens(tokens: readonly string[]): void
  /** The rules look for what did not follow; `underWay` are those who wait for an answer now. */
  checkPending(now: number, underWay: readonly PendingExchange[]): void
  /** How the page of a panel called, for the exchange with this id. */
  recordPanelCall(id: string, page: PanelCallFacts): void
  /** The pages of a panel up to this load were left. */
  recordPageLeft(caller: string, load: number): void
  /** Something was not recorded. */
  recordGap(now: number): void
  setBounds(bounds: RetentionBounds): void
  find(filter: TrafficFilter, sort: TrafficSort, after: number): Later<FoundExchanges>
  /** The first rows of what `find` would return, without looking for all the others. */
  head(filter: TrafficFilter, sort: TrafficSort): Later<ListHead>
  rows(seqs: readonly number[]): Later<ExchangeRow[]>
  /** Null if it is unknown or has been removed. */
  exchange(by: { readonly seq?: number | undefined; readonly id?: string | undefined }): Later<ExchangeDetail | null>
  /** Its place; null if it is unknown or has been removed. */
  seqOf(id: string): Later<number | null>
  /** `kept` is the whole length of what is kept; null if the exchange is unknown. */
  body(
    seq: number,
    side: 'request' | 'response',
    start: number,
    end: number,
  ): Later<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly kept: number } | null>
  countOverTime(span: TimeSpan): Later<{ all: number[]; failed: number[] }>
  info(): Later<StoreInfo>
  /**
   * The rules look at what earlier runs kept, once; what they find is told like any other finding.
   */
  judgePast(): Later<JudgedRuns>
  /** Removes all but the pinned ones; returns how many. */
  clear(): Later<number>
  /** Forgets every finding, and what would be found in what is kept now. */
  clearFindings(): Later<void>
  pin(seqs: readonly number[], pinned: boolean): Later<void>
  close(): Later<void>
}
