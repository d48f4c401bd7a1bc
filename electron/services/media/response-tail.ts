import type { Readable } from 'node:stream'

/** How long the unread rest of a response waits for its reader. */
const MAX_WAIT_MS = 10_000

/** Unread rest of a response; it waits until a reader reaches its first byte. */
export interface ResponseTail {
  readonly offset: number
  readonly pieces: AsyncIterator<Buffer>
  readonly body: Readable
  readonly isGone: boolean
  /** Reserves the rest for one reader; false if it was already claimed or dropped. */
  claim(): boolean
  drop(): void
}

export function createResponseTail(pieces: AsyncIterator<Buffer>, body: Readable, offset: number): ResponseTail {
  let isClaimed = false
  const drop = (): void => {
    clearTimeout(timer)
    body.destroy()
  }
  const timer = setTimeout(drop, MAX_WAIT_MS)
  return {
    offset,
    pieces,
    body,
    get isGone() {
      return isClaimed || body.destroyed
    },
    claim() {
      clearTimeout(timer)
      if (isClaimed || body.destroyed) return false
      isClaimed = true
      return true
    },
    drop,
  }
}
