/** Warnings of the library after which something is not on the page that should be: pictures, letters, patterns, whole steps of drawing. */
const losses = [
  /Unable to decode image/,
  /getTransferableImage - failed/,
  /Image dimensions are missing/,
  /Image exceeded maximum allowed size/,
  /Dependent image/,
  /Filter ".*" is not supported/,
  /getOperatorList - ignoring/,
  /handleTilingType - ignoring/,
  /parseShading - ignoring/,
  /_handleColorSpace - ignoring/,
  /buildFontPaths - ignoring/,
  /loadFont - (?:lookup|preEvaluateFont|translateFont) failed/,
  /translateFont - fetching/,
  /ensureStateFont/,
  /Font ".*" is not available/,
  /Type3 font resource/,
  /Invalid cMap data/,
  /parseAppearanceStream - ignoring/,
]

/** What a warning says was not drawn, as far as it fits on a line; null where nothing is lost by what it warns of. */
export function lossOf(warning: string): string | null {
  const text = warning.replace(/^Warning: /, '').replace(/\s+/g, ' ')
  return losses.some((one) => one.test(text)) ? text.slice(0, 200) : null
}
