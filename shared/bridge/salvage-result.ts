import type { ShapeConversion, ConversionKind } from '../json/findings.ts'
import { toPointer } from '../json/pointer.ts'

type Kind = Omit<ShapeConversion, 'count'>

/** Logs what was read in another shape, in order, so that the entries of a part that is given up can be removed again. */
export class ConversionLog {
  readonly #kinds = new Map<string, Kind>()
  readonly #log: Kind[] = []

  get length(): number {
    return this.#log.length
  }

  /** Drops everything after the first `length` entries. */
  set length(length: number) {
    this.#log.length = length
  }

  add(trail: readonly (string | number)[], name: string | number | undefined, conversionKind: ConversionKind): void {
    const path = toPointer(trail.map((step) => (typeof step === 'number' ? '*' : step)))
    const key = `${conversionKind} ${String(name)} ${path}`
    let kind = this.#kinds.get(key)
    if (!kind) this.#kinds.set(key, (kind = { path, name: String(name ?? ''), how: conversionKind }))
    this.#log.push(kind)
  }

  /** Each kind once, with how often it occurred. */
  summarize(): readonly ShapeConversion[] {
    const counts = new Map<Kind, number>()
    for (const kind of this.#log) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return [...counts].map(([kind, count]) => ({ ...kind, count }))
  }
}

/** Something in an answer that does not fit its schema, and what was therefore left out. */
export interface DataProblem {
  /** JSON pointer (RFC 6901) of the value that does not fit. */
  readonly path: string
  /** Pointer of the list entry that was left out because of it; null where the member alone was, or where it is missing. */
  readonly entry: string | null
  /** JSON types, or values, that the schema allows there; `0..255` for a number that is out of this range. */
  readonly expected: string
  /** JSON type that is there; `undefined` where nothing is; the number that is out of range. */
  readonly found: string
  /** The value has the right type and stays. */
  readonly outOfRange?: true
}

/** Problems that are kept of one answer; the rest is only counted. */
export const MAX_PROBLEMS = 100

export interface SalvageResult<T> {
  /** Conforms to the schema; undefined where nothing usable is left, and then the one problem says why. */
  readonly value: T | undefined
  readonly problems: readonly DataProblem[]
  /** All problems, also those that were not kept. */
  readonly problemCount: number
  /** List entries that were left out, of all lists together. */
  readonly omittedEntryCount: number
  /** Of the answer's own lists (itself, or its members) that lost entries, by pointer: where the remaining ones stood. */
  readonly keptPositions: ReadonlyMap<string, readonly number[]>
  /** What was read although it was sent in another shape. */
  readonly conversions: readonly ShapeConversion[]
}
