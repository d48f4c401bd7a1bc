/** Texts of a few rows of a column, joined so that all can be transferred at once. */
export interface SparseTexts {
  /** Rows that have a text, ascending. */
  readonly rows: Uint32Array
  readonly text: string
  /** End of each text in `text`. */
  readonly ends: Uint32Array
}

const emptyTexts: SparseTexts = { rows: new Uint32Array(0), text: '', ends: new Uint32Array(0) }

export function packSparseTexts(texts: readonly (string | undefined)[]): SparseTexts {
  if (texts.length === 0) return emptyTexts
  const rows: number[] = []
  const ends: number[] = []
  let joined = ''
  for (let row = 0; row < texts.length; row += 1) {
    const text = texts[row]
    if (text === undefined) continue
    rows.push(row)
    joined += text
    ends.push(joined.length)
  }
  return { rows: Uint32Array.from(rows), text: joined, ends: Uint32Array.from(ends) }
}

export function getSparseText({ rows, text, ends }: SparseTexts, row: number): string | undefined {
  if (rows.length === 0) return undefined
  // If all rows have a text, the index of a text is its row.
  let low = rows[row] === row ? row : 0
  let high = rows[row] === row ? row : rows.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle] ?? 0) < row) low = middle + 1
    else high = middle
  }
  return rows[low] === row ? text.slice(low === 0 ? 0 : ends[low - 1], ends[low]) : undefined
}
