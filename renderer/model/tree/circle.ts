/** The card with the lowest index in the circle that a card's parents lead into. There must be one. */
export function lowestInCircle(cards: { parent(index: number): number }, index: number): number {
  const steps = new Set<number>()
  let at = index
  while (!steps.has(at)) {
    steps.add(at)
    at = cards.parent(at)
  }
  let lowest = at
  for (let around = cards.parent(at); around !== at; around = cards.parent(around)) lowest = Math.min(lowest, around)
  return lowest
}
