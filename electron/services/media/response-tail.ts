import type { Readable } from 'node:stream'

/** How long the rest of an answer waits for its reader. */
const MAX_WAIT_MS = 10_000

/**
 * The rest of an answer whose beginning was read: it waits, unread, until a reader reaches its
 * beginning.
 */
export interface ResponseTail {
  /** Offset of its first byte. */
  readonly offset: number
  readonly pieces: AsyncIterator<Buffer>
  readonly body: Readable
  readonly isGone: boolean
  /** Stops the clock; false if it is too late. */
  claim(): boolean
  drop(): void
}

export function createResponseTail(pieces: AsyncIterator<Buffer>, body: Readable, at: number): ResponseTail {
  let claimed = false
  const drop = (): void => {
    clearTimeout(timer)
    body.destroy()
  }
  const timer = setTimeout(drop, MAX_WAIT_MS)
  return {
    offset: at,
    pieces,
    body,
    get isGone() {
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
