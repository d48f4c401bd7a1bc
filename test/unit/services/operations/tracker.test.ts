import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
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
import { settledResult, startTracker } from '../../../support/services/operation-tracker.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Neutral jitter: pauses are what they are without it. */
const noJitter = () => vi.spyOn(Math, 'random').mockReturnValue(0.5)

const pauses = (asked: readonly { at: number }[], from: number): number[] =>
  asked.map(({ at }, place) => at - (asked[place - 1]?.at ?? from))

describe('a watched record', () => {
  test('is requested with its own request id, more and more slowly, until it is settled', async () => {
    noJitter()
    const { tracker, createRecord, requests, wait, script, ended } = startTracker()
    const one = createRecord('r-1')
    const from = Date.now()
    tracker.watch(one)
    expect(one.tracking).toBe('polling')
    await wait(60_000)
    expect(pauses(requests, from).slice(0, 9)).toEqual([500, 800, 1280, 2048, 3276, 5242, 8388, 10_000, 10_000])
    script.response = settledResult
    await wait(12_000)
    const before = requests.length
    await wait(60_000)
    tracker.watch(one)
    await wait(60_000)
    expect(requests).toHaveLength(before)
    expect(new Set(requests.map(({ endpoint, body }) => JSON.stringify([endpoint, body])))).toEqual(
      new Set(['["writing.pencilResult",{"requestId":"r-1"}]']),
    )
    expect(one).toMatchObject({ state: 'settled', tracking: 'ended', nextPollAt: null })
    expect(ended).toEqual(['r-1'])
  })

  test('does not check at the same moment as the others', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    script.response = null
    const from = Date.now()
    for (const id of Array.from({ length: 40 }, (_, at) => `r-${at}`)) tracker.watch(createRecord(id))
    await wait(610)
    const first = requests.map(({ at }) => at - from)
    expect(first).toHaveLength(40)
    expect(Math.min(...first)).toBeGreaterThanOrEqual(400)
    expect(Math.max(...first)).toBeLessThanOrEqual(600)
    expect(new Set(first).size).toBeGreaterThan(10)
  })

  test('has one poller, however often it is watched', async () => {
    noJitter()
    const { tracker, createRecord, requests, wait, script, concurrency } = startTracker()
    script.latencyMs = 300
    const one = createRecord('r-1')
    for (let times = 0; times < 3; times += 1) tracker.watch(one)
    await wait(600)
    tracker.watch(one)
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
    for (const id of Array.from({ length: 20 }, (_, at) => `r-${at}`)) tracker.watch(createRecord(id))
    await wait(6_000)
    expect(concurrency.max).toBe(4)
    expect([...records.all].map(({ state }) => state)).toEqual(Array(20).fill('settled'))
  })

  test('is none if no outcome can come: a plain write, a refusal, a request still being sent', async () => {
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

describe('while the host is away', () => {
  test('nothing is requested; when it is back, checks resume soon, from the short pause on', async () => {
    noJitter()
    const { tracker, createRecord, requests, wait, script } = startTracker()
    const one = createRecord('r-1')
    tracker.watch(one)
    await wait(20_000)
    const before = requests.length
    script.isOnline = false
    tracker.wake()
    expect(one).toMatchObject({ tracking: 'paused-offline', nextPollAt: null })
    await wait(120_000)
    expect(requests).toHaveLength(before)
    script.isOnline = true
    tracker.wake()
    expect(one).toMatchObject({ tracking: 'polling', nextPollAt: Date.now() + 500 })
    await wait(500)
    expect(requests).toHaveLength(before + 1)
  })

  test('a check that was due waits, even before the connection reports anything', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    const one = createRecord('r-1')
    tracker.watch(one)
    script.isOnline = false
    await wait(60_000)
    expect(requests).toEqual([])
    expect(one.tracking).toBe('paused-offline')
  })

  test('a newly watched record waits as well', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    script.isOnline = false
    const one = createRecord('r-1')
    tracker.watch(one)
    await wait(30_000)
    expect([requests, one.tracking]).toEqual([[], 'paused-offline'])
    script.isOnline = true
    script.response = settledResult
    tracker.wake()
    await wait(1_000)
    expect(one.state).toBe('settled')
  })

  test('irrelevant connection news neither hasten nor delay a check', async () => {
    const { tracker, createRecord, wait } = startTracker()
    const one = createRecord('r-1')
    tracker.watch(one)
    await wait(20_000)
    const { nextPollAt: nextLookAt } = one
    tracker.wake()
    expect(one.nextPollAt).toBe(nextLookAt)
  })
})

describe('a host that asks for a pause', () => {
  test.each([
    [7, 7_000],
    [3_600, 120_000],
  ])('of %i seconds gets it, up to two minutes', async (again, least) => {
    const { tracker, createRecord, requests, wait, script, failures } = startTracker()
    const one = createRecord('r-1')
    script.response = { status: 429, body: { error: { code: 'SCAN_BUSY', message: 'm' } }, retryAfterSeconds: again }
    tracker.watch(one)
    await wait(600)
    expect(requests).toHaveLength(1)
    expect(one.nextPollAt).toBe((requests[0]?.at ?? 0) + least)
    await wait(least - 700)
    expect(requests).toHaveLength(1)
    script.response = settledResult
    await wait(800)
    expect(one.state).toBe('settled')
    expect(one.events.filter(({ kind }) => kind === 'observation')).toHaveLength(1)
    expect(failures).toEqual([])
  })
})

test('a failed check is reported to the connection, is not an outcome, and is followed by another', async () => {
  const { tracker, createRecord, wait, script, failures } = startTracker()
  const one = createRecord('r-1')
  script.response = null
  tracker.watch(one)
  await wait(5_000)
  expect(failures.length).toBeGreaterThan(1)
  expect(one.events.map(({ kind }) => kind)).toEqual(['intent', 'sent', 'answer'])
  script.response = settledResult
  await wait(10_000)
  expect(one.state).toBe('settled')
})

test('a session command is checked only if the capabilities list its record', async () => {
  const { tracker, createRecord, requests, wait, script } = startTracker()
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
