import type { ShapeConversion, ConversionKind } from '../json/findings.ts'
import { toPointer } from '../json/pointer.ts'

type Kind = Omit<ShapeConversion, 'count'>

/** Logs conversions in order, so that those of an abandoned part can be removed again. */
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

  /** Counts each kind of conversion. */
  summarize(): readonly ShapeConversion[] {
    const counts = new Map<Kind, number>()
    for (const kind of this.#log) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return [...counts].map(([kind, count]) => ({ ...kind, count }))
  }
}

/** A value does not fit its schema, and something may have been omitted because of it. */
export interface DataProblem {
  /** This JSON pointer (RFC 6901) leads to the value that does not fit. */
  readonly path: string
  /**
   * This pointer leads to the omitted list entry; it is null if only the member was omitted, or if
   * it is missing.
   */
  readonly entry: string | null
  /**
   * These are the JSON types or values that the schema allows there; `0..255` for a number that is
   * out of this range.
   */
  readonly expected: string
  /**
   * This is the JSON type that is there; `undefined` where nothing is, or the number that is out of
   * range.
   */
  readonly actual: string
  /** The value has the right type and stays. */
  readonly outOfRange?: true
}

/** Further problems are only counted. */
export const MAX_DATA_PROBLEMS = 100

export interface SalvageResult<T> {
  /**
   * The value conforms to the schema. It is undefined if nothing is usable; the only problem then
   * says why.
   */
  readonly value: T | undefined
  readonly problems: readonly DataProblem[]
  /** This counts all problems, including those beyond the maximum. */
  readonly problemCount: number
  /** This counts the omitted entries of all lists. */
  readonly omittedEntryCount: number
  /**
   * If lists of the response itself lost entries, these are the indexes of the remaining ones, by
   * pointer.
   */
  readonly keptPositions: ReadonlyMap<string, readonly number[]>
  readonly conversions: readonly ShapeConversion[]
}
