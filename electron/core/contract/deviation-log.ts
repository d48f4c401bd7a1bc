import { toPointer } from '../../../shared/json/pointer.ts'
import { getJsonType } from '../../../shared/bridge/resources/schema-plan.ts'
import type { Basis } from '../../../shared/bridge/basis.ts'
import {
  isBindingDeviation,
  MAX_DEVIATION_TEXT_CHARS,
  MAX_POINTER_CHARS,
  toDeviationBasis,
  type DeviationKind,
  type ExchangeDeviation,
} from '../../../shared/contract/deviation.ts'

/** Deviations with other pointers or kinds of one exchange are only counted. */
const MAX_DEVIATIONS_PER_EXCHANGE = 300
/** Values with more members or longer texts are cut before they become JSON. */
const MAX_EXAMPLE_ENTRIES = 20
const MAX_EXAMPLE_DEPTH = 4

export type Route = Pick<ExchangeDeviation, 'method' | 'template' | 'endpoint'>

export interface NewDeviation {
  readonly kind: DeviationKind
  /** Basis of the statement that the response differs from. */
  readonly basis: Basis
  readonly trail: readonly string[]
  readonly expected?: string
  readonly actual?: string
  /** The value that was sent; undefined if nothing was sent. */
  readonly value?: unknown
  /** Number of places; 1 if it is absent. */
  readonly count?: number
}

/** Collects the deviations of one exchange, each pointer and kind once, with its count. */
export class DeviationLog {
  readonly #route: Route
  readonly #byKey = new Map<string, ExchangeDeviation>()
  /** Places that may be held against the host, but are not listed. */
  ungroupedCount = 0
  /** Number of places, grouped or not. */
  placeCount = 0

  constructor(route: Route) {
    this.#route = route
  }

  /** A difference from an open statement is none. */
  add({ kind, basis: statementBasis, trail, expected = '', actual = '', value, count = 1 }: NewDeviation): void {
    const basis = toDeviationBasis(statementBasis)
    if (basis === null) return
    const pointer = cutText(toPointer(trail), MAX_POINTER_CHARS)
    const key = `${kind} ${pointer}`
    this.placeCount += count
    const entry = this.#byKey.get(key)
    if (entry) entry.count += count
    else if (this.#byKey.size >= MAX_DEVIATIONS_PER_EXCHANGE) {
      if (isBindingDeviation({ basis })) this.ungroupedCount += count
    } else
      this.#byKey.set(key, {
        ...this.#route,
        pointer,
        kind,
        basis,
        expected: cutText(expected),
        actual: cutText(actual),
        example: value === undefined ? null : formatExample(value),
        count,
      })
  }

  list(): readonly ExchangeDeviation[] {
    return [...this.#byKey.values()]
  }
}

const cutText = (text: string, maxChars = MAX_DEVIATION_TEXT_CHARS): string =>
  text.length > maxChars ? copyText(`${text.slice(0, maxChars - 1)}…`) : text

/** A slice of a text keeps the whole text in memory; a copy does not. */
const copyText = (text: string): string => decoder.decode(encoder.encode(text))
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Returns a value as JSON; a cut one ends with an ellipsis. */
export function formatExample(value: unknown): string {
  return cutText(JSON.stringify(shorten(value, 0)))
}

/** Leaves out most of a large value, because only the beginning of its JSON is shown. */
function shorten(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.slice(0, MAX_DEVIATION_TEXT_CHARS)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_EXAMPLE_DEPTH) return '…'
  if (Array.isArray(value)) return value.slice(0, MAX_EXAMPLE_ENTRIES).map((entry) => shorten(entry, depth + 1))
  const entries: [string, unknown][] = []
  for (const name of Object.keys(value).slice(0, MAX_EXAMPLE_ENTRIES))
    entries.push([name, shorten(Reflect.get(value, name), depth + 1)])
  return Object.fromEntries(entries)
}

/** Returns the JSON type of a value; of a list also the types of its first entries. */
export function inferType(value: unknown): string {
  if (!Array.isArray(value)) return getJsonType(value)
  const types = new Set(value.slice(0, MAX_EXAMPLE_ENTRIES).map(getJsonType))
  return types.size === 0 ? 'array' : `array of ${[...types].join(' | ')}`
}
