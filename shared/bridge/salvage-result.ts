import type { Basis } from './basis.ts'
import type { ShapeConversion, ConversionKind } from '../json/findings.ts'
import { toPointer } from '../json/pointer.ts'

type Kind = Omit<ShapeConversion, 'count'>

/** Keeps conversions in order, so that the conversions of a discarded part can be removed again. */
export class ConversionLog {
  readonly #kinds = new Map<string, Kind>()
  readonly #log: Kind[] = []

  get length(): number {
    return this.#log.length
  }

  /** Drops all entries after the first `length`. */
  set length(length: number) {
    this.#log.length = length
  }

  add(trail: readonly (string | number)[], name: string | number | undefined, conversionKind: ConversionKind): void {
    const path = toPointer(trail.map((step) => (typeof step === 'number' ? '*' : step)))
    const key = `${conversionKind} ${String(name)} ${path}`
    let kind = this.#kinds.get(key)
    if (!kind) this.#kinds.set(key, (kind = { path, name: String(name ?? ''), conversionKind: conversionKind }))
    this.#log.push(kind)
  }

  summarize(): readonly ShapeConversion[] {
    const counts = new Map<Kind, number>()
    for (const kind of this.#log) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return [...counts].map(([kind, count]) => ({ ...kind, count }))
  }
}

/** A value that does not fit its schema, and what was omitted because of it. */
export interface DataProblem {
  /** JSON pointer (RFC 6901) to the value that does not fit. */
  readonly path: string
  /** JSON pointer to the omitted list entry; null if only the member was omitted or is missing. */
  readonly entry: string | null
  /** JSON types or values that the schema allows there. */
  readonly expected: string
  /** JSON type of the value; `undefined` if there is none. */
  readonly actual: string
  /** Basis of the statement that the value differs from; never `open`. */
  readonly basis: Basis
}

/** Further problems are only counted, those that bind the host apart from the others. */
export const MAX_DATA_PROBLEMS = 100

export interface SalvageResult<T> {
  /** Undefined if the response is unusable; the only problem then says why. */
  readonly value: T | undefined
  readonly problems: readonly DataProblem[]
  /** Number of all problems, including those beyond `MAX_DATA_PROBLEMS`. */
  readonly problemCount: number
  /** Number of the problems that may be held against the host (`isBinding`). */
  readonly bindingProblemCount: number
  /** Number of omitted entries in all lists. */
  readonly omittedEntryCount: number
  /**
   * For each list from which invalid entries were removed, by JSON pointer: the original indexes of
   * the kept entries. Only the response itself and its direct members are included.
   */
  readonly keptPositions: ReadonlyMap<string, readonly number[]>
  readonly conversions: readonly ShapeConversion[]
}
