import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { BridgeClient, BridgeRequest, Outcome } from '../../../../electron/services/bridge/types.ts'
import { noJournal } from '../../../../electron/services/journal/none.ts'
import type { Here } from '../../../../electron/services/operations/here.ts'
import type { OperationRecord } from '../../../../electron/services/operations/record.ts'
import { Records } from '../../../../electron/services/operations/records.ts'
import { Tracker } from '../../../../electron/services/operations/tracker.ts'
import type { OperationEvent } from '../../../../shared/bridge/operation-states.ts'
import { AppError } from '../../../../shared/errors.ts'
import { storedOperation } from '../../../support/journal.ts'
import { ack, intent, PENCIL, sent } from '../../../support/operation-events.ts'
import { surroundings } from '../../../support/services.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const answer = (status: number, value: unknown, retryAfterSeconds: number | null = null): Outcome => ({
  kind: 'answer',
  status,
  value,
  exchangeId: 'x',
  durationMs: 1,
  retryAfterSeconds,
})
const pending = answer(200, { state: 'pending', settled: false })
const settled = answer(200, { settled: true, outcome: 'saved', persistedSnapshotVerified: true })
const gone = answer(404, { error: { code: 'OPERATION_NOT_FOUND', message: 'm' } })
const offline = new AppError({ kind: 'offline', code: 'CONNECTION_REFUSED', message: 'nobody', retryable: true })

/** A tracker before a host that answers what the test says; times are those of the test's clock. */
function watching(options: { patienceMs?: number } = {}) {
  const state = { online: true, next: pending, hold: false }
  const asked: { at: number; body: BridgeRequest['body'] }[] = []
  const started = Date.now()
  let underWay = 0
  let most = 0
  const client = {
    async once(_target: unknown, { body }: BridgeRequest): Promise<Outcome> {
      asked.push({ at: Date.now() - started, body })
      most = Math.max(most, (underWay += 1))
      if (state.hold) await new Promise((resolve) => setTimeout(resolve, 3_000))
      underWay -= 1
      return state.next
    },
  } as unknown as BridgeClient
  const { bus } = surroundings()
  const records = new Records({ journal: noJournal('test'), bus, onUnwritten: () => undefined })
  const ended: string[] = []
  const failures: AppError[] = []
  const tracker = new Tracker({
    client,
    records,
    reachable: () => (state.online ? ({ target: {} } as Here) : null),
    onEnded: ({ id }) => ended.push(id),
    onFailure: (error) => failures.push(error),
    ...options,
  })
  const record = (id = 'o', events: readonly OperationEvent[] = [sent, ack]): OperationRecord => {
    const made = records.create(storedOperation(id, { endpoint: PENCIL, requestId: `r-${id}` }), intent)
    for (const event of events) records.observe(made, event)
    return made
  }
  return { state, asked, tracker, records, record, ended, failures, most: () => most }
}
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

