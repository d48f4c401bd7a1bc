/** Places of a longest increasing run through these numbers: what has kept its order. Takes n log n steps. */
export function increasing(numbers: readonly number[]): readonly number[] {
  /** For each length, the place of the smallest number that ends such a run. */
  const ends: number[] = []
  const before: number[] = []
  numbers.forEach((number, place) => {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((numbers[ends[middle] ?? 0] ?? 0) < number) low = middle + 1
      else high = middle
    }
    before[place] = low > 0 ? (ends[low - 1] ?? -1) : -1
    ends[low] = place
  })
  const run: number[] = []
  for (let place = ends.at(-1) ?? -1; place >= 0; place = before[place] ?? -1) run.push(place)
  return run.reverse()
}
