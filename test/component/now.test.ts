import { afterEach, expect, test, vi } from 'vitest'
import { effectScope, nextTick } from 'vue'
import { useCurrentTime } from '../../renderer/components/current-time.ts'
import { setVisibility } from '../support/vue/visibility.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('the clock of a hidden page has no timer, and is correct as soon as the page is visible', async () => {
  vi.useFakeTimers({ now: 1_000_000 })
  const scope = effectScope()
  const now = scope.run(() => useCurrentTime())
  await nextTick()
  vi.advanceTimersByTime(20_000)
  expect(now?.value).toBe(1_020_000)
  await setVisibility('hidden')
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(3_600_000)
  expect(now?.value).toBe(1_020_000)
  await setVisibility('visible')
  expect(now?.value).toBe(4_620_000)
  vi.advanceTimersByTime(20_000)
  expect(now?.value).toBe(4_640_000)
  scope.stop()
  expect(vi.getTimerCount()).toBe(0)
})
