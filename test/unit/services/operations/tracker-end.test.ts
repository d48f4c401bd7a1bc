import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { answer, failure, SESSION, sessionAck } from '../../../support/services/operation-events.ts'
import { noRecord, pendingResult, settledResult, watched } from '../../../support/services/watched.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

describe('without an outcome', () => {
  test('a commit is given up after a quarter of an hour, and can be resumed', async () => {
    const { tracker, record, records, asked, wait, script, ended } = watched()
    const one = record('r-1')
    tracker.watch(one)
    await wait(14 * 60_000)
    expect(one.state).toBe('pending')
    await wait(90_000)
    expect(one).toMatchObject({ state: 'given-up', tracking: 'ended' })
    expect(one.events.at(-1)).toMatchObject({ kind: 'given-up', by: 'time-limit' })
    expect(ended).toEqual(['r-1'])
    const before = asked.length
    tracker.watch(one)
    await wait(60_000)
    expect(asked).toHaveLength(before)
    records.append(one, { kind: 'resumed', at: Date.now() })
    tracker.watch(one)
    expect([one.state, one.tracking]).toEqual(['pending', 'polling'])
    script.says = settledResult
    await wait(1_000)
    expect(one.state).toBe('settled')
  })

  test('a session command is given up after a minute', async () => {
    const { tracker, record, wait, script } = watched()
    script.routes = [{ method: 'GET', path: '/writing/context' }]
    script.says = { status: 200, body: { session: { runId: 'run' } } }
    const one = record('s-1', { endpoint: SESSION, answer: sessionAck })
    tracker.watch(one)
    await wait(50_000)
    expect(one.state).toBe('pending')
    await wait(25_000)
    expect(one.events.at(-1)).toMatchObject({ kind: 'given-up', by: 'time-limit' })
  })

  test('time without a host to ask does not count towards the limit', async () => {
    const { tracker, record, asked, wait, script } = watched()
    script.routes = [{ method: 'GET', path: '/writing/context' }]
    script.says = { status: 200, body: { session: { runId: 'run' } } }
    const one = record('s-1', { endpoint: SESSION, answer: sessionAck })
    tracker.watch(one)
    await wait(1_000)
    script.online = false
    tracker.wake()
    await wait(90_000)
    const before = asked.length
    script.online = true
    script.says = { status: 429, body: { error: { code: 'SCAN_BUSY' } }, again: 1 }
    tracker.wake()
    await wait(1_000)
    expect(asked).toHaveLength(before + 1)
    expect(one.state).toBe('pending')
  })

  test('the time limit alone ends nothing while the host is away: it is asked once more', async () => {
    const { tracker, record, wait, script } = watched({ patienceMs: 5_000 })
    const one = record('r-1')
    tracker.watch(one)
    script.online = false
    tracker.wake()
    await wait(3_600_000)
    expect([one.state, one.tracking]).toEqual(['pending', 'paused-offline'])
    script.online = true
    script.says = settledResult
    tracker.wake()
    await wait(1_000)
    expect(one.state).toBe('settled')
  })
})

describe('a user', () => {
  test('stops watching at once, even during a check, whose result is dropped', async () => {
    const { tracker, record, records, asked, wait, script, seen, ended } = watched()
    script.latencyMs = 3_000
    script.says = settledResult
    const one = record('r-1')
    tracker.watch(one)
    await wait(1_000)
    expect(seen.atOnce).toBe(1)
    records.append(one, { kind: 'given-up', at: Date.now(), by: 'person' })
    tracker.stop(one, 'stopped')
    await wait(1)
    expect(seen.atOnce).toBe(0)
    await wait(60_000)
    expect(asked).toHaveLength(1)
    expect(one).toMatchObject({ state: 'given-up', tracking: 'stopped', nextPollAt: null })
    expect(ended).toEqual([])
  })

  test('stops it while the host is away: it stays stopped when the host is back', async () => {
    const { tracker, record, records, asked, wait, script } = watched()
    const one = record('r-1')
    script.online = false
    tracker.watch(one)
    records.append(one, { kind: 'given-up', at: Date.now(), by: 'person' })
    tracker.stop(one, 'stopped')
    script.online = true
    tracker.wake()
    await wait(60_000)
    expect([asked, one.tracking]).toEqual([[], 'stopped'])
  })
})

