import { scaleSqrt } from 'd3-scale'

/**
 * Lengths of bars, from 0 to 1, for counts next to each other. By the square root, as the area of a disc is: the largest of a library can be
 * thousands of times the smallest, which would have no bar at all otherwise. What is more than nothing is never quite invisible.
 */
export function createBarScale(
  values: readonly (number | null | undefined)[],
): (value: number | null | undefined) => number {
  const most = values.reduce<number>((largest, value) => Math.max(largest, value ?? 0), 0)
  const scale = scaleSqrt().domain([0, most]).range([0, 1]).clamp(true)
  return (value) => (most === 0 || !value || value < 0 ? 0 : Math.max(0.02, scale(value)))
}
