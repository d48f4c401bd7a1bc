/**
 * A text in lower case that keeps its length, so that places found in it are places in the original. The few characters whose lower case
 * is longer (such as the dotted capital I) stay as they are. A final sigma becomes a plain one, so that the start of a word finds the word.
 */
export function folded(text: string): string {
  const lower = text.toLowerCase()
  const even = lower.length === text.length ? lower : [...text].map(lowered).join('')
  return even.includes('ς') ? even.replaceAll('ς', 'σ') : even
}

const lowered = (char: string): string => (char.toLowerCase().length === char.length ? char.toLowerCase() : char)
