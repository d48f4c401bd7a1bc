/** For so long the page asks for no file once it has those that its first paint waits for: it is busy with them. */
const QUIET_MS = 20
/** Whatever the page does. */
const LATEST_MS = 1_000

interface Lull {
  /** The page was sent a file, apart from the document itself. */
  sent(): void
  /** Resolves in the first lull after a file was sent, or when it has taken too long. */
  readonly come: Promise<void>
}

/**
 * When to begin what takes this process long: while the page is busy with the files of its first paint. Earlier, they would be sent late.
 */
export function awaitLull(): Lull {
  let come: () => void = () => undefined
  let quiet: NodeJS.Timeout | undefined
  const promise = new Promise<void>((resolve) => (come = resolve))
  const latest = setTimeout(come, LATEST_MS)
  void promise.then(() => clearTimeout(latest))
  return {
    sent() {
      clearTimeout(quiet)
      quiet = setTimeout(come, QUIET_MS)
    },
    come: promise,
  }
}
