/** The expression `/0+$/` takes quadratic time for a foreign text with many of them elsewhere. */
export function trimEndChars(text: string, chars: string): string {
  let end = text.length
  while (end > 0 && chars.includes(text[end - 1] ?? '')) end -= 1
  return text.slice(0, end)
}

/** Removes these characters from both ends of a text. */
export function trimChars(text: string, startChars: string, endChars = startChars): string {
  let start = 0
  while (start < text.length && startChars.includes(text[start] ?? '')) start += 1
  return trimEndChars(text.slice(start), endChars)
}
