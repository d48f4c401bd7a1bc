// Runs before anything else in the page and in each thread of the service and of the host: all
// clocks and timers of scripts run `globalThis.clockSpeed` times as fast and agree about the time.
{
  const speed = globalThis.clockSpeed
  const { setTimeout, setInterval, performance } = globalThis
  const RealDate = Date
  const began = globalThis.clockBegan
  const now = () => Math.round(began + (RealDate.now() - began) * speed)
  globalThis.Date = class Date extends RealDate {
    constructor(...parts) {
      if (parts.length === 0) super(now())
      else super(...parts)
    }
    static now = now
  }
  const elapsed = performance.now.bind(performance)
  performance.now = () => elapsed() * speed
  globalThis.setTimeout = (run, ms = 0, ...rest) => setTimeout(run, ms / speed, ...rest)
  globalThis.setInterval = (run, ms = 0, ...rest) => setInterval(run, ms / speed, ...rest)
  const { requestAnimationFrame, requestIdleCallback } = globalThis
  if (requestAnimationFrame)
    globalThis.requestAnimationFrame = (run) => requestAnimationFrame((timestamp) => run(timestamp * speed))
  if (requestIdleCallback)
    globalThis.requestIdleCallback = (run, { timeout } = {}) =>
      requestIdleCallback(run, timeout === undefined ? {} : { timeout: timeout / speed })
}
