// Runs in the page before anything else: records every task over 50 ms, and measures by the page's
// own clock.
window.bench = {
  longTasks: [],
  /** Longest task since the last call, ms; 0 = none over 50 ms. */
  longest() {
    const longest = Math.max(0, ...this.longTasks)
    this.longTasks = []
    return longest
  },
  painted: () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  /** Milliseconds from `act` until `isOnScreen` is true on screen. */
  async until(act, isOnScreen) {
    const started = performance.now()
    act()
    while (!isOnScreen()) await new Promise((resolve) => requestAnimationFrame(resolve))
    await new Promise((resolve) => requestAnimationFrame(resolve))
    return performance.now() - started
  },
  /** Calls `act` before each frame for `ms`; returns the ms between the frames. */
  async frames(ms, act) {
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const intervals = []
    const started = performance.now()
    let last = await nextFrame()
    while (intervals.length === 0 || performance.now() - started < ms) {
      act(performance.now() - started)
      const time = await nextFrame()
      intervals.push(time - last)
      last = time
    }
    return intervals
  },
  /** Scrolls from top to bottom in `ms`; returns frames per second. */
  async scroll(element, ms) {
    const started = performance.now()
    let frames = 0
    for (;;) {
      const part = (performance.now() - started) / ms
      if (part >= 1) {
        element.scrollTop = element.scrollHeight
        await this.painted()
        return (frames / ms) * 1000
      }
      element.scrollTop = part * (element.scrollHeight - element.clientHeight)
      frames += 1
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
  },
}
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.bench.longTasks.push(duration)
}).observe({ type: 'longtask' })
