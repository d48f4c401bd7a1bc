/**
 * Estimates the widths of titles from their bytes, because measuring a hundred thousand texts takes
 * seconds. Titles that turn out to be wider are cut when they are drawn.
 */
export class TitleWidths {
  /** Widths of characters by their first byte. The other bytes of a character have no width. */
  readonly #widthByByte = new Float32Array(256)

  /** @param measure returns the width of a text in pixels */
  constructor(measure: (text: string) => number) {
    for (let code = 32; code < 127; code += 1) this.#widthByByte[code] = measure(String.fromCharCode(code))
    // Line breaks and tabs are drawn as spaces.
    for (const code of [9, 10, 13]) this.#widthByByte[code] = measure(' ')
    this.#widthByByte.fill(measure('я'), 0xc0, 0xe0)
    this.#widthByByte.fill(measure('汉'), 0xe0)
  }

  /** Returns pixels, from a short word's to `MAX_TITLE_PX`; `end` is after the last byte. */
  estimate(utf8: Uint8Array, start = 0, end = utf8.length): number {
    const widthByByte = this.#widthByByte
    let width = 0
    for (let index = start; index < end && width < MAX_TITLE_PX; index += 1) width += widthByByte[utf8[index] ?? 0] ?? 0
    return Math.min(MAX_TITLE_PX, Math.max(MIN_TITLE_PX, Math.ceil(width)))
  }
}

export const MAX_TITLE_PX = 280
const MIN_TITLE_PX = 28

/** Cuts a title with an ellipsis, so that as much as possible of it fits. */
export function cutTitle(title: string, isFitting: (text: string) => boolean): string {
  const characters = [...title]
  const cut = (count: number): string => `${characters.slice(0, count).join('').trimEnd()}…`
  let [fitting, tooLong] = [0, characters.length + 1]
  // The whole title is tried first, because most of them fit.
  for (let count = characters.length; tooLong - fitting > 1; count = (fitting + tooLong) >> 1) {
    if (isFitting(count === characters.length ? title : cut(count))) fitting = count
    else tooLong = count
  }
  return fitting === characters.length ? title : cut(fitting)
}
