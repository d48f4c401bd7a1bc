import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchResponsiveness } from '../../../shared/panel/responsiveness-watch.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function repeat(callback: () => void, intervalMs: number): () => void {
  const timer = setInterval(callback, intervalMs)
  return () => clearInterval(timer)
}

test('a page that does not respond for five seconds is reported once, and again when it responds', async () => {
  const reports: boolean[] = []
  let respond = (): void => undefined
  const end = watchResponsiveness({
    ping: () => new Promise<void>((resolve) => (respond = resolve)),
    onChange: (isResponding) => reports.push(isResponding),
    startInterval: repeat,
  })
  for (let second = 0; second < 20; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000)
    respond()
  }
  expect(reports).toEqual([])
  await vi.advanceTimersByTimeAsync(5_900)
  expect(reports).toEqual([])
  await vi.advanceTimersByTimeAsync(5_000)
  expect(reports).toEqual([false])
  respond()
  await vi.advanceTimersByTimeAsync(0)
  expect(reports).toEqual([false, true])
  end()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reports).toEqual([false, true])
})

test('a failed ping to a removed frame is not reported', async () => {
  const reports: boolean[] = []
  const end = watchResponsiveness({
    ping: () => Promise.reject(new Error('gone')),
    onChange: (isResponding) => reports.push(isResponding),
    startInterval: repeat,
  })
  await vi.advanceTimersByTimeAsync(30_000)
  expect(reports).toEqual([])
  end()
})
