import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'
import type { Journal } from '../../journal/types.ts'

const RETRY_INTERVAL_MS = 5_000

/**
 * Events that were observed but could not be journaled yet, in order. Writing is retried
 * automatically and before every later write, so the journal never holds a later event of a record
 * without the earlier ones.
 */
export class EventBacklog {
  readonly #pendingWrites: (() => void)[] = []
  readonly #journal: Journal
  readonly #onUnwritten: (error: unknown) => void
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(journal: Journal, onUnwritten: (error: unknown) => void) {
    this.#journal = journal
    this.#onUnwritten = onUnwritten
  }

  append(id: string, position: number, event: OperationEvent): void {
    this.#write(() => this.#journal.append(id, position, event))
  }

  setSeen(id: string, isSeen: boolean): void {
    this.#write(() => this.#journal.setSeen(id, isSeen))
  }

  /** @throws JOURNAL_FAILED when a write fails; it and all later ones stay pending */
  flush(): void {
    for (let write = this.#pendingWrites[0]; write; write = this.#pendingWrites[0]) {
      write()
      this.#pendingWrites.shift()
    }
  }

  /** Tries once more to write the pending events. Others are lost when the program ends. */
  close(): void {
    this.#isClosed = true
    if (this.#timer) clearTimeout(this.#timer)
    try {
      this.flush()
    } catch (error) {
      this.#onUnwritten(error)
    }
  }

  #write(write: () => void): void {
    if (this.#isClosed) return
    this.#pendingWrites.push(write)
    this.#tryFlush()
  }

  #tryFlush(): void {
    try {
      this.flush()
    } catch (error) {
      this.#onUnwritten(error)
      this.#timer ??= setTimeout(() => {
        this.#timer = null
        this.#tryFlush()
      }, RETRY_INTERVAL_MS).unref()
    }
  }
}
