/** How many bytes at the end of a page are examined. */
const TAIL = 1024

/**
 * The `nextCursor` of a page of the card listing, taken from its last bytes without parsing (spec §2 Mind-map tree). Only a guess: a node
 * could hold the same name, and a host may put it first. Null if none is found.
 */
export function guessNextCursor(page: Uint8Array): string | null {
  const tail = new TextDecoder().decode(page.subarray(Math.max(0, page.byteLength - TAIL)))
  const text = /"nextCursor"\s*:\s*("(?:[^"\\]|\\.)+")/.exec(tail)?.[1]
  if (text === undefined) return null
  try {
    return JSON.parse(text) as string
  } catch {
    return null
  }
}
