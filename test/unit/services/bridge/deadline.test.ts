import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startDeadline } from '../../../../electron/services/bridge/wire/deadline.ts'
import { testLimits } from '../../../support/services/test-client.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function started(limits: { connectTimeoutMs?: number; idleTimeoutMs?: number; totalTimeoutMs?: number }) {
  const fired: string[] = []
  const deadline = startDeadline({ ...testLimits, ...limits }, 'host', ({ code }) => fired.push(code ?? ''))
  return { deadline, fired }
}

test('safety 35: any traffic restarts the idle limit, and never the total one', () => {
  const { deadline, fired } = started({ idleTimeoutMs: 200, totalTimeoutMs: 1_000 })
  for (let at = 0; at < 1_000; at += 199) {
    deadline.recordProgress()
    expect(fired).toEqual([])
    vi.advanceTimersByTime(199)
  }
  expect(fired).toEqual(['TIMEOUT_TOTAL'])
})

test('safety 35: connecting has its own limit, which ends with the first traffic', () => {
  const { deadline, fired } = started({ connectTimeoutMs: 100, idleTimeoutMs: 500 })
  deadline.startConnecting()
  vi.advanceTimersByTime(99)
  deadline.recordProgress()
  vi.advanceTimersByTime(499)
  expect(fired).toEqual([])
  vi.advanceTimersByTime(1)
  expect(fired).toEqual(['TIMEOUT_IDLE'])
})

test('safety 35: the first of two limits counts, and a stopped one stays silent', () => {
  const { deadline, fired } = started({ connectTimeoutMs: 100, totalTimeoutMs: 200 })
  deadline.startConnecting()
  vi.advanceTimersByTime(1_000)
  expect(fired).toEqual(['TIMEOUT_CONNECT'])
  const other = started({ idleTimeoutMs: 100 })
  other.deadline.recordProgress()
  other.deadline.stop()
  other.deadline.recordProgress()
  vi.advanceTimersByTime(1_000_000)
  expect(other.fired).toEqual([])
})
