import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startDeadline } from '../../../../electron/services/bridge/wire/deadline.ts'
import { testLimits } from '../../../support/services/test-client.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function createDeadline(limits: { connectTimeoutMs?: number; idleTimeoutMs?: number; totalTimeoutMs?: number }) {
  const fired: string[] = []
  const deadline = startDeadline({ ...testLimits, ...limits }, 'host', ({ code }) => fired.push(code ?? ''))
  return { deadline, fired }
}

test('safety 35: restarts the idle limit with any traffic, and never the total limit', () => {
  const { deadline, fired } = createDeadline({ idleTimeoutMs: 200, totalTimeoutMs: 1_000 })
  for (let elapsedMs = 0; elapsedMs < 1_000; elapsedMs += 199) {
    deadline.recordProgress()
    expect(fired).toEqual([])
    vi.advanceTimersByTime(199)
  }
  expect(fired).toEqual(['TIMEOUT_TOTAL'])
})

test('safety 35: limits connecting separately until the first traffic', () => {
  const { deadline, fired } = createDeadline({ connectTimeoutMs: 100, idleTimeoutMs: 500 })
  deadline.startConnecting()
  vi.advanceTimersByTime(99)
  deadline.recordProgress()
  vi.advanceTimersByTime(499)
  expect(fired).toEqual([])
  vi.advanceTimersByTime(1)
  expect(fired).toEqual(['TIMEOUT_IDLE'])
})

test('safety 35: fires the first of two limits, and nothing once it is stopped', () => {
  const { deadline, fired } = createDeadline({ connectTimeoutMs: 100, totalTimeoutMs: 200 })
  deadline.startConnecting()
  vi.advanceTimersByTime(1_000)
  expect(fired).toEqual(['TIMEOUT_CONNECT'])
  const other = createDeadline({ idleTimeoutMs: 100 })
  other.deadline.recordProgress()
  other.deadline.stop()
  other.deadline.recordProgress()
  vi.advanceTimersByTime(1_000_000)
  expect(other.fired).toEqual([])
})
