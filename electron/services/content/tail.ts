import type { Readable } from 'node:stream'

/** How long the rest of an answer waits for its reader. */
const PATIENCE_MS = 10_000

/** The rest of an answer whose beginning was read: it waits, unread, until a reader reaches its beginning. */
export interface Tail {
  /** Offset of its first byte. */
  readonly at: number
  readonly pieces: AsyncIterator<Buffer>
  readonly body: Readable
  readonly gone: boolean
  /** Stops the clock; false if it is too late. */
  claim(): boolean
  drop(): void
}

export function createTail(pieces: AsyncIterator<Buffer>, body: Readable, at: number): Tail {
  let claimed = false
  const drop = (): void => {
    clearTimeout(timer)
    body.destroy()
  }
  const timer = setTimeout(drop, PATIENCE_MS)
  return {
    at,
    pieces,
    body,
    get gone() {
      return claimed || body.destroyed
    },
    claim() {
      clearTimeout(timer)
      if (claimed || body.destroyed) return false
      claimed = true
      return true
    },
    drop,
  }
}
