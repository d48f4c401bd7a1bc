// Small charts without axes, drawn as SVG or CSS. Each gets its texts from its caller. The files
// are independent; read this one before BarCount.vue and DensityStrip.vue.

/**
 * Computes lengths of bars from 0 to 1 for counts side by side, in proportion. A count above zero
 * always has a visible bar.
 */
export function createBarScale(
  values: readonly (number | null | undefined)[],
): (value: number | null | undefined) => number {
  const maxValue = values.reduce<number>((largest, value) => Math.max(largest, value ?? 0), 0)
  return (value) => (maxValue === 0 || !value || value < 0 ? 0 : Math.min(1, Math.max(0.02, value / maxValue)))
}
