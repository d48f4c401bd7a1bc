/** A controller that is aborted with the first of some signals. */
export interface Linked {
  readonly signal: AbortSignal
  abort(): void
  /** Lets go of the signals: they may live much longer. */
  unlink(): void
}

/**
 * `AbortSignal.any` would do, but in the Node that Electron 33 brings its signal may be collected while somebody still listens, and
 * it leaves a trace in each source for good.
 */
export function linked(...signals: readonly AbortSignal[]): Linked {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  for (const signal of signals) {
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  }
  return {
    signal: controller.signal,
    abort,
    unlink() {
      for (const signal of signals) signal.removeEventListener('abort', abort)
    },
  }
}
