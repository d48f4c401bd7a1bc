/** Red, green and blue are 0 to 255, alpha is 0 to 1. */
interface Rgba {
  readonly r: number
  readonly g: number
  readonly b: number
  readonly a: number
}

/** Formats a color as CSS. Alpha is left out if it is 1. */
export function formatRgba({ r, g, b, a }: Rgba): string {
  return a === 1 ? `rgb(${r}, ${g}, ${b})` : `rgba(${r}, ${g}, ${b}, ${a})`
}

/** Computes the relative luminance (WCAG 2) of an opaque color. */
function computeLuminance(color: readonly [number, number, number]): number {
  const [r, g, b] = color.map((value) => {
    const channel = Math.min(255, Math.max(0, value)) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** The contrast ratio of WCAG 2 (1 to 21). Alpha of the card is ignored. */
export function computeContrastRatio(text: readonly [number, number, number], card: Rgba): number {
  const luminances = [computeLuminance(text), computeLuminance([card.r, card.g, card.b])].sort((x, y) => y - x)
  return ((luminances[0] ?? 0) + 0.05) / ((luminances[1] ?? 0) + 0.05)
}
