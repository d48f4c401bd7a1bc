const EVERY_MS = 100
/** Records in one message at the most; a page that hears of more reads its list again. */
const MOST = 500

/** Tells of changed ids together, at most once in 100 ms, however many there are. */
export class Pusher {
  readonly #changed = new Set<string>()
  readonly #push: (ids: readonly string[]) => void
  #timer: NodeJS.Timeout | null = null
  #stopped = false

  constructor(push: (ids: readonly string[]) => void) {
    this.#push = push
  }

  /** Without an id: something went away. */
  soon(id?: string): void {
    if (this.#stopped) return
    if (id !== undefined) this.#changed.add(id)
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      const ids = [...this.#changed].slice(-MOST)
      this.#changed.clear()
      this.#push(ids)
    }, EVERY_MS)
  }

  stop(): void {
    this.#stopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }
}
