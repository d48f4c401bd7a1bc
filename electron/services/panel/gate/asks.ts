import { randomUUID } from 'node:crypto'
import { refused } from '../../../../shared/errors.ts'
import type { PanelAsk } from '../../../../shared/panel/panel.ts'

/** More writes of a page than this do not wait at once: nobody could decide on them. */
const MOST = 20

interface Waiting {
  readonly ask: PanelAsk
  readonly decide: (send: boolean) => void
}

/** Writes that wait for a person. `changed` is called whenever there are others than before. */
export class Asks {
  readonly #waiting = new Map<string, Waiting>()
  readonly #changed: () => void

  constructor(changed: () => void) {
    this.#changed = changed
  }

  get all(): PanelAsk[] {
    return [...this.#waiting.values()].map(({ ask }) => ask)
  }

  /** Resolves with the decision; false as well where the page gives up, or too many wait already. */
  wait(
    asked: Pick<PanelAsk, 'prepared' | 'changes'>,
    signal: AbortSignal,
  ): Promise<'send' | 'refuse' | 'gone' | 'full'> {
    if (signal.aborted) return Promise.resolve('gone')
    if (this.#waiting.size >= MOST) return Promise.resolve('full')
    const id = randomUUID()
    return new Promise((resolve) => {
      const end = (outcome: 'send' | 'refuse' | 'gone'): void => {
        signal.removeEventListener('abort', gone)
        if (!this.#waiting.delete(id)) return
        resolve(outcome)
        this.#changed()
      }
      const gone = (): void => end('gone')
      signal.addEventListener('abort', gone, { once: true })
      const ask = { id, at: Date.now(), ...asked }
      this.#waiting.set(id, { ask, decide: (send) => end(send ? 'send' : 'refuse') })
      this.#changed()
    })
  }

  /** Throws `ASK_UNKNOWN`. */
  decide(id: string, send: boolean): void {
    const waiting = this.#waiting.get(id)
    if (!waiting) throw refused('ASK_UNKNOWN', 'This write no longer waits: it was decided, or the page gave it up.')
    waiting.decide(send)
  }
}
