/**
 * The store of recorded exchanges: on disk in a worker thread (`thread/`, `disk/`), or in memory.
 * Requests are sent by `../bridge`, and the rules are in `../findings`. Read this file first, then
 * `recorder.ts` and `disk/disk-store.ts`.
 */
import type { ExchangeDetail, ExchangeRow, StoredBody } from '../../../shared/traffic/exchange.ts'
import type { CallInitiator } from '../../../shared/traffic/call-initiator.ts'
import type { TrafficFilter, TrafficSort } from '../../../shared/traffic/traffic-filter.ts'
import type { RouteSchema } from '../../../shared/contract/route-schema.ts'
import type { LearnedFilter } from '../../../shared/ipc/contract-schemas.ts'
import type { IpcInput, IpcOutput } from '../../../shared/ipc/index.ts'
import { MAX_HEAD_ROWS, type TrafficInfo } from '../../../shared/ipc/traffic.ts'
import type { FindingScope } from '../../../shared/protocol/finding.ts'
import type { CallerEnd, PendingExchange } from '../../core/protocol/rules/rule-engine.ts'
import type { ContractSummary } from '../contract/contract-judge.ts'
import type { LearnedRouteKey } from '../contract/learned-routes.ts'
import type { FindingsChange } from '../findings/findings-judge.ts'
import type { PendingRow, RawEntry } from './entry.ts'

export const TRAFFIC_FILE = 'traffic.db'

type MaybePromise<T> = T | Promise<T>

export interface FoundExchanges {
  readonly seqs: Uint32Array<ArrayBuffer>
  readonly newest: number
  /** True if some bodies could not be searched yet. */
  readonly incomplete: boolean
  /** True if some rows belong beside retried ones, so that they cannot be appended. */
  readonly scattered: boolean
}

export type ListHead = IpcOutput<'traffic.head'>

/** `matches` has one more than `limit` if there are more; bodies may remain to be searched. */
export function createListHead(
  matches: readonly number[],
  limit: number,
  isSearchComplete: boolean,
  { newest, rows }: { newest: number; rows: (seqs: readonly number[]) => ExchangeRow[] },
): ListHead {
  const seqs = matches.slice(0, limit)
  return {
    rows: rows(seqs.slice(0, MAX_HEAD_ROWS)),
    ...(seqs.length > MAX_HEAD_ROWS ? { seqs } : {}),
    newest,
    isWhole: isSearchComplete && matches.length <= limit,
  }
}

export interface TimeSpan {
  readonly filter: TrafficFilter
  readonly from: number
  readonly to: number
  readonly buckets: number
}

export interface ExchangeBodies {
  readonly seq: number
  /** Position of the exchange in the order in which exchanges began. */
  readonly orderedAt: number
  readonly request: StoredBody
  readonly response: StoredBody
}

/** The members of `TrafficInfo` that the store provides; the recorder adds the remaining ones. */
export type StoreInfo = Pick<
  TrafficInfo,
  'kind' | 'reason' | 'exchanges' | 'bytes' | 'oldestAt' | 'droppedBodies' | 'setAside'
>

export interface StoreChange {
  readonly newest: number
  readonly exchanges: number
  /** True if stored exchanges changed, so that pages must read the list again. */
  readonly reread: boolean
}

export interface StoreListeners {
  readonly onChange: (change: StoreChange) => void
  readonly onFindings?: ((change: FindingsChange) => void) | undefined
  readonly onContract?: ((summary: ContractSummary) => void) | undefined
  /** Called with the error of each body of a recording that cannot be read. */
  readonly onDamaged?: ((error: unknown) => void) | undefined
}

export interface JudgedRuns {
  readonly judged: number
  /** Number of older exchanges to which the rules were not applied. */
  readonly left: number
}

export interface RetentionBounds {
  readonly keepDays: number
  readonly maxBytes: number
}

