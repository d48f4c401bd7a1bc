/**
 * Keys for the drawn rows of a long list: a row that leaves the view while it is scrolled passes its key, and so its elements, to one that
 * comes into view, which is quicker than making new ones. A row that stays keeps its own. `list` is the list itself: after it has changed,
 * no row takes over the elements of another, because these may be in the middle of something.
 */
export function createKeyRecycler<Key>(): (rows: readonly Key[], list: unknown) => number[] {
  let held = new Map<Key, number>()
  let fresh = 0
  let last: unknown
  return (rows, list) => {
    const drawn = new Set(rows)
    // Of this change alone: what nobody takes is removed with its elements. In the order in which they stand, so that a jump to another
    // place moves none of them.
    const free: number[] = []
    if (list === last) for (const [row, key] of held) if (!drawn.has(row)) free.push(key)
    last = list
    const before = held
    held = new Map()
    for (const row of rows) held.set(row, before.get(row) ?? free.shift() ?? fresh++)
    return [...held.values()]
  }
}