describe('an unfinished record', () => {
  test('is looked at with its own request id, first after half a second, then slower, at the most every ten seconds', async () => {
    const { tracker, record, asked } = watching()
    tracker.watch(record())
    await pass(120_000)
    expect(asked.every(({ body }) => JSON.stringify(body) === '{"requestId":"r-o"}')).toBe(true)
    const pauses = asked.map(({ at }, n) => at - (asked[n - 1]?.at ?? 0))
    expect(pauses[0]).toBeGreaterThanOrEqual(400)
    expect(pauses[0]).toBeLessThanOrEqual(600)
    expect(Math.max(...pauses)).toBeLessThanOrEqual(12_000)
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(8_000)
    expect(new Set(pauses.slice(-5)).size).toBeGreaterThan(1)
  })

  test('has one poller, however often it is asked to be watched, and never two looks at once', async () => {
    const { tracker, record, state, most } = watching()
    state.hold = true
    const one = record()
    for (let n = 0; n < 5; n += 1) tracker.watch(one)
    await pass(30_000)
    expect(most()).toBe(1)
  })

  test('is watched until it is settled, and then no more', async () => {
    const { tracker, record, state, asked, ended } = watching()
    const one = record()
    tracker.watch(one)
    await pass(2_000)
    state.next = settled
    await pass(10_000)
    expect([one.state, one.tracking, one.nextLookAt]).toEqual(['settled', 'ended', null])
    expect(ended).toEqual(['o'])
    const looks = asked.length
    await pass(60_000)
    tracker.watch(one)
    await pass(60_000)
    expect(asked).toHaveLength(looks)
  })

  test('is left alone while its host is away, and looked at soon when it is back', async () => {
    const { tracker, record, state, asked } = watching()
    const one = record()
    tracker.watch(one)
    await pass(10_000)
    state.online = false
    tracker.wake()
    expect([one.tracking, one.nextLookAt]).toEqual(['paused-offline', null])
    const looks = asked.length
    await pass(600_000)
    expect(asked).toHaveLength(looks)
    state.online = true
    tracker.wake()
    expect(one.tracking).toBe('polling')
    await pass(700)
    expect(asked).toHaveLength(looks + 1)
  })

  test('waits as long as a busy host wants, and no longer than two minutes', async () => {
    const { tracker, record, state, asked } = watching()
    state.next = answer(429, { error: { code: 'SCAN_BUSY', message: 'm' } }, 30)
    const one = record()
    tracker.watch(one)
    await pass(1_000)
    expect(asked).toHaveLength(1)
    await pass(28_000)
    expect(asked).toHaveLength(1)
    state.next = answer(429, {}, 86_400)
    await pass(2_000)
    expect(asked).toHaveLength(2)
    state.next = settled
    await pass(121_000)
    expect(one.state).toBe('settled')
  })

  test('learns nothing from a failed look, which is told to the connection', async () => {
    const { tracker, record, state, failures } = watching()
    state.next = { kind: 'failure', reached: 'maybe', error: offline, exchangeId: 'x' }
    const one = record()
    tracker.watch(one)
    await pass(5_000)
    expect(one.state).toBe('pending')
    expect(one.events.map(({ kind }) => kind)).toEqual(['intent', 'sent', 'answer'])
    expect(failures.length).toBeGreaterThan(1)
  })

  test('is given up after its time, and can be taken up again', async () => {
    const { tracker, records, record, asked } = watching({ patienceMs: 20_000 })
    const one = record()
    tracker.watch(one)
    await pass(40_000)
    expect([one.state, one.tracking]).toEqual(['given-up', 'ended'])
    const looks = asked.length
    await pass(60_000)
    expect(asked).toHaveLength(looks)
    records.append(one, { kind: 'resumed', at: Date.now() })
    tracker.watch(one)
    await pass(1_000)
    expect(asked.length).toBe(looks + 1)
    expect(one.state).toBe('pending')
  })

  test('that a person has stopped is asked for no more, also where a look was under way', async () => {
    const { tracker, records, record, state, asked } = watching()
    state.hold = true
    state.next = settled
    const one = record()
    tracker.watch(one)
    await pass(1_000)
    records.append(one, { kind: 'given-up', at: Date.now(), by: 'person' })
    tracker.stop(one, 'stopped')
    await pass(60_000)
    expect([asked.length, one.state, one.tracking]).toEqual([1, 'given-up', 'stopped'])
  })
})

describe('a record that the host has no more', () => {
  test('will not come back where the host had accepted it: one look is enough', async () => {
    const { tracker, record, state, asked, ended } = watching()
    state.next = gone
    const one = record()
    tracker.watch(one)
    await pass(30_000)
    expect([one.state, asked.length, ended]).toEqual(['unknown-host-restart', 1, ['o']])
  })

  test('may still come where nothing was ever heard: it is looked for a few times, and written down once', async () => {
    const { tracker, record, state, asked } = watching()
    state.next = gone
    const one = record('o', [sent, { kind: 'failure', at: 3, reached: 'maybe', error: null }])
    tracker.watch(one)
    await pass(60_000)
    expect(asked).toHaveLength(4)
    expect(one.events.filter(({ kind }) => kind === 'record-gone')).toHaveLength(1)
  })

  test('and comes late after all is settled', async () => {
    const { tracker, record, state } = watching()
    state.next = gone
    const one = record('o', [sent, { kind: 'failure', at: 3, reached: 'maybe', error: null }])
    tracker.watch(one)
    await pass(700)
    state.next = settled
    await pass(5_000)
    expect(one.state).toBe('settled')
  })
})

test('many records are looked at a few at a time', async () => {
  const { tracker, record, state, asked, most } = watching()
  state.hold = true
  for (let n = 0; n < 30; n += 1) tracker.watch(record(`o-${n}`))
  await pass(30_000)
  expect(most()).toBe(4)
  expect(new Set(asked.map(({ body }) => JSON.stringify(body))).size).toBe(30)
})

test('the end of the program ends every look', async () => {
  const { tracker, record, asked } = watching()
  tracker.watch(record())
  tracker.dispose()
  await pass(60_000)
  expect(asked).toEqual([])
})
