/** Longer than any line that fits the widest window. */
export const MAX_LINE_CHARS = 1_000
/** Characters of a long text that are shown at once. */
export const MAX_PARAGRAPH_CHARS = 2_000

/**
 * The part of a foreign text that is drawn on one line. Laying out 100,000 characters takes 50 ms,
 * however little of them is visible.
 */
export function toSingleLine(text: string | null | undefined): string {
  return text && text.length > MAX_LINE_CHARS ? `${truncateText(text, MAX_LINE_CHARS)}…` : (text ?? '')
}

/** The first characters of a text, without half of a surrogate pair at the end. */
export const truncateText = (text: string, count: number): string =>
  text.slice(0, count).replace(/[\uD800-\uDBFF]$/, '')
