/** Texts of a few rows of a column, joined, so that they are handed to another thread at once. */
export interface SparseTexts {
  /** The rows that have one, ascending. */
  readonly rows: Uint32Array
  readonly text: string
  /** Where the text of each ends. */
  readonly ends: Uint32Array
}

const none: SparseTexts = { rows: new Uint32Array(0), text: '', ends: new Uint32Array(0) }

/** `texts` by row. */
export function packSparseTexts(texts: readonly (string | undefined)[]): SparseTexts {
  if (texts.length === 0) return none
  const at: number[] = []
  const ends: number[] = []
  let joined = ''
  for (let row = 0; row < texts.length; row += 1) {
    const text = texts[row]
    if (text === undefined) continue
    at.push(row)
    joined += text
    ends.push(joined.length)
  }
  return { rows: Uint32Array.from(at), text: joined, ends: Uint32Array.from(ends) }
}

/** The text of a row, if it has one. */
export function getSparseText({ rows: at, text, ends }: SparseTexts, row: number): string | undefined {
  if (at.length === 0) return undefined
  // Where all rows have one, each stands at its own number.
  let low = at[row] === row ? row : 0
  let high = at[row] === row ? row : at.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((at[middle] ?? 0) < row) low = middle + 1
    else high = middle
  }
  return at[low] === row ? text.slice(low === 0 ? 0 : ends[low - 1], ends[low]) : undefined
}
