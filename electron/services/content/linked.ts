/** A controller that is aborted by the first of several signals. */
interface Linked {
  readonly signal: AbortSignal
  abort(): void
  /** Unsubscribes from the signals, which may live much longer. */
  unlink(): void
}

/**
 * `AbortSignal.any` would do, but in Electron 33's Node its signal may be collected while somebody is still listening, and it leaves a
 * permanent trace in each source.
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
