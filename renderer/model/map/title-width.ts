/**
 * Estimates the widths of titles from their bytes, because measuring a hundred thousand texts takes
 * seconds. Titles that turn out to be wider are cut when they are drawn.
 */
export class TitleWidths {
  readonly #ascii = new Float32Array(128)
  readonly #latin: number
  readonly #wide: number

  /** @param measure returns the width of a text in pixels */
  constructor(measure: (text: string) => number) {
    for (let code = 32; code < 127; code += 1) this.#ascii[code] = measure(String.fromCharCode(code))
    this.#latin = measure('я')
    this.#wide = measure('汉')
  }

  /**
   * Returns whole pixels, at most `MAX_TITLE_PX`, and never less than a short word has.
   * @param end index after the last byte of the title
   */
  estimate(utf8: Uint8Array, start = 0, end = utf8.length): number {
    let width = 0
    for (let index = start; index < end && width < MAX_TITLE_PX; index += 1) {
      const byte = utf8[index] ?? 0
      if (byte < 0x80) width += this.#ascii[byte] ?? 0
      // The other bytes of a character follow its first and have no width.
      else if (byte >= 0xe0) width += this.#wide
      else if (byte >= 0xc0) width += this.#latin
    }
    return Math.min(MAX_TITLE_PX, Math.max(MIN_TITLE_PX, Math.ceil(width)))
  }
}

export const MAX_TITLE_PX = 280
const MIN_TITLE_PX = 28
