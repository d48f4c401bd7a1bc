import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { respond, fail, SESSION, sessionAck } from '../../../support/services/operation-events.ts'
import { noRecord, pendingResult, settledResult, startTracker } from '../../../support/services/operation-tracker.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

describe('command without an outcome', () => {
  test('is given up after a quarter of an hour, and can be resumed', async () => {
    const { tracker, createRecord, records, requests, wait, script, ended } = startTracker()
    const commit = createRecord('r-1')
    tracker.watch(commit)
    await wait(14 * 60_000)
    expect(commit.state).toBe('pending')
    await wait(90_000)
    expect(commit).toMatchObject({ state: 'given-up', tracking: 'ended' })
    expect(commit.events.at(-1)).toMatchObject({ kind: 'given-up', by: 'time-limit' })
    expect(ended).toEqual(['r-1'])
    const before = requests.length
    tracker.watch(commit)
    await wait(60_000)
    expect(requests).toHaveLength(before)
    records.append(commit, { kind: 'resumed', at: Date.now() })
    tracker.watch(commit)
    expect([commit.state, commit.tracking]).toEqual(['pending', 'polling'])
    script.response = settledResult
    await wait(1_000)
    expect(commit.state).toBe('settled')
  })

  test('is given up after a minute if it is a session command', async () => {
    const { tracker, createRecord, wait, script } = startTracker()
    script.routes = [{ method: 'GET', path: '/writing/context' }]
    script.response = { status: 200, body: { session: { runId: 'run' } } }
    const command = createRecord('s-1', { endpoint: SESSION, answer: sessionAck })
    tracker.watch(command)
    await wait(50_000)
    expect(command.state).toBe('pending')
    await wait(25_000)
    expect(command.events.at(-1)).toMatchObject({ kind: 'given-up', by: 'time-limit' })
  })

  test('has no time limit while no host can be asked', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    script.routes = [{ method: 'GET', path: '/writing/context' }]
    script.response = { status: 200, body: { session: { runId: 'run' } } }
    const command = createRecord('s-1', { endpoint: SESSION, answer: sessionAck })
    tracker.watch(command)
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
    expect(command.state).toBe('pending')
  })

  test('does not end by the time limit alone while the host is away, and is polled once more', async () => {
    const { tracker, createRecord, wait, script } = startTracker({ patienceMs: 5_000 })
    const commit = createRecord('r-1')
    tracker.watch(commit)
    script.isOnline = false
    tracker.wake()
    await wait(3_600_000)
    expect([commit.state, commit.tracking]).toEqual(['pending', 'paused-offline'])
    script.isOnline = true
    script.response = settledResult
    tracker.wake()
    await wait(1_000)
    expect(commit.state).toBe('settled')
  })
})

describe('a user', () => {
  test('stops watching at once, even during a check, whose result is dropped', async () => {
    const { tracker, createRecord, records, requests, wait, script, concurrency, ended } = startTracker()
    script.latencyMs = 3_000
    script.response = settledResult
    const commit = createRecord('r-1')
    tracker.watch(commit)
    await wait(1_000)
    expect(concurrency.current).toBe(1)
    records.append(commit, { kind: 'given-up', at: Date.now(), by: 'person' })
    tracker.stop(commit, 'stopped')
    await wait(1)
    expect(concurrency.current).toBe(0)
    await wait(60_000)
    expect(requests).toHaveLength(1)
    expect(commit).toMatchObject({ state: 'given-up', tracking: 'stopped', nextPollAt: null })
    expect(ended).toEqual([])
  })

  test('stops watching while the host is away, and it stays stopped when the host is back', async () => {
    const { tracker, createRecord, records, requests, wait, script } = startTracker()
    const commit = createRecord('r-1')
    script.isOnline = false
    tracker.watch(commit)
    records.append(commit, { kind: 'given-up', at: Date.now(), by: 'person' })
    tracker.stop(commit, 'stopped')
    script.isOnline = true
    tracker.wake()
    await wait(60_000)
    expect([requests, commit.tracking]).toEqual([[], 'stopped'])
  })
})

