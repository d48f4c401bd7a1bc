/** More than the widest window shows of one line. */
export const MAX_LINE_CHARS = 1_000
/** Characters of a value or a text with lines of its own that are shown at once. */
export const MAX_PARAGRAPH_CHARS = 2_000

/**
 * What is drawn of a foreign text that has only one line: its beginning; nothing of none. Laying out all of a text takes long however
 * little of it shows: 50 ms for 100,000 characters.
 */
export function toSingleLine(text: string | null | undefined): string {
  return text && text.length > MAX_LINE_CHARS ? `${truncateText(text, MAX_LINE_CHARS)}…` : (text ?? '')
}

/** The first characters of a text, without half of a pair at their end. */
export const truncateText = (text: string, count: number): string =>
  text.slice(0, count).replace(/[\uD800-\uDBFF]$/, '')