/** Stores on disk, in a thread, or in memory. A query includes all exchanges added before. */
export interface TrafficStore {
  /** Adds an exchange that has ended; never throws and never waits. */
  add(entry: RawEntry): void
  /** Stores an exchange in progress, so that it is not lost if the program ends. */
  addPending(row: PendingRow, token: string | null): void
  /** Returns false if a body of this size cannot be stored now, because writing is too slow. */
  hasRoom(bytes: number): boolean
  /** Called when a body was left out because `hasRoom` returned false. */
  recordDropped(): void
  addTokens(tokens: readonly string[]): void
  /** Checks for missing requests; exchanges in `underWay` have no response yet. */
  checkPending(now: number, underWay: readonly PendingExchange[]): void
  /** Lets the rules decide what these callers owe, because they can send no further request. */
  recordCallersEnded(scope: FindingScope, end: CallerEnd): void
  /** Returns whether the rules wait for something that these callers have to do. */
  areCallersOwing(scope: FindingScope): MaybePromise<boolean>
  /** Replaces what was known of the code that made the call `id`, which may be in progress. */
  recordInitiator(id: string, initiator: CallInitiator): void
  /** Records that all loads of a panel's page up to `load` have ended. */
  recordPageLeft(caller: string, load: number): void
  /** Records that a person has held a call of this caller at a breakpoint. */
  recordHold(caller: PendingExchange): void
  /** Records that exchanges or bodies may be missing before or after `now`. */
  recordGap(now: number): void
  setBounds(bounds: RetentionBounds): void
  find(filter: TrafficFilter, sort: TrafficSort, after: number): MaybePromise<FoundExchanges>
  /** Returns the first rows of the result of `find`, without searching all exchanges. */
  head(filter: TrafficFilter, sort: TrafficSort, limit?: number): MaybePromise<ListHead>
  rows(seqs: readonly number[]): MaybePromise<ExchangeRow[]>
  /** Null if the exchange is unknown or has been removed. */
  exchange(by: {
    readonly seq?: number | undefined
    readonly id?: string | undefined
  }): MaybePromise<ExchangeDetail | null>
  /** Returns null if the exchange is unknown or has been removed. */
  seqOf(id: string): MaybePromise<number | null>
  /** `kept` is the total number of stored bytes; null if the exchange is unknown. */
  body(
    seq: number,
    side: 'request' | 'response',
    start: number,
    end: number,
  ): MaybePromise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly kept: number } | null>
  /** Describes the bodies of exchanges without reading them; removed exchanges are left out. */
  listBodies(seqs: readonly number[]): MaybePromise<ExchangeBodies[]>
  /** Exchanges without a known initiator are left out. */
  listInitiators(seqs: readonly number[]): MaybePromise<{ readonly seq: number; readonly initiator: CallInitiator }[]>
  countOverTime(span: TimeSpan): MaybePromise<{ all: number[]; failed: number[] }>
  /** Counts the next exchanges after `after`, as many as take some milliseconds. */
  countCoverage(after: number): MaybePromise<IpcOutput<'traffic.coverage'>>
  info(): MaybePromise<StoreInfo>
  /** Applies the rules to previous runs, once; findings are published like new ones. */
  judgePast(): MaybePromise<JudgedRuns>
  /** Lists what deviates from the contract, as far as it was judged. */
  listDeviations(): MaybePromise<IpcOutput<'contract.deviations'>>
  /** Judges the next part of everything recorded again; 0 begins anew. */
  judgeContract(after: number): MaybePromise<IpcOutput<'contract.judgeAgain'>>
  /** @param reason null to mute it no longer */
  muteDeviation(id: string, reason: string | null, mutedAt: number): MaybePromise<void>
  markDeviations(markedAt: number): MaybePromise<void>
  askExchanges(input: IpcInput<'contract.ask'>): MaybePromise<IpcOutput<'contract.ask'>>
  listLearned(filter: LearnedFilter): MaybePromise<IpcOutput<'contract.learned'>>
  /** Describes what was learned of one route; of all routes if `route` is null. */
  readLearned(filter: LearnedFilter, route: LearnedRouteKey | null): MaybePromise<RouteSchema[]>
  /** Removes all but the pinned exchanges and returns the number of removed exchanges. */
  clear(): MaybePromise<number>
  /** Removes every finding, and suppresses later findings about exchanges that are stored now. */
  clearFindings(): MaybePromise<void>
  pin(seqs: readonly number[], pinned: boolean): MaybePromise<void>
  close(): MaybePromise<void>
}
