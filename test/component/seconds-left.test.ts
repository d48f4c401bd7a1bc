import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { effectScope, nextTick, ref, type EffectScope } from 'vue'
import { useSecondsLeft } from '../../renderer/components/seconds-left.ts'
import { setVisibility } from '../support/vue/visibility.ts'

let scope: EffectScope
beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  scope = effectScope()
})
afterEach(() => {
  scope.stop()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const leftUntil = (getDeadline: () => number) => scope.run(() => useSecondsLeft(getDeadline)) ?? ref(NaN)

test('the countdown wakes the page once per second, and stops at its end', () => {
  const left = leftUntil(() => 1_002_400)
  const observations = [left.value]
  let woken = 0
  for (; vi.getTimerCount() > 0; woken += 1) {
    vi.advanceTimersToNextTimer()
    observations.push(left.value)
  }
  expect(observations).toEqual([3, 2, 1, 0])
  expect(woken).toBe(3)
})

test('the countdown follows its end time', async () => {
  const deadline = ref(1_001_000)
  const left = leftUntil(() => deadline.value)
  vi.advanceTimersByTime(1_000)
  expect(left.value).toBe(0)
  deadline.value = 1_011_000
  await nextTick()
  expect(left.value).toBe(10)
})

test('the countdown pauses while the page is hidden, and is correct at once when it is visible again', async () => {
  const left = leftUntil(() => 1_010_000)
  await setVisibility('hidden')
  expect(vi.getTimerCount()).toBe(0)
  vi.setSystemTime(1_004_000)
  await setVisibility('visible')
  expect(left.value).toBe(6)
})

test('the countdown stops with its component', () => {
  leftUntil(() => 1_010_000)
  scope.stop()
  expect(vi.getTimerCount()).toBe(0)
})
