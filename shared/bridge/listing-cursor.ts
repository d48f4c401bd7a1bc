import { getMember } from '../json/object.ts'

/** How many bytes at the end of a page are examined. */
const TAIL_BYTES = 1024

/** The cursor of the page after this one, as the host says it; null after the last page. */
export function nextCursorIn(page: unknown): string | null {
  const cursor = getMember(page, 'nextCursor')
  return typeof cursor === 'string' && cursor !== '' ? cursor : null
}

/**
 * The `nextCursor` of a page of the card listing, taken from its last bytes without parsing (spec §2 Mind-map tree). Only a guess: a node
 * could hold the same name, and a host may put it first. Null if none is found.
 */
export function guessNextCursor(page: Uint8Array): string | null {
  const tail = new TextDecoder().decode(page.subarray(Math.max(0, page.byteLength - TAIL_BYTES)))
  const text = /"nextCursor"\s*:\s*("(?:[^"\\]|\\.)+")/.exec(tail)?.[1]
  if (text === undefined) return null
  try {
    return JSON.parse(text) as string
  } catch {
    return null
  }
}

/** The query that asks for the page with this cursor; null is the first page. */
export const queryAt = <Query extends object>(query: Query, cursor: string | null): Query & { cursor?: string } =>
  cursor === null ? query : { ...query, cursor }

/** The cursors that were followed through one listing, so that a host that leads back to one of them is noticed. */
export class CursorTrail {
  readonly #followed: Set<string>

  /** `from` is the cursor of the page that is read first; null is the beginning. */
  constructor(from: string | null) {
    this.#followed = new Set(from === null ? [] : [from])
  }

  /** Where the listing goes on after a page that says `cursor`: there, nowhere, or where it already was. */
  follow(cursor: string | null): 'end' | 'next' | 'looped' {
    if (cursor === null) return 'end'
    if (this.#followed.has(cursor)) return 'looped'
    this.#followed.add(cursor)
    return 'next'
  }
}
