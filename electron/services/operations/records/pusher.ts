const EVERY_MS = 100
/** Maximum records in one message; a page that hears of more reads its list again. */
const MOST = 500

/** Reports changed ids together, at most once in 100 ms, however many there are. */
export class Pusher {
  readonly #changed = new Set<string>()
  readonly #push: (ids: readonly string[], complete: boolean) => void
  #timer: NodeJS.Timeout | null = null
  #stopped = false

  /** `complete` tells `push` whether these are all that have changed. */
  constructor(push: (ids: readonly string[], complete: boolean) => void) {
    this.#push = push
  }

  soon(id: string): void {
    if (this.#stopped) return
    this.#changed.add(id)
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      const ids = [...this.#changed]
      this.#changed.clear()
      this.#push(ids.slice(-MOST), ids.length <= MOST)
    }, EVERY_MS)
  }

  stop(): void {
    this.#stopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }
}
