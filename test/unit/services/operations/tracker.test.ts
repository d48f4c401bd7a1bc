import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { storedOperation } from '../../../support/services/journal.ts'
import {
  answer,
  failure,
  intent,
  PENCIL,
  sent,
  SESSION,
  sessionAck,
} from '../../../support/services/operation-events.ts'
import { settledResult, watched } from '../../../support/services/watched.ts'

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
    const { tracker, record, asked, wait, script, ended } = watched()
    const one = record('r-1')
    const from = Date.now()
    tracker.watch(one)
    expect(one.tracking).toBe('polling')
    await wait(60_000)
    expect(pauses(asked, from).slice(0, 9)).toEqual([500, 800, 1280, 2048, 3276, 5242, 8388, 10_000, 10_000])
    script.says = settledResult
    await wait(12_000)
    const before = asked.length
    await wait(60_000)
    tracker.watch(one)
    await wait(60_000)
    expect(asked).toHaveLength(before)
    expect(new Set(asked.map(({ endpoint, body }) => JSON.stringify([endpoint, body])))).toEqual(
      new Set(['["writing.pencilResult",{"requestId":"r-1"}]']),
    )
    expect(one).toMatchObject({ state: 'settled', tracking: 'ended', nextPollAt: null })
    expect(ended).toEqual(['r-1'])
  })

  test('does not check at the same moment as the others', async () => {
    const { tracker, record, asked, wait, script } = watched()
    script.says = null
    const from = Date.now()
    for (const id of Array.from({ length: 40 }, (_, at) => `r-${at}`)) tracker.watch(record(id))
    await wait(610)
    const first = asked.map(({ at }) => at - from)
    expect(first).toHaveLength(40)
    expect(Math.min(...first)).toBeGreaterThanOrEqual(400)
    expect(Math.max(...first)).toBeLessThanOrEqual(600)
    expect(new Set(first).size).toBeGreaterThan(10)
  })

  test('has one poller, however often it is watched', async () => {
    noJitter()
    const { tracker, record, asked, wait, script, seen } = watched()
    script.latencyMs = 300
    const one = record('r-1')
    for (let times = 0; times < 3; times += 1) tracker.watch(one)
    await wait(600)
    tracker.watch(one)
    await wait(600)
    expect(asked).toHaveLength(1)
    await wait(10_000)
    expect(seen.most).toBe(1)
  })

  test('has one check at a time, even if its host goes and comes back during it', async () => {
    const { tracker, record, asked, wait, script, seen } = watched()
    script.latencyMs = 8_000
    tracker.watch(record('r-1'))
    await wait(1_000)
    expect(asked).toHaveLength(1)
    for (const online of [false, true]) {
      script.online = online
      tracker.wake()
      await wait(1_500)
    }
    await wait(20_000)
    expect(seen.most).toBe(1)
    expect(asked.length).toBeGreaterThan(1)
  })

  test('waits for a slot if many are watched, and each gets its turn', async () => {
    const { tracker, record, records, wait, script, seen } = watched()
    script.latencyMs = 700
    script.says = settledResult
    for (const id of Array.from({ length: 20 }, (_, at) => `r-${at}`)) tracker.watch(record(id))
    await wait(6_000)
    expect(seen.most).toBe(4)
    expect([...records.all].map(({ state }) => state)).toEqual(Array(20).fill('settled'))
  })

  test('is none if no outcome can come: a plain write, a refusal, a request still being sent', async () => {
    const { tracker, record, records, asked, wait } = watched()
    tracker.watch(record('plain', { endpoint: 'notes.title', answer: failure('maybe') }))
    tracker.watch(record('refused', { answer: answer({ error: { code: 'NO_SELECTION' } }, 409) }))
    const underWay = records.create(storedOperation('way', { endpoint: PENCIL, requestId: 'way' }), intent)
    records.append(underWay, sent)
    tracker.watch(underWay)
    await wait(30_000)
    expect(asked).toEqual([])
  })
})

describe('while the host is away', () => {
  test('nothing is requested; when it is back, checks resume soon, from the short pause on', async () => {
    noJitter()
    const { tracker, record, asked, wait, script } = watched()
    const one = record('r-1')
    tracker.watch(one)
    await wait(20_000)
    const before = asked.length
    script.online = false
    tracker.wake()
    expect(one).toMatchObject({ tracking: 'paused-offline', nextPollAt: null })
    await wait(120_000)
    expect(asked).toHaveLength(before)
    script.online = true
    tracker.wake()
    expect(one).toMatchObject({ tracking: 'polling', nextPollAt: Date.now() + 500 })
    await wait(500)
    expect(asked).toHaveLength(before + 1)
  })

  test('a check that was due waits, even before the connection reports anything', async () => {
    const { tracker, record, asked, wait, script } = watched()
    const one = record('r-1')
    tracker.watch(one)
    script.online = false
    await wait(60_000)
    expect(asked).toEqual([])
    expect(one.tracking).toBe('paused-offline')
  })

  test('a newly watched record waits as well', async () => {
    const { tracker, record, asked, wait, script } = watched()
    script.online = false
    const one = record('r-1')
    tracker.watch(one)
    await wait(30_000)
    expect([asked, one.tracking]).toEqual([[], 'paused-offline'])
    script.online = true
    script.says = settledResult
    tracker.wake()
    await wait(1_000)
    expect(one.state).toBe('settled')
  })

  test('irrelevant connection news neither hasten nor delay a check', async () => {
    const { tracker, record, wait } = watched()
    const one = record('r-1')
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
    const { tracker, record, asked, wait, script, failures } = watched()
    const one = record('r-1')
    script.says = { status: 429, body: { error: { code: 'SCAN_BUSY', message: 'm' } }, again }
    tracker.watch(one)
    await wait(600)
    expect(asked).toHaveLength(1)
    expect(one.nextPollAt).toBe((asked[0]?.at ?? 0) + least)
    await wait(least - 700)
    expect(asked).toHaveLength(1)
    script.says = settledResult
    await wait(800)
    expect(one.state).toBe('settled')
    expect(one.events.filter(({ kind }) => kind === 'observation')).toHaveLength(1)
    expect(failures).toEqual([])
  })
})

test('a failed check is reported to the connection, is not an outcome, and is followed by another', async () => {
  const { tracker, record, wait, script, failures } = watched()
  const one = record('r-1')
  script.says = null
  tracker.watch(one)
  await wait(5_000)
  expect(failures.length).toBeGreaterThan(1)
  expect(one.events.map(({ kind }) => kind)).toEqual(['intent', 'sent', 'answer'])
  script.says = settledResult
  await wait(10_000)
  expect(one.state).toBe('settled')
})

test('a session command is checked only if the capabilities list its record', async () => {
  const { tracker, record, asked, wait, script } = watched()
  const without = record('s-1', { endpoint: SESSION, answer: sessionAck })
  tracker.watch(without)
  await wait(1_000)
  expect([asked, without.state]).toEqual([[], 'given-up'])
  script.routes = [{ method: 'GET', path: '/writing/context' }]
  script.says = { status: 200, body: { session: { requestId: 's-2' } } }
  const listed = record('s-2', { endpoint: SESSION, answer: sessionAck })
  tracker.watch(listed)
  await wait(1_000)
  expect(asked.map(({ endpoint }) => endpoint)).toEqual(['writing.context'])
  expect(listed.state).toBe('recorded')
})
