/** A random number generator that repeats for the same seed. */
export function createRandom(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    /** 0 to `below`, exclusive. */
    nextInt: (below: number): number => Math.floor(next() * below),
    /** One of the entries, by weight; null for the remainder up to 1. */
    pick<T>(entries: readonly (readonly [T, number])[]): T | null {
      let left = next()
      for (const [value, weight] of entries) {
        if (left < weight) return value
        left -= weight
      }
      return null
    },
  }
}
export type Random = ReturnType<typeof createRandom>
