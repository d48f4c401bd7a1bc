const hex = (n: number): string => Math.round(n).toString(16).padStart(2, '0')

/** The colour of a level: hues evenly spread, a little darker where the theme is dark. */
function colorOf(level: number, lightness: number) {
  const hue = level / 16
  const channel = (shift: number): number => {
    const k = (shift + hue * 12) % 12
    const a = 0.62 * Math.min(lightness, 1 - lightness)
    return Math.round(255 * (lightness - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  }
  const [r, g, b] = [channel(0), channel(8), channel(4)]
  return { hex: `#${hex(r)}${hex(g)}${hex(b)}`.toUpperCase(), rgba: { r, g, b, a: 1 } }
}

/** The palette of every study set in the demo library: exactly 16 levels. */
export const colors = Array.from({ length: 16 }, (_, colorIndex) => ({
  colorIndex,
  baseColor: colorOf(colorIndex, 0.78),
  displayColor: colorOf(colorIndex, 0.82),
}))
