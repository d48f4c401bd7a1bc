import { getMember } from '../json/object.ts'

const TAIL_BYTES = 1024

/** @returns null after the last page */
export function getNextCursor(page: unknown): string | null {
  const cursor = getMember(page, 'nextCursor')
  return typeof cursor === 'string' && cursor !== '' ? cursor : null
}

/**
 * Searches the last bytes of a page for its `nextCursor` without parsing the page (spec §2 Mind-map
 * tree). This is a guess: a node may contain the same name, and a host may send the member first.
 * Returns null if no cursor is found.
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

/** Adds a cursor to a query. A null cursor requests the first page. */
export function withCursor<Query extends object>(query: Query, cursor: string | null): Query & { cursor?: string } {
  return cursor === null ? query : { ...query, cursor }
}

/** Remembers the cursors of one listing, to notice a host that repeats a cursor. */
export class CursorTrail {
  readonly #followed: Set<string>

  /** @param from cursor of the first page that is read; null is the beginning */
  constructor(from: string | null) {
    this.#followed = new Set(from === null ? [] : [from])
  }

  /** @returns `looped` if this cursor was followed before */
  follow(cursor: string | null): 'end' | 'next' | 'looped' {
    if (cursor === null) return 'end'
    if (this.#followed.has(cursor)) return 'looped'
    this.#followed.add(cursor)
    return 'next'
  }
}
