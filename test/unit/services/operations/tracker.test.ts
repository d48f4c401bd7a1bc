import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'
import { createStoredOperation } from '../../../support/services/journal.ts'
import {
  respond,
  fail,
  intent,
  PENCIL,
  sentEvent,
  SESSION,
  sessionAck,
} from '../../../support/services/operation-events.ts'
import { noRecord, settledResult, startTracker } from '../../../support/services/operation-tracker.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Makes the jitter neutral, so that pauses have their nominal length. */
const disableJitter = () => vi.spyOn(Math, 'random').mockReturnValue(0.5)

const computePauses = (requests: readonly { at: number }[], startedAt: number): number[] =>
  requests.map(({ at }, index) => at - (requests[index - 1]?.at ?? startedAt))

describe('watched record', () => {
  test('is polled with its own request id, more and more slowly, until it is settled', async () => {
    disableJitter()
    const { tracker, createRecord, requests, wait, script, ended } = startTracker()
    const commit = createRecord('r-1')
    const from = Date.now()
    tracker.watch(commit)
    expect(commit.tracking).toBe('polling')
    await wait(60_000)
    expect(computePauses(requests, from).slice(0, 9)).toEqual([500, 800, 1280, 2048, 3276, 5242, 8388, 10_000, 10_000])
    script.response = settledResult
    await wait(12_000)
    const before = requests.length
    await wait(60_000)
    tracker.watch(commit)
    await wait(60_000)
    expect(requests).toHaveLength(before)
    expect(new Set(requests.map(({ endpoint, body }) => JSON.stringify([endpoint, body])))).toEqual(
      new Set(['["writing.pencilResult",{"requestId":"r-1"}]']),
    )
    expect(commit).toMatchObject({ state: 'settled', tracking: 'ended', nextPollAt: null })
    expect(ended).toEqual(['r-1'])
  })

  test('is not polled at the same moment as the others', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    script.response = null
    const from = Date.now()
    for (const id of Array.from({ length: 40 }, (_, index) => `r-${index}`)) tracker.watch(createRecord(id))
    await wait(610)
    const first = requests.map(({ at }) => at - from)
    expect(first).toHaveLength(40)
    expect(Math.min(...first)).toBeGreaterThanOrEqual(400)
    expect(Math.max(...first)).toBeLessThanOrEqual(600)
    expect(new Set(first).size).toBeGreaterThan(10)
  })

  test('has one poller, however often it is watched', async () => {
    disableJitter()
    const { tracker, createRecord, requests, wait, script, concurrency } = startTracker()
    script.latencyMs = 300
    const commit = createRecord('r-1')
    for (let times = 0; times < 3; times += 1) tracker.watch(commit)
    await wait(600)
    tracker.watch(commit)
    await wait(600)
    expect(requests).toHaveLength(1)
    await wait(10_000)
    expect(concurrency.max).toBe(1)
  })

  test('has one check at a time, even if its host goes and comes back during it', async () => {
    const { tracker, createRecord, requests, wait, script, concurrency } = startTracker()
    script.latencyMs = 8_000
    tracker.watch(createRecord('r-1'))
    await wait(1_000)
    expect(requests).toHaveLength(1)
    for (const online of [false, true]) {
      script.isOnline = online
      tracker.wake()
      await wait(1_500)
    }
    await wait(20_000)
    expect(concurrency.max).toBe(1)
    expect(requests.length).toBeGreaterThan(1)
  })

  test('waits for a slot if many are watched, and each gets its turn', async () => {
    const { tracker, createRecord, records, wait, script, concurrency } = startTracker()
    script.latencyMs = 700
    script.response = settledResult
    for (const id of Array.from({ length: 20 }, (_, index) => `r-${index}`)) tracker.watch(createRecord(id))
    await wait(6_000)
    expect(concurrency.max).toBe(4)
    expect([...records.all].map(({ state }) => state)).toEqual(Array(20).fill('settled'))
  })

  test('is not polled if no outcome can come: a plain write, a refusal, a request still being sent', async () => {
    const { tracker, createRecord, records, requests, wait } = startTracker()
    tracker.watch(createRecord('plain', { endpoint: 'notes.title', answer: fail('maybe') }))
    tracker.watch(createRecord('refused', { answer: respond({ error: { code: 'NO_SELECTION' } }, 409) }))
    const underWay = records.create(createStoredOperation('way', { endpoint: PENCIL, requestId: 'way' }), intent)
    records.append(underWay, sentEvent)
    tracker.watch(underWay)
    await wait(30_000)
    expect(requests).toEqual([])
  })
})

