import { randomUUID } from 'node:crypto'
import { createRefusedError } from '../../shared/errors.ts'

/** More writes than this do not wait at once: nobody could decide on them. */
const MAX_WAITING_ASKS = 20

interface Stamp {
  readonly id: string
  readonly at: number
}

/** `refuse-unasked`: whoever made the call refuses it without asking a person. */
export type AskDecision = 'send' | 'refuse' | 'refuse-unasked'

interface Waiting<T> {
  readonly ask: T & Stamp
  readonly decide: (decision: AskDecision) => void
}

/** Writes of somebody else that wait for a person. `changed` is called whenever there are others than before. */
export class AskQueue<T extends object> {
  readonly #waiting = new Map<string, Waiting<T>>()
  readonly #changed: () => void

  constructor(changed: () => void) {
    this.#changed = changed
  }

  get all(): (T & Stamp)[] {
    return [...this.#waiting.values()].map(({ ask }) => ask)
  }

  /** Resolves with the decision; `gone` where whoever asked gives up, `full` where too many wait already. */
  waitForDecision(asked: T, signal: AbortSignal): Promise<AskDecision | 'gone' | 'full'> {
    if (signal.aborted) return Promise.resolve('gone')
    if (this.#waiting.size >= MAX_WAITING_ASKS) return Promise.resolve('full')
    const id = randomUUID()
    return new Promise((resolve) => {
      const end = (outcome: AskDecision | 'gone'): void => {
        signal.removeEventListener('abort', gone)
        if (!this.#waiting.delete(id)) return
        resolve(outcome)
        this.#changed()
      }
      const gone = (): void => end('gone')
      signal.addEventListener('abort', gone, { once: true })
      const ask = { ...asked, id, at: Date.now() }
      this.#waiting.set(id, { ask, decide: end })
      this.#changed()
    })
  }

  /** Throws `ASK_UNKNOWN`. */
  get(id: string): T & Stamp {
    return this.#find(id).ask
  }

  /** Throws `ASK_UNKNOWN`. */
  decide(id: string, decision: AskDecision): void {
    this.#find(id).decide(decision)
  }

  #find(id: string): Waiting<T> {
    const waiting = this.#waiting.get(id)
    if (!waiting) throw createRefusedError('ASK_UNKNOWN', 'This write no longer waits: it was decided, or given up.')
    return waiting
  }
}
