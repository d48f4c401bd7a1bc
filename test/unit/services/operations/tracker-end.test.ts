import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { respond, fail, SESSION, sessionAck } from '../../../support/services/operation-events.ts'
import { noRecord, pendingResult, settledResult, startTracker } from '../../../support/services/operation-tracker.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

describe('without an outcome', () => {
  test('a commit is given up after a quarter of an hour, and can be resumed', async () => {
    const { tracker, createRecord, records, requests, wait, script, ended } = startTracker()
    const one = createRecord('r-1')
    tracker.watch(one)
    await wait(14 * 60_000)
    expect(one.state).toBe('pending')
    await wait(90_000)
    expect(one).toMatchObject({ state: 'given-up', tracking: 'ended' })
    expect(one.events.at(-1)).toMatchObject({ kind: 'given-up', by: 'time-limit' })
    expect(ended).toEqual(['r-1'])
    const before = requests.length
    tracker.watch(one)
    await wait(60_000)
    expect(requests).toHaveLength(before)
    records.append(one, { kind: 'resumed', at: Date.now() })
    tracker.watch(one)
    expect([one.state, one.tracking]).toEqual(['pending', 'polling'])
    script.response = settledResult
    await wait(1_000)
    expect(one.state).toBe('settled')
  })

  test('a session command is given up after a minute', async () => {
    const { tracker, createRecord, wait, script } = startTracker()
    script.routes = [{ method: 'GET', path: '/writing/context' }]
    script.response = { status: 200, body: { session: { runId: 'run' } } }
    const one = createRecord('s-1', { endpoint: SESSION, answer: sessionAck })
    tracker.watch(one)
    await wait(50_000)
    expect(one.state).toBe('pending')
    await wait(25_000)
    expect(one.events.at(-1)).toMatchObject({ kind: 'given-up', by: 'time-limit' })
  })

  test('time without a host to ask does not count towards the limit', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    script.routes = [{ method: 'GET', path: '/writing/context' }]
    script.response = { status: 200, body: { session: { runId: 'run' } } }
    const one = createRecord('s-1', { endpoint: SESSION, answer: sessionAck })
    tracker.watch(one)
    await wait(1_000)
    script.isOnline = false
    tracker.wake()
    await wait(90_000)
    const before = requests.length
    script.isOnline = true
    script.response = { status: 429, body: { error: { code: 'SCAN_BUSY' } }, retryAfterSeconds: 1 }
    tracker.wake()
    await wait(1_000)
    expect(requests).toHaveLength(before + 1)
    expect(one.state).toBe('pending')
  })

  test('the time limit alone ends nothing while the host is away: it is asked once more', async () => {
    const { tracker, createRecord, wait, script } = startTracker({ patienceMs: 5_000 })
    const one = createRecord('r-1')
    tracker.watch(one)
    script.isOnline = false
    tracker.wake()
    await wait(3_600_000)
    expect([one.state, one.tracking]).toEqual(['pending', 'paused-offline'])
    script.isOnline = true
    script.response = settledResult
    tracker.wake()
    await wait(1_000)
    expect(one.state).toBe('settled')
  })
})

describe('a user', () => {
  test('stops watching at once, even during a check, whose result is dropped', async () => {
    const { tracker, createRecord, records, requests, wait, script, concurrency, ended } = startTracker()
    script.latencyMs = 3_000
    script.response = settledResult
    const one = createRecord('r-1')
    tracker.watch(one)
    await wait(1_000)
    expect(concurrency.current).toBe(1)
    records.append(one, { kind: 'given-up', at: Date.now(), by: 'person' })
    tracker.stop(one, 'stopped')
    await wait(1)
    expect(concurrency.current).toBe(0)
    await wait(60_000)
    expect(requests).toHaveLength(1)
    expect(one).toMatchObject({ state: 'given-up', tracking: 'stopped', nextPollAt: null })
    expect(ended).toEqual([])
  })

  test('stops it while the host is away: it stays stopped when the host is back', async () => {
    const { tracker, createRecord, records, requests, wait, script } = startTracker()
    const one = createRecord('r-1')
    script.isOnline = false
    tracker.watch(one)
    records.append(one, { kind: 'given-up', at: Date.now(), by: 'person' })
    tracker.stop(one, 'stopped')
    script.isOnline = true
    tracker.wake()
    await wait(60_000)
    expect([requests, one.tracking]).toEqual([[], 'stopped'])
  })
})

