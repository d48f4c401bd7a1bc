/** More than the widest window shows of one line. */
export const LINE = 1_000
/** Characters of a value or a text with lines of its own that are shown at once. */
export const PARAGRAPH = 2_000

/**
 * What is drawn of a foreign text that has only one line: its beginning; nothing of none. Laying out all of a text takes long however
 * little of it shows: 50 ms for 100,000 characters.
 */
export function oneLine(text: string | null | undefined): string {
  return text && text.length > LINE ? `${startOf(text, LINE)}…` : (text ?? '')
}

/** The first characters of a text, without half of a pair at their end. */
export const startOf = (text: string, count: number): string => text.slice(0, count).replace(/[\uD800-\uDBFF]$/, '')
