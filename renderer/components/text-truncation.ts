/** No window is wide enough for a longer line. */
export const MAX_LINE_CHARS = 1_000
/** Of a long text, this many characters are shown at once. */
export const MAX_PARAGRAPH_CHARS = 2_000

/**
 * Returns the part of a foreign text that is drawn on one line. Laying out 100,000 characters takes
 * 50 ms, however little of them is visible.
 */
export function toSingleLine(text: string | null | undefined): string {
  return text && text.length > MAX_LINE_CHARS ? `${truncateText(text, MAX_LINE_CHARS)}…` : (text ?? '')
}

/** Cuts a text after `count` characters, without half of a surrogate pair at the end. */
export const truncateText = (text: string, count: number): string =>
  text.slice(0, count).replace(/[\uD800-\uDBFF]$/, '')
