import type { CellValue } from './columns.ts'

/** The value of each row in one column, and the direction. */
export interface SortKey {
  readonly values: readonly CellValue[]
  readonly descending: boolean
}

/** A message to `sort.worker.ts`, which replies with the row numbers as a `Uint32Array`. */
export interface SortRequest {
  readonly keys: readonly SortKey[]
  readonly locale: string
}

/**
 * Sorts row numbers by the keys, most significant first. Numbers come before texts, numbers within
 * texts are compared by value, empty values are always last, and ties keep their original order.
 */
export function sortRows({ keys, locale }: SortRequest): Uint32Array<ArrayBuffer> {
  const { compare } = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' })
  const rows = Uint32Array.from(keys[0]?.values ?? [], (_, row) => row)
  return rows.sort((left, right) => {
    for (const { values, descending } of keys) {
      const order = compareCells(values[left] ?? null, values[right] ?? null, descending, compare)
      if (order !== 0) return order
    }
    return 0
  })
}

function compareCells(
  left: string | number | null,
  right: string | number | null,
  isDescending: boolean,
  compareTexts: (left: string, right: string) => number,
): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null)
  const order =
    typeof left === 'string' && typeof right === 'string'
      ? compareTexts(left, right)
      : typeof left === 'number' && typeof right === 'number'
        ? Number(left > right) - Number(left < right)
        : typeof left === 'number'
          ? -1
          : 1
  return isDescending ? -order : order
}
