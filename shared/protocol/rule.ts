import type { HostLimits } from '../bridge/host-limits.ts'
import type { FindingRule } from './finding.ts'
import type { Step } from './step.ts'

/** What a rule may ask and tell. */
export interface Scene {
  /** Says that a rule was broken; the last of `seqs` is where it shows. Returns the finding's id. `mark` tells findings of one exchange apart. */
  report(rule: FindingRule, seqs: readonly number[], params: Readonly<Record<string, string>>, mark?: string): string
  /** Takes back what did follow after all. */
  withdraw(id: string): void
  /** Nothing was left out of the recording lately. */
  readonly unbroken: boolean
  /** Everything that this caller sent and received is known: it is a panel that runs here, and nothing was left out of the recording. */
  readonly whole: boolean
  /** Whether the kept answer of an exchange contains this text; null if nobody knows. */
  contains(seq: number, text: string): boolean | null
  /** The limits of this host; null if its capabilities were not seen. */
  readonly limits: HostLimits | null
  /** Now, as far as is known: the end of the exchange, or the time of the tick. */
  readonly now: number
}

/** One idea about one caller: sees each of its exchanges in the order in which they ended, and remembers a bounded number of them. */
export interface Watch {
  step(step: Step, scene: Scene): void
  /** What did not follow. Called only while nothing of this caller is under way. */
  quiet?(scene: Scene): void
}

/** After this long without a next step, it did not follow. It is told at the next tick, 30 s after the last step at the latest. */
export const QUIET_MS = 25_000

/** A map that forgets its oldest entries. */
export class Recent<V> {
  readonly #map = new Map<string, V>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): V | undefined {
    return this.#map.get(key)
  }

  set(key: string, value: V): void {
    this.#map.delete(key)
    this.#map.set(key, value)
    if (this.#map.size <= this.#most) return
    for (const oldest of this.#map.keys()) {
      this.#map.delete(oldest)
      return
    }
  }

  delete(key: string): void {
    this.#map.delete(key)
  }

  values(): IterableIterator<V> {
    return this.#map.values()
  }

  get size(): number {
    return this.#map.size
  }
}

/** The last elements of a list, so that a finding never names more exchanges than it may. */
export const lastOf = <T>(list: readonly T[], most = 50): T[] => list.slice(-most)
