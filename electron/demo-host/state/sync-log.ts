import { randomUUID } from 'node:crypto'

interface SyncEvent {
  readonly sequence: number
  readonly kind: string
  readonly at: string
  readonly operationId?: string
}

/** The sequence number of the oldest event. */
const FIRST_SEQUENCE = 1
const INITIAL_LAST_SEQUENCE = 46
const INITIAL_LAST_EVENT_MS = Date.parse('2026-10-30T08:00:00Z')
const INITIAL_STEP_MS = 420_000
/** Sequence numbers that are missing from the history. */
const GAP = { from: 30, to: 33 }

/** The older synchronisation (observed §10); it grows when a client triggers a recheck. */
export class SyncLog {
  readonly #events: SyncEvent[] = []
  #last = INITIAL_LAST_SEQUENCE
  readonly #stepMs: number

  constructor(stepMs: number) {
    this.#stepMs = stepMs
    for (let sequence = FIRST_SEQUENCE; sequence <= INITIAL_LAST_SEQUENCE; sequence += 1) {
      if (sequence < GAP.from || sequence > GAP.to) {
        const time = new Date(INITIAL_LAST_EVENT_MS - (INITIAL_LAST_SEQUENCE - sequence) * INITIAL_STEP_MS)
        this.#events.push({ sequence, kind: sequence % 5 === 0 ? 'pull' : 'push', at: time.toISOString() })
      }
    }
  }

  get lastSequence(): number {
    return this.#last
  }

  /** Returns the events after a sequence number. `lastSequence` is the next cursor in any case. */
  getPage(after: number, limit: number): object {
    if (after > this.#last) {
      return { events: [], lastSequence: this.#last, hasMore: false, historyTruncated: false, cursorAhead: true }
    }
    const end = Math.min(after + limit, this.#last)
    const events = this.#events.filter(({ sequence }) => sequence > after && sequence <= end)
    return {
      events,
      lastSequence: end,
      hasMore: end < this.#last,
      historyTruncated: after < FIRST_SEQUENCE - 1,
      ...(events.length === 0 && end > after ? { cursorAdvancedPastGap: true } : {}),
    }
  }

  /** Starts a background operation that writes an event for each of its steps. */
  startOperation(kinds: readonly string[]): { operationId: string; startSequence: number } {
    const operationId = randomUUID().toUpperCase()
    const startSequence = this.#last
    kinds.forEach((kind, index) => {
      const timer = setTimeout(() => {
        this.#last += 1
        this.#events.push({ sequence: this.#last, kind, at: new Date().toISOString(), operationId })
      }, index * this.#stepMs)
      timer.unref()
    })
    return { operationId, startSequence }
  }
}