describe('host without a record of the command', () => {
  test('is believed after four consecutive checks if it never had a record, with one journal entry', async () => {
    const { tracker, createRecord, requests, wait, script, ended } = startTracker()
    const commit = createRecord('r-1', { answer: fail('maybe') })
    script.response = noRecord
    tracker.watch(commit)
    await wait(120_000)
    expect(requests).toHaveLength(4)
    expect(commit).toMatchObject({ state: 'unknown-no-record', tracking: 'ended' })
    expect(commit.events.filter(({ kind }) => kind === 'record-gone')).toHaveLength(1)
    expect(ended).toEqual(['r-1'])
  })

  test('counts as restarted if it is a different run', async () => {
    const { tracker, records, createRecord, wait, script } = startTracker()
    const commit = createRecord('r-1', { answer: fail('maybe') })
    records.observe(commit, { kind: 'host-restarted', at: 9, from: 'm', to: 'n' })
    script.response = noRecord
    tracker.watch(commit)
    await wait(120_000)
    expect(commit.state).toBe('unknown-host-restart')
  })

  test('may still create a record, which then counts', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    const commit = createRecord('r-1', { answer: fail('maybe') })
    script.response = noRecord
    tracker.watch(commit)
    while (requests.length < 3) await wait(100)
    script.response = pendingResult
    while (requests.length < 4) await wait(100)
    expect([commit.state, commit.tracking]).toEqual(['pending', 'polling'])
  })

  test('is believed at once if it had accepted the command', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    const commit = createRecord('r-1')
    script.response = noRecord
    tracker.watch(commit)
    await wait(120_000)
    expect(requests).toHaveLength(1)
    expect(commit).toMatchObject({ state: 'unknown-no-record', tracking: 'ended' })
  })

  test('is believed at once if an earlier check found the record', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    const commit = createRecord('r-1', { answer: fail('maybe') })
    tracker.watch(commit)
    await wait(700)
    script.response = { status: 410, body: null }
    await wait(120_000)
    expect(requests).toHaveLength(2)
    expect(commit).toMatchObject({ state: 'unknown-no-record', tracking: 'ended' })
  })

  test.each([
    [200, 'OPERATION_NOT_FOUND'],
    [422, 'UNKNOWN_REQUEST'],
    [400, 'RECORD_EXPIRED'],
  ])('is recognized by a code alone: %s %s', async (status, code) => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    const commit = createRecord('r-1')
    script.response = { status, body: { error: { code, message: 'm' } } }
    tracker.watch(commit)
    await wait(120_000)
    expect(requests).toHaveLength(1)
    expect(commit).toMatchObject({ state: 'unknown-no-record', tracking: 'ended' })
  })

  test('is different from a host without such a route, and from a response for another request', async () => {
    const { tracker, createRecord, requests, wait, script, failures } = startTracker()
    const commit = createRecord('r-1')
    tracker.watch(commit)
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
    expect([commit.state, commit.tracking]).toEqual(['pending', 'polling'])
    expect(failures.at(-1)?.wire.code).toBe('OTHER_REQUEST')
  })

  test('is different from a host that sends an empty response', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    const commit = createRecord('r-1', { answer: fail('maybe') })
    tracker.watch(commit)
    for (const says of [{ status: 500 }, { status: 401 }, null, { status: 200, body: '<h1>' }]) {
      script.response = says
      await wait(15_000)
    }
    expect(requests.length).toBeGreaterThan(4)
    expect(commit.tracking).toBe('polling')
    expect(commit.events.map(({ kind }) => kind)).not.toContain('record-gone')
  })

  test('is different from a session record without a request, which restarts the count of checks', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    script.routes = [{ method: 'GET', path: '/writing/context' }]
    const command = createRecord('s-1', {
      endpoint: SESSION,
      answer: respond({ state: 'accepted', persisted: true }),
    })
    tracker.watch(command)
    for (const [session, pollCount] of [
      [{ requestId: 'other' }, 3],
      [{ runId: 'run' }, 4],
      [{ requestId: 'other' }, 7],
    ] as const) {
      script.response = { status: 200, body: { session } }
      while (requests.length < pollCount) await wait(100)
    }
    expect([command.state, command.tracking]).toEqual(['pending', 'polling'])
  })

  test('is a reason to give up after four checks if the record is of another session command', async () => {
    const { tracker, createRecord, requests, wait, script } = startTracker()
    script.routes = [{ method: 'GET', path: '/writing/context' }]
    script.response = { status: 200, body: { session: { requestId: 'other' } } }
    const command = createRecord('s-1', {
      endpoint: SESSION,
      answer: respond({ state: 'accepted', persisted: true }),
    })
    tracker.watch(command)
    await wait(50_000)
    expect(requests).toHaveLength(4)
    expect(command.events.at(-1)).toMatchObject({ kind: 'given-up', by: 'no-confirmation' })
    expect(command.tracking).toBe('ended')
  })
})

test('a removed record is no longer polled when the connection changes', async () => {
  const { tracker, createRecord, records, requests, wait, script } = startTracker()
  const commit = createRecord('r-1')
  script.isOnline = false
  tracker.watch(commit)
  records.remove([commit])
  script.isOnline = true
  tracker.wake()
  await wait(60_000)
  expect(requests).toEqual([])
})

test('nothing is polled after the program ends, and a running check ends', async () => {
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
