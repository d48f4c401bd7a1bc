import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import type { DeviationGroup } from './deviation-groups.ts'
import type { KeptBytes } from './exchange-facts.ts'

export interface RecordedExchange {
  readonly row: ExchangeRow
  /** Hashes of the stored bytes; null if nothing is stored. */
  readonly requestHash: string | null
  readonly responseHash: string | null
  readonly readRequest: () => KeptBytes
  readonly readResponse: () => KeptBytes
}

/** The stored exchanges, in the order of `seq`. */
export interface ExchangeSource {
  /**
   * Returns the first exchange after `seq`; null if there is none, or its body is not stored yet.
   * @param route only exchanges of this endpoint, or of no endpoint
   */
  readNext(
    after: number,
    route?: { readonly method: string; readonly endpoint: string | null },
  ): RecordedExchange | null
  /** Returns the last capabilities that a host sent up to `seq`; null if there are none. */
  findCapabilities(host: string, upTo: number): RecordedExchange | null
  countAfter(seq: number): number
  isStored(seq: number): boolean
  newest(): number
}

/** Everything about deviations that outlives the program. */
export interface StoredContract {
  readonly groups: readonly DeviationGroup[]
  readonly mutes: ReadonlyMap<string, MutedDeviation>
  readonly mark: ContractMark | null
  /** What `ContractJudge` stores about its progress, as JSON. */
  readonly progress: unknown
}

/** Deviations that are first seen in later exchanges are new. */
export interface ContractMark {
  readonly seq: number
  readonly at: number
}

export interface MutedDeviation {
  readonly reason: string
  readonly at: number
}

/** Stores deviations. Each method is atomic, and may do nothing if the disk rejects it. */
export interface ContractArchive {
  load(): StoredContract
  /** Saves changed groups together with the progress up to which they are complete. */
  save(changed: readonly DeviationGroup[], progress: unknown): void
  /** Replaces all groups. */
  replace(groups: readonly DeviationGroup[], progress: unknown): void
  saveMute(id: string, mute: MutedDeviation | null): void
  saveMark(mark: ContractMark): void
}
