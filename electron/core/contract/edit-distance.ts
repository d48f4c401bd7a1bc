/** Characters to add, remove, replace or swap with a neighbor; 1 for another letter case. */
export function computeEditDistance(text: string, other: string): number {
  if (text === other) return 0
  const [from, to] = [text.toLowerCase(), other.toLowerCase()]
  if (from === to) return 1
  let [beforeLast, last] = [[] as number[], Array.from({ length: to.length + 1 }, (_, index) => index)]
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1]
      const isExchanged = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      next[column] = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isExchanged ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
      )
    }
    ;[beforeLast, last] = [last, next]
  }
  return last[to.length] ?? 0
}
