/**
 * Returns the row to which a navigation key moves; null for other keys.
 * @param page number of visible rows
 */
export function getRowAfterKey(key: string, currentRow: number, count: number, page: number): number | null {
  if (count === 0) return null
  const clamp = (row: number): number => Math.min(count - 1, Math.max(0, row))
  switch (key) {
    case 'ArrowDown':
      return clamp(currentRow + 1)
    case 'ArrowUp':
      return clamp(currentRow - 1)
    case 'PageDown':
      return clamp(currentRow + page)
    case 'PageUp':
      return clamp(currentRow - page)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}

/** Returns null if no row matches. */
export function findRowPosition<Row>(
  count: number,
  getRow: (position: number) => Row | undefined,
  isMatch: (row: Row) => boolean,
): number | null {
  for (let position = 0; position < count; position += 1) {
    const row = getRow(position)
    if (row !== undefined && isMatch(row)) return position
  }
  return null
}
