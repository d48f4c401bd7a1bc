/** A colour sent by the host: red, green and blue from 0 to 255, alpha from 0 to 1. */
interface Rgba {
  readonly r: number
  readonly g: number
  readonly b: number
  readonly a: number
}

/** `rgba(255, 0, 0, 0.5)`; a full alpha is omitted. */
export const formatRgba = ({ r, g, b, a }: Rgba): string =>
  a === 1 ? `rgb(${r}, ${g}, ${b})` : `rgba(${r}, ${g}, ${b}, ${a})`

/** Relative luminance (WCAG 2) of an opaque colour. */
function luminance(color: readonly [number, number, number]): number {
  const [r, g, b] = color.map((value) => {
    const part = Math.min(255, Math.max(0, value)) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** Contrast ratio (WCAG 2, 1 to 21) of text in one colour on a card of another. */
export function computeContrastRatio(text: readonly [number, number, number], card: Rgba): number {
  const lights = [luminance(text), luminance([card.r, card.g, card.b])].sort((x, y) => y - x)
  return ((lights[0] ?? 0) + 0.05) / ((lights[1] ?? 0) + 0.05)
}
