/**
 * Creates keys for the rendered rows of a long list. A row that scrolls out of view passes its key,
 * and with it its elements, to a row that comes into view, which is faster than creating elements.
 * When `list` changes, rows do not reuse elements of other rows, because the elements may hold
 * state.
 */
export function createKeyRecycler<Key>(): (rows: readonly Key[], list: unknown) => number[] {
  let keyByRow = new Map<Key, number>()
  let nextKey = 0
  let lastList: unknown
  return (rows, list) => {
    const renderedRows = new Set(rows)
    // Keys that no row takes in this change are removed with their elements. Rows take keys in
    // document order, so that a jump to a different position moves no element.
    const freeKeys: number[] = []
    if (list === lastList) for (const [row, key] of keyByRow) if (!renderedRows.has(row)) freeKeys.push(key)
    lastList = list
    const previous = keyByRow
    keyByRow = new Map()
    for (const row of rows) keyByRow.set(row, previous.get(row) ?? freeKeys.shift() ?? nextKey++)
    return [...keyByRow.values()]
  }
}