describe('watched record while the host is away', () => {
  test('is not polled until the host is back, and then after the short pause', async () => {
    disableJitter()
    const { tracker, createRecord, requests, wait, script } = startTracker()
    const commit = createRecord('r-1')
    tracker.watch(commit)
    await wait(20_000)
    const before = requests.length
    script.isOnline = false
    tracker.wake()
    expect(commit).toMatchObject({ tracking: 'paused-offline', nextPollAt: null })
    await wait(120_000)
    expect(requests).toHaveLength(before)
    script.isOnline = true
    tracker.wake()
    expect(commit).toMatchObject({ tracking: 'polling', nextPollAt: Date.now() + 500 })
    await wait(500)
    expect(requests).toHaveLength(before + 1)
  })

  test('is not polled even before the connection reports that the host is away', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    const commit = createRecord('r-1')
    tracker.watch(commit)
    script.isOnline = false
    await wait(60_000)
    expect(requests).toEqual([])
    expect(commit.tracking).toBe('paused-offline')
  })

  test('is not polled even if it is new', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    script.isOnline = false
    const commit = createRecord('r-1')
    tracker.watch(commit)
    await wait(30_000)
    expect([requests, commit.tracking]).toEqual([[], 'paused-offline'])
    script.isOnline = true
    script.response = settledResult
    tracker.wake()
    await wait(1_000)
    expect(commit.state).toBe('settled')
  })

  test('is polled neither earlier nor later for irrelevant connection events', async () => {
    const { tracker, createRecord, wait } = startTracker()
    const commit = createRecord('r-1')
    tracker.watch(commit)
    await wait(20_000)
    const { nextPollAt } = commit
    tracker.wake()
    expect(commit.nextPollAt).toBe(nextPollAt)
  })
})

describe('host that asks for a pause', () => {
  test.each([
    [7, 7_000],
    [3_600, 120_000],
  ])('gets %i seconds, up to two minutes', async (seconds, pauseMs) => {
    const { tracker, createRecord, requests, wait, script, failures } = startTracker()
    const commit = createRecord('r-1')
    script.response = { status: 429, body: { error: { code: 'SCAN_BUSY', message: 'm' } }, retryAfterSeconds: seconds }
    tracker.watch(commit)
    await wait(600)
    expect(requests).toHaveLength(1)
    expect(commit.nextPollAt).toBe((requests[0]?.at ?? 0) + pauseMs)
    await wait(pauseMs - 700)
    expect(requests).toHaveLength(1)
    script.response = settledResult
    await wait(800)
    expect(commit.state).toBe('settled')
    expect(commit.events.filter(({ kind }) => kind === 'observation')).toHaveLength(1)
    expect(failures).toEqual([])
  })
})

test('the wait that a host asks for with an acceptance or a pending result is kept', async () => {
  disableJitter()
  const { tracker, createRecord, requests, wait, script } = startTracker()
  const startedAt = Date.now()
  const acceptance = { ...respond({ state: 'pending' }, 202), at: startedAt, retryAfterSeconds: 2 }
  script.response = { status: 200, body: { settled: false }, retryAfterSeconds: 3 }
  tracker.watch(createRecord('r-1', { answer: acceptance as OperationEvent }))
  await wait(9_000)
  expect(computePauses(requests, startedAt)).toEqual([2_000, 3_000, 3_000])
})

test('every check is counted, also one that brings nothing new', async () => {
  const { tracker, createRecord, records, requests, wait, script } = startTracker()
  const commit = createRecord('r-1', { answer: fail('maybe') })
  for (const response of [{ status: 500 }, noRecord]) {
    script.response = response
    tracker.watch(commit)
    await wait(response === noRecord ? 120_000 : 600)
  }
  expect(commit.tracking).toBe('ended')
  expect(records.getSummary(commit).observations).toBe(requests.length)
})

test('a failed check is reported to the connection, is no outcome, and is followed by another', async () => {
  const { tracker, createRecord, wait, script, failures } = startTracker()
  const commit = createRecord('r-1')
  script.response = null
  tracker.watch(commit)
  await wait(5_000)
  expect(failures.length).toBeGreaterThan(1)
  expect(commit.events.map(({ kind }) => kind)).toEqual(['intent', 'sent', 'answer'])
  script.response = settledResult
  await wait(10_000)
  expect(commit.state).toBe('settled')
})

test('nothing is polled at a route that the host leaves out of its list', async () => {
  const { tracker, createRecord, requests, wait, script } = startTracker()
  script.routes = [{ method: 'GET', path: '/status' }]
  const commit = createRecord('c-1')
  tracker.watch(commit)
  await wait(1_000)
  expect([requests, commit.state]).toEqual([[], 'given-up'])
  const without = createRecord('s-1', { endpoint: SESSION, answer: sessionAck })
  tracker.watch(without)
  await wait(1_000)
  expect([requests, without.state]).toEqual([[], 'given-up'])
  script.routes = [{ method: 'GET', path: '/writing/context' }]
  script.response = { status: 200, body: { session: { requestId: 's-2' } } }
  const listed = createRecord('s-2', { endpoint: SESSION, answer: sessionAck })
  tracker.watch(listed)
  await wait(1_000)
  expect(requests.map(({ endpoint }) => endpoint)).toEqual(['writing.context'])
  expect(listed.state).toBe('recorded')
})
