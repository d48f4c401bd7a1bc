import { randomUUID } from 'node:crypto'
import { createRefusedError } from '../../shared/errors.ts'

/** A person could not decide on more writes at once. */
const MAX_WAITING_ASKS = 20

interface AskIdentity {
  readonly id: string
  readonly at: number
}

/** `refuse-unasked` means that the caller's own rule refuses the write without asking a person. */
export type AskDecision = 'send' | 'refuse' | 'refuse-unasked'

interface WaitingAsk<T> {
  readonly ask: T & AskIdentity
  readonly decide: (decision: AskDecision) => void
}

/** Writes of other programs that wait for a person's decision. */
export class AskQueue<T extends object> {
  readonly #waiting = new Map<string, WaitingAsk<T>>()
  readonly #onChange: () => void

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  get all(): (T & AskIdentity)[] {
    return [...this.#waiting.values()].map(({ ask }) => ask)
  }

  /** `gone` if `signal` aborts first, `full` if too many writes already wait. */
  waitForDecision(content: T, signal: AbortSignal): Promise<AskDecision | 'gone' | 'full'> {
    if (signal.aborted) return Promise.resolve('gone')
    if (this.#waiting.size >= MAX_WAITING_ASKS) return Promise.resolve('full')
    const id = randomUUID()
    return new Promise((resolve) => {
      const finish = (outcome: AskDecision | 'gone'): void => {
        signal.removeEventListener('abort', onAbort)
        if (!this.#waiting.delete(id)) return
        resolve(outcome)
        this.#onChange()
      }
      const onAbort = (): void => finish('gone')
      signal.addEventListener('abort', onAbort, { once: true })
      const ask = { ...content, id, at: Date.now() }
      this.#waiting.set(id, { ask, decide: finish })
      this.#onChange()
    })
  }

  /** @throws ASK_UNKNOWN when the write no longer waits */
  get(id: string): T & AskIdentity {
    return this.#find(id).ask
  }

  /** @throws ASK_UNKNOWN when the write no longer waits */
  decide(id: string, decision: AskDecision): void {
    this.#find(id).decide(decision)
  }

  #find(id: string): WaitingAsk<T> {
    const waiting = this.#waiting.get(id)
    if (!waiting) throw createRefusedError('ASK_UNKNOWN', 'This write no longer waits: it was decided, or given up.')
    return waiting
  }
}
