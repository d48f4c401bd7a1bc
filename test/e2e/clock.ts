import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Page } from '@playwright/test'
import type { RunningApp } from './fixtures.ts'

const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-clock-')), 'ahead')

/** The environment of an app whose clock a spec moves, for `test.use`. */
export const movable = {
  NODE_OPTIONS: `--import=${new URL('./moved-clock.mjs', import.meta.url).href}`,
  MOVED_CLOCK: file,
}

/**
 * Sets the clocks of the services ahead, as if time had passed, for the rest of the spec; their
 * timers run on as they did. A negative time sets back only the clock that people see.
 */
export async function setAhead(app: RunningApp, ms: number): Promise<void> {
  if (app.mode === 'browser') return writeFileSync(file, String(ms))
  await app.electron.evaluate((_electron, by) => {
    const { now } = Date
    Date.now = () => now() + by
    const elapsed = performance.now.bind(performance)
    performance.now = () => elapsed() + Math.max(0, by)
  }, ms)
}

/**
 * Stops the timers of the page, so that delayed updates stay delayed however slow the machine is.
 * Returns a function that starts the timers again.
 */
export async function stopTimers(page: Page): Promise<() => Promise<void>> {
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 1_000)
  return () => page.clock.resume()
}
