import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'
import type { Journal } from '../../journal/types.ts'

const RETRY_INTERVAL_MS = 5_000

/**
 * Events that were seen but could not be recorded yet, in order. Writing is retried automatically, and before anything else is written,
 * so that the journal never holds a later event of a record without the earlier ones.
 */
export class EventBacklog {
  readonly #waiting: (() => void)[] = []
  readonly #journal: Journal
  readonly #onUnwritten: (error: unknown) => void
  #timer: NodeJS.Timeout | null = null
  #closed = false

  constructor(journal: Journal, onUnwritten: (error: unknown) => void) {
    this.#journal = journal
    this.#onUnwritten = onUnwritten
  }

  append(id: string, place: number, event: OperationEvent): void {
    this.#write(() => this.#journal.append(id, place, event))
  }

  setSeen(id: string, seen: boolean): void {
    this.#write(() => this.#journal.setSeen(id, seen))
  }

  /** Writes everything that is waiting. Throws `JOURNAL_FAILED`. */
  flush(): void {
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      first()
      this.#waiting.shift()
    }
  }

  /** Tries one last time; what cannot be written now is lost with the program. */
  close(): void {
    this.#closed = true
    if (this.#timer) clearTimeout(this.#timer)
    try {
      this.flush()
    } catch (error) {
      this.#onUnwritten(error)
    }
  }

  #write(write: () => void): void {
    if (this.#closed) return
    this.#waiting.push(write)
    this.#try()
  }

  #try(): void {
    try {
      this.flush()
    } catch (error) {
      this.#onUnwritten(error)
      this.#timer ??= setTimeout(() => {
        this.#timer = null
        this.#try()
      }, RETRY_INTERVAL_MS).unref()
    }
  }
}
