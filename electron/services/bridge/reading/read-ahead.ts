import type { BridgeResponse } from '../types.ts'

/** An answer that nobody collects is dropped after this time. */
const GUESS_LIFETIME_MS = 10_000
/** Maximum number of guesses that are running or waiting to be collected. */
const MAX_AHEAD = 4

type OnArrived = (bytes: Uint8Array) => void

interface Guess {
  readonly answer: Promise<BridgeResponse>
  readonly abort: AbortController
  readonly timer: NodeJS.Timeout
  /** Its bytes, once they are here and as long as nobody took it. */
  arrived: Uint8Array | null
  onArrived: OnArrived | null
}

/**
 * Requests made ahead of time, so that the host is already working while the previous page travels to the page and is read there. Each
 * guess is either taken once, by exactly the same request on the same connection, or dropped.
 */
export class ReadAhead {
  readonly #guesses = new Map<string, Guess>()

  /** Starts the request that will probably come next. `onArrived` is to be called as `BridgeRequest.onArrived` is. */
  start(key: string, request: (signal: AbortSignal, onArrived: OnArrived) => Promise<BridgeResponse>): void {
    if (this.#guesses.has(key)) return
    const [oldest] = this.#guesses.keys()
    if (this.#guesses.size >= MAX_AHEAD && oldest !== undefined) this.#drop(oldest)
    const abort = new AbortController()
    const timer = setTimeout(() => this.#drop(key), GUESS_LIFETIME_MS)
    timer.unref()
    const guess: Guess = {
      answer: request(abort.signal, (bytes) => {
        if (guess.onArrived) guess.onArrived(bytes)
        else guess.arrived = bytes
      }),
      abort,
      timer,
      arrived: null,
      onArrived: null,
    }
    const { answer } = guess
    this.#guesses.set(key, guess)
    // A failed guess answers nobody: whoever asks then asks the host.
    answer.catch(() => this.#drop(key))
  }

  /** The guess for this request, if there is one; from now on `signal` ends it. `onArrived` is called once its bytes are here. */
  take(key: string, signal: AbortSignal, onArrived: OnArrived = () => undefined): Promise<BridgeResponse> | null {
    const guess = this.#guesses.get(key)
    if (!guess) return null
    this.#guesses.delete(key)
    clearTimeout(guess.timer)
    const end = (): void => guess.abort.abort()
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
    if (guess.arrived) onArrived(guess.arrived)
    else guess.onArrived = onArrived
    return guess.answer.finally(() => signal.removeEventListener('abort', end))
  }

  /** Ends everything that runs on a guess. */
  clear(): void {
    for (const key of [...this.#guesses.keys()]) this.#drop(key)
  }

  #drop(key: string): void {
    const guess = this.#guesses.get(key)
    if (!guess) return
    this.#guesses.delete(key)
    clearTimeout(guess.timer)
    guess.abort.abort()
  }
}
