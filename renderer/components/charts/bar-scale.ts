import { scaleSqrt } from 'd3-scale'

/**
 * Lengths of bars from 0 to 1 for counts side by side. They grow with the square root, because the
 * largest count of a library can be thousands of times the smallest. A count above zero always has
 * a visible bar.
 */
export function createBarScale(
  values: readonly (number | null | undefined)[],
): (value: number | null | undefined) => number {
  const maxValue = values.reduce<number>((largest, value) => Math.max(largest, value ?? 0), 0)
  const scale = scaleSqrt().domain([0, maxValue]).range([0, 1]).clamp(true)
  return (value) => (maxValue === 0 || !value || value < 0 ? 0 : Math.max(0.02, scale(value)))
}