describe('a host that has no record of it', () => {
  test('is trusted after four consecutive checks if it never had one, and journaled once', async () => {
    const { tracker, createRecord, requests, wait, script, ended } = startTracker()
    const one = createRecord('r-1', { answer: fail('maybe') })
    script.response = noRecord
    tracker.watch(one)
    await wait(120_000)
    expect(requests).toHaveLength(4)
    expect(one).toMatchObject({ state: 'unknown-no-record', tracking: 'ended' })
    expect(one.events.filter(({ kind }) => kind === 'record-gone')).toHaveLength(1)
    expect(ended).toEqual(['r-1'])
  })

  test('and is a different run: then it has restarted', async () => {
    const { tracker, records, createRecord, wait, script } = startTracker()
    const one = createRecord('r-1', { answer: fail('maybe') })
    records.observe(one, { kind: 'host-restarted', at: 9, from: 'm', to: 'n' })
    script.response = noRecord
    tracker.watch(one)
    await wait(120_000)
    expect(one.state).toBe('unknown-host-restart')
  })

  test('may still write one: what it says then counts', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    const one = createRecord('r-1', { answer: fail('maybe') })
    script.response = noRecord
    tracker.watch(one)
    while (requests.length < 3) await wait(100)
    script.response = pendingResult
    while (requests.length < 4) await wait(100)
    expect([one.state, one.tracking]).toEqual(['pending', 'polling'])
  })

  test('is trusted at once if it had accepted it', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    const one = createRecord('r-1')
    script.response = noRecord
    tracker.watch(one)
    await wait(120_000)
    expect(requests).toHaveLength(1)
    expect(one).toMatchObject({ state: 'unknown-no-record', tracking: 'ended' })
  })

  test('is trusted at once if a check had seen it, whatever became of the answer', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    const one = createRecord('r-1', { answer: fail('maybe') })
    tracker.watch(one)
    await wait(700)
    script.response = { status: 410, body: null }
    await wait(120_000)
    expect(requests).toHaveLength(2)
    expect(one).toMatchObject({ state: 'unknown-no-record', tracking: 'ended' })
  })

  test.each([
    [200, 'OPERATION_NOT_FOUND'],
    [422, 'UNKNOWN_REQUEST'],
    [400, 'RECORD_EXPIRED'],
  ])('may say so by a code alone: %s %s', async (status, code) => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    const one = createRecord('r-1')
    script.response = { status, body: { error: { code, message: 'm' } } }
    tracker.watch(one)
    await wait(120_000)
    expect(requests).toHaveLength(1)
    expect(one).toMatchObject({ state: 'unknown-no-record', tracking: 'ended' })
  })

  test('is not meant by one without such a route, or by an answer for another request', async () => {
    const { tracker, createRecord, requests, wait, script, failures } = startTracker()
    const one = createRecord('r-1')
    tracker.watch(one)
    for (const [status, code] of [
      [404, 'ROUTE_NOT_FOUND'],
      [401, 'TOKEN_EXPIRED'],
      [503, 'DATABASE_CONNECTION_LOST'],
    ] as const) {
      script.response = { status, body: { error: { code, message: 'm' } } }
      await wait(15_000)
    }
    script.response = { status: 200, body: { requestId: 'other', settled: true, persistedSnapshotVerified: true } }
    await wait(15_000)
    expect(requests.length).toBeGreaterThan(4)
    expect([one.state, one.tracking]).toEqual(['pending', 'polling'])
    expect(failures.at(-1)?.wire.code).toBe('OTHER_REQUEST')
  })

  test('is not meant by an empty answer', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    const one = createRecord('r-1', { answer: fail('maybe') })
    tracker.watch(one)
    for (const says of [{ status: 500 }, { status: 401 }, null, { status: 200, body: '<h1>' }]) {
      script.response = says
      await wait(15_000)
    }
    expect(requests.length).toBeGreaterThan(4)
    expect(one.tracking).toBe('polling')
    expect(one.events.map(({ kind }) => kind)).not.toContain('record-gone')
  })

  test('a session record that names nobody is neither, and the checks are counted from the start', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    script.routes = [{ method: 'GET', path: '/writing/context' }]
    const one = createRecord('s-1', {
      endpoint: SESSION,
      answer: respond({ state: 'accepted', persisted: true }),
    })
    tracker.watch(one)
    for (const [session, looks] of [
      [{ requestId: 'other' }, 3],
      [{ runId: 'run' }, 4],
      [{ requestId: 'other' }, 7],
    ] as const) {
      script.response = { status: 200, body: { session } }
      while (requests.length < looks) await wait(100)
    }
    expect([one.state, one.tracking]).toEqual(['pending', 'polling'])
  })

  test('but one of another session command is given up after four checks', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    script.routes = [{ method: 'GET', path: '/writing/context' }]
    script.response = { status: 200, body: { session: { requestId: 'other' } } }
    const one = createRecord('s-1', {
      endpoint: SESSION,
      answer: respond({ state: 'accepted', persisted: true }),
    })
    tracker.watch(one)
    await wait(50_000)
    expect(requests).toHaveLength(4)
    expect(one.events.at(-1)).toMatchObject({ kind: 'given-up', by: 'no-confirmation' })
    expect(one.tracking).toBe('ended')
  })
})

test('a removed record is not requested any more when the connection changes', async () => {
  const { tracker, createRecord, records, requests, wait, script } = startTracker()
  const one = createRecord('r-1')
  script.isOnline = false
  tracker.watch(one)
  records.remove([one])
  script.isOnline = true
  tracker.wake()
  await wait(60_000)
  expect(requests).toEqual([])
})

test('after the program ends nothing is requested, and a running check ends', async () => {
  const { tracker, createRecord, requests, wait, script, concurrency } = startTracker()
  script.latencyMs = 5_000
  tracker.watch(createRecord('r-1'))
  tracker.watch(createRecord('r-2'))
  await wait(1_000)
  expect(concurrency.current).toBe(2)
  tracker.dispose()
  await wait(1)
  expect(concurrency.current).toBe(0)
  await wait(60_000)
  expect(requests).toHaveLength(2)
})
