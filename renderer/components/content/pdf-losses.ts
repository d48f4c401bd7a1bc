/** Library warnings that mean something is missing from the page: pictures, glyphs, patterns, whole drawing steps. */
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

/** What a warning says was not drawn, cut to one line; null if it means no loss. */
export function lossOf(warning: string): string | null {
  const text = warning.replace(/^Warning: /, '').replace(/\s+/g, ' ')
  return losses.some((one) => one.test(text)) ? text.slice(0, 200) : null
}
