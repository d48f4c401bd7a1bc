// Small charts without axes, drawn as SVG or CSS. Callers pass in all texts. The files are
// independent of each other; read this file before BarCount.vue and DensityStrip.vue.

/**
 * The length of a bar is from 0 to 1 and proportional to its count. A count above zero always has a
 * visible bar.
 */
export function createBarScale(
  values: readonly (number | null | undefined)[],
): (value: number | null | undefined) => number {
  const maxValue = values.reduce<number>((largest, value) => Math.max(largest, value ?? 0), 0)
  return (value) => (maxValue === 0 || !value || value < 0 ? 0 : Math.min(1, Math.max(0.02, value / maxValue)))
}
