/** Characters of a label. */
const MOST = 60

/** A name that a client or a person gave, as one short line; empty if nothing of it can be shown. */
export const cleanLabel = (text: string): string =>
  text
    .replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MOST)
    .trim()

/** What a client calls itself: the first product of its `User-Agent`. */
export const labelOf = (userAgent: string | undefined): string =>
  cleanLabel(/^[^\s(]+/.exec(userAgent ?? '')?.[0] ?? '') || 'client'
