import type { BridgeResponse } from '../types.ts'
import { NodeAbortController } from '../../../core/node-abort.ts'

/** A guess whose response nobody has taken is dropped after this time. */
const GUESS_LIFETIME_MS = 10_000
/** Maximum number of guesses that are running or waiting to be taken. */
const MAX_GUESSES = 4

type OnArrived = (bytes: Uint8Array) => void

interface Guess {
  readonly response: Promise<BridgeResponse>
  readonly abort: AbortController
  readonly timer: NodeJS.Timeout
  /** Bytes of the response, from their arrival until the guess is taken. */
  receivedBytes: Uint8Array | null
  onArrived: OnArrived | null
}

/**
 * Requests made ahead of time, so that the host prepares the next page of a listing while the
 * current one travels to the browser. A guess is taken at most once, by exactly the same request on
 * the same connection, or dropped.
 */
export class ReadAhead {
  readonly #guesses = new Map<string, Guess>()

  /** `request` must pass its second argument on as `BridgeRequest.onArrived`. */
  start(key: string, request: (signal: AbortSignal, onArrived: OnArrived) => Promise<BridgeResponse>): void {
    if (this.#guesses.has(key)) return
    const [oldest] = this.#guesses.keys()
    if (this.#guesses.size >= MAX_GUESSES && oldest !== undefined) this.#drop(oldest)
    const abort = new NodeAbortController()
    const timer = setTimeout(() => this.#drop(key), GUESS_LIFETIME_MS)
    timer.unref()
    const guess: Guess = {
      response: request(abort.signal, (bytes) => {
        if (guess.onArrived) guess.onArrived(bytes)
        else guess.receivedBytes = bytes
      }),
      abort,
      timer,
      receivedBytes: null,
      onArrived: null,
    }
    const { response } = guess
    this.#guesses.set(key, guess)
    // A failed guess is dropped, so the real request goes to the host.
    response.catch(() => this.#drop(key))
  }

  /** Takes a guess: now `signal` aborts it; `onArrived` is called when all bytes have arrived. */
  take(key: string, signal: AbortSignal, onArrived: OnArrived = () => undefined): Promise<BridgeResponse> | null {
    const guess = this.#guesses.get(key)
    if (!guess) return null
    this.#guesses.delete(key)
    clearTimeout(guess.timer)
    const abort = (): void => guess.abort.abort()
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    if (guess.receivedBytes) onArrived(guess.receivedBytes)
    else guess.onArrived = onArrived
    return guess.response.finally(() => signal.removeEventListener('abort', abort))
  }

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
