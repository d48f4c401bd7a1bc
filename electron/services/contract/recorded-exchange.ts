import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import type { DeviationGroup } from './deviation-groups.ts'

export interface KeptBytes {
  readonly bytes: Uint8Array | null
  /** All bytes that were sent are there. */
  readonly isWhole: boolean
}

export interface RecordedExchange {
  readonly row: ExchangeRow
  /** Hashes of the stored bytes; null if nothing is stored. */
  readonly requestHash: string | null
  readonly responseHash: string | null
  /** Number of the stored bytes. */
  readonly requestSize: number
  readonly responseSize: number
  readonly readRequest: () => KeptBytes
  /** @param maxBytes no more than these are read; then the result is not whole */
  readonly readResponse: (maxBytes?: number) => KeptBytes
}

/** The stored exchanges, in the order of `seq`. */
export interface ExchangeSource {
  /** Returns the next exchange; null without one, or its body. A null `route` is no endpoint. */
  readNext(
    after: number,
    route?: { readonly method: string; readonly endpoint: string | null },
  ): RecordedExchange | null
  /** The last capabilities that the host sent after `after` and up to `upTo`; null if none. */
  findCapabilities(host: string, after: number, upTo: number): RecordedExchange | null
  /** Returns the first capabilities that a host itself sent after `seq`; null if there are none. */
  findNextCapabilities(host: string, seq: number): RecordedExchange | null
  countAfter(seq: number): number
  isStored(seq: number): boolean
  newest(): number
}

/** Everything about deviations that outlives the program. */
export interface StoredContract {
  readonly groups: readonly DeviationGroup[]
  readonly mutes: ReadonlyMap<string, DeviationMute>
  readonly mark: ContractMark | null
  /** JSON of `ContractJudge`. */
  readonly progress: unknown
}

/** Deviations that are first seen in later exchanges are new. */
export interface ContractMark {
  readonly seq: number
  readonly at: number
}

export interface DeviationMute {
  readonly reason: string
  readonly at: number
}

/** Each method is atomic. If the disk rejects it, saving and replacing return false. */
export interface ContractArchive {
  load(): StoredContract
  /** Saves changed groups together with the progress up to which they are complete. */
  save(changed: readonly DeviationGroup[], progress: unknown): boolean
  replace(groups: readonly DeviationGroup[], progress: unknown): boolean
  saveMute(id: string, mute: DeviationMute | null): void
  saveMark(mark: ContractMark): void
}

/** Judgements in memory are forgotten with the program. */
export const NO_ARCHIVE: ContractArchive = {
  load: () => ({ groups: [], mutes: new Map(), mark: null, progress: null }),
  save: () => true,
  replace: () => true,
  saveMute: () => undefined,
  saveMark: () => undefined,
}
