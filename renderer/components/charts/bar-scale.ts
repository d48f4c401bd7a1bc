// Small charts without axes, drawn as SVG or CSS. Callers pass in all texts.

/** Bars from 0 to 1 are proportional to their counts; above zero they are always visible. */
export function createBarScale(
  values: readonly (number | null | undefined)[],
): (value: number | null | undefined) => number {
  const maxValue = values.reduce<number>((largest, value) => Math.max(largest, value ?? 0), 0)
  return (value) => (maxValue === 0 || !value || value < 0 ? 0 : Math.min(1, Math.max(0.02, value / maxValue)))
}
