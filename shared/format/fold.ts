/**
 * A text in lower case that keeps its length, so that places found in it are places in the original. The few characters whose lower case
 * is longer (such as the dotted capital I) stay as they are.
 */
export function folded(text: string): string {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return [...text].map((char) => (char.toLowerCase().length === char.length ? char.toLowerCase() : char)).join('')
}
