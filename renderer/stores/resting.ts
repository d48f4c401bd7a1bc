/** Idle time of a page that has no frame to draw is longer than this, ms. */
const IDLE_MS = 20
/** Work that waits for the page to rest is done a part at a time at least this often, ms. */
const LATEST_MS = 300

/** Resolves once the page has nothing to draw, or after a while: what need not be done at once must not slow down a scroll. */
export async function resting(): Promise<void> {
  const latest = performance.now() + LATEST_MS
  // A page that nobody sees gets hardly any idle time.
  while (!document.hidden && performance.now() < latest) {
    const left = await new Promise<number>((resolve) => {
      requestIdleCallback((idle) => resolve(idle.timeRemaining()), { timeout: LATEST_MS })
    })
    if (left > IDLE_MS) return
  }
}