describe('a host that has no record of it', () => {
  test('is trusted after four consecutive checks if it never had one, and journaled once', async () => {
    const { tracker, record, asked, wait, script, ended } = watched()
    const one = record('r-1', { answer: failure('maybe') })
    script.says = noRecord
    tracker.watch(one)
    await wait(120_000)
    expect(asked).toHaveLength(4)
    expect(one).toMatchObject({ state: 'unknown-no-record', tracking: 'ended' })
    expect(one.events.filter(({ kind }) => kind === 'record-gone')).toHaveLength(1)
    expect(ended).toEqual(['r-1'])
  })

  test('and is a different run: then it has restarted', async () => {
    const { tracker, records, record, wait, script } = watched()
    const one = record('r-1', { answer: failure('maybe') })
    records.observe(one, { kind: 'host-restarted', at: 9, from: 'm', to: 'n' })
    script.says = noRecord
    tracker.watch(one)
    await wait(120_000)
    expect(one.state).toBe('unknown-host-restart')
  })

  test('may still write one: what it says then counts', async () => {
    const { tracker, record, asked, wait, script } = watched()
    const one = record('r-1', { answer: failure('maybe') })
    script.says = noRecord
    tracker.watch(one)
    while (asked.length < 3) await wait(100)
    script.says = pendingResult
    while (asked.length < 4) await wait(100)
    expect([one.state, one.tracking]).toEqual(['pending', 'polling'])
  })

  test('is trusted at once if it had accepted it', async () => {
    const { tracker, record, asked, wait, script } = watched()
    const one = record('r-1')
    script.says = noRecord
    tracker.watch(one)
    await wait(120_000)
    expect(asked).toHaveLength(1)
    expect(one).toMatchObject({ state: 'unknown-no-record', tracking: 'ended' })
  })

  test('is trusted at once if a check had seen it, whatever became of the answer', async () => {
    const { tracker, record, asked, wait, script } = watched()
    const one = record('r-1', { answer: failure('maybe') })
    tracker.watch(one)
    await wait(700)
    script.says = { status: 410, body: null }
    await wait(120_000)
    expect(asked).toHaveLength(2)
    expect(one).toMatchObject({ state: 'unknown-no-record', tracking: 'ended' })
  })

  test.each([
    [200, 'OPERATION_NOT_FOUND'],
    [422, 'UNKNOWN_REQUEST'],
    [400, 'RECORD_EXPIRED'],
  ])('may say so by a code alone: %s %s', async (status, code) => {
    const { tracker, record, asked, wait, script } = watched()
    const one = record('r-1')
    script.says = { status, body: { error: { code, message: 'm' } } }
    tracker.watch(one)
    await wait(120_000)
    expect(asked).toHaveLength(1)
    expect(one).toMatchObject({ state: 'unknown-no-record', tracking: 'ended' })
  })

  test('is not meant by one without such a route, or by an answer for another request', async () => {
    const { tracker, record, asked, wait, script, failures } = watched()
    const one = record('r-1')
    tracker.watch(one)
    for (const [status, code] of [
      [404, 'ROUTE_NOT_FOUND'],
      [401, 'TOKEN_EXPIRED'],
      [503, 'DATABASE_CONNECTION_LOST'],
    ] as const) {
      script.says = { status, body: { error: { code, message: 'm' } } }
      await wait(15_000)
    }
    script.says = { status: 200, body: { requestId: 'other', settled: true, persistedSnapshotVerified: true } }
    await wait(15_000)
    expect(asked.length).toBeGreaterThan(4)
    expect([one.state, one.tracking]).toEqual(['pending', 'polling'])
    expect(failures.at(-1)?.wire.code).toBe('OTHER_REQUEST')
  })

  test('is not meant by an empty answer', async () => {
    const { tracker, record, asked, wait, script } = watched()
    const one = record('r-1', { answer: failure('maybe') })
    tracker.watch(one)
    for (const says of [{ status: 500 }, { status: 401 }, null, { status: 200, body: '<h1>' }]) {
      script.says = says
      await wait(15_000)
    }
    expect(asked.length).toBeGreaterThan(4)
    expect(one.tracking).toBe('polling')
    expect(one.events.map(({ kind }) => kind)).not.toContain('record-gone')
  })

  test('a session record that names nobody is neither, and the checks are counted from the start', async () => {
    const { tracker, record, asked, wait, script } = watched()
    script.routes = [{ method: 'GET', path: '/writing/context' }]
    const one = record('s-1', { endpoint: SESSION, answer: answer({ state: 'accepted', persisted: true }) })
    tracker.watch(one)
    for (const [session, looks] of [
      [{ requestId: 'other' }, 3],
      [{ runId: 'run' }, 4],
      [{ requestId: 'other' }, 7],
    ] as const) {
      script.says = { status: 200, body: { session } }
      while (asked.length < looks) await wait(100)
    }
    expect([one.state, one.tracking]).toEqual(['pending', 'polling'])
  })

  test('but one of another session command is given up after four checks', async () => {
    const { tracker, record, asked, wait, script } = watched()
    script.routes = [{ method: 'GET', path: '/writing/context' }]
    script.says = { status: 200, body: { session: { requestId: 'other' } } }
    const one = record('s-1', { endpoint: SESSION, answer: answer({ state: 'accepted', persisted: true }) })
    tracker.watch(one)
    await wait(50_000)
    expect(asked).toHaveLength(4)
    expect(one.events.at(-1)).toMatchObject({ kind: 'given-up', by: 'no-confirmation' })
    expect(one.tracking).toBe('ended')
  })
})

test('a removed record is not requested any more when the connection changes', async () => {
  const { tracker, record, records, asked, wait, script } = watched()
  const one = record('r-1')
  script.online = false
  tracker.watch(one)
  records.remove([one])
  script.online = true
  tracker.wake()
  await wait(60_000)
  expect(asked).toEqual([])
})

test('after the program ends nothing is requested, and a running check ends', async () => {
  const { tracker, record, asked, wait, script, seen } = watched()
  script.latencyMs = 5_000
  tracker.watch(record('r-1'))
  tracker.watch(record('r-2'))
  await wait(1_000)
  expect(seen.atOnce).toBe(2)
  tracker.dispose()
  await wait(1)
  expect(seen.atOnce).toBe(0)
  await wait(60_000)
  expect(asked).toHaveLength(2)
})
