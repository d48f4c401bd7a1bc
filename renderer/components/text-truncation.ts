/** No window is wide enough for a longer line. */
export const MAX_LINE_CHARS = 1_000
/** A longer text is cut after this many characters until the user expands it. */
export const MAX_PARAGRAPH_CHARS = 2_000

/** Part of a foreign text: laying out 100,000 characters takes 50 ms, even if few show. */
export function toSingleLine(text: string | null | undefined): string {
  return text && text.length > MAX_LINE_CHARS ? `${truncateText(text, MAX_LINE_CHARS)}…` : (text ?? '')
}

/** Cuts a text after `count` characters, but never a surrogate pair in half. */
export function truncateText(text: string, count: number): string {
  return text.slice(0, count).replace(/[\uD800-\uDBFF]$/, '')
}

/** The id if the host sent no title; `untitled` is only for a title that was sent empty. */
export function formatItemTitle(title: string | null | undefined, id: string, untitled: string): string {
  return title === undefined ? id : toSingleLine(title) || untitled
}
