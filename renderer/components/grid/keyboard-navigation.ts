/** The row that a navigation key leads to from row `at` of `count`; null for any other key. `page` = rows in view. */
export function getRowAfterKey(key: string, at: number, count: number, page: number): number | null {
  if (count === 0) return null
  const clamp = (row: number): number => Math.min(count - 1, Math.max(0, row))
  switch (key) {
    case 'ArrowDown':
      return clamp(at + 1)
    case 'ArrowUp':
      return clamp(at - 1)
    case 'PageDown':
      return clamp(at + page)
    case 'PageUp':
      return clamp(at - page)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}

/** The first of `count` positions whose row is meant; null if there is none. */
export function findRowPosition<Row>(
  count: number,
  rowAt: (position: number) => Row | undefined,
  isMeant: (row: Row) => boolean,
): number | null {
  for (let position = 0; position < count; position += 1) {
    const row = rowAt(position)
    if (row !== undefined && isMeant(row)) return position
  }
  return null
}
