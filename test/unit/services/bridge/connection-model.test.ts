/** @module-tag slow */

import fc from 'fast-check'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AppError } from '../../../../shared/errors.ts'
import { connectionStateSchema, type ConnectionState } from '../../../../shared/ipc/connection.ts'
import { createConnection } from '../../../../electron/services/bridge/connection/connection.ts'
import { MIN_ATTEMPT_GAP_MS } from '../../../../electron/services/bridge/connection/heartbeat.ts'
import { originOf } from '../../../../electron/services/profiles/base-url.ts'
import { TOKEN } from '../../../support/services/test-client.ts'
import { legalMoves } from '../../../support/services/connection-rules.ts'
import { createScriptedHost, type Script } from '../../../support/hosts/scripted-host.ts'
import { startStores } from '../../../support/services/service-environment.ts'

const HEARTBEAT_MS = 5_000

/**
 * Creates a connection with real profiles and a real vault. The test controls the host and the
 * clock.
 */
async function createReal(dir: string) {
  const host = createScriptedHost(TOKEN)
  const stores = await startStores(dir)
  const auth = { header: 'Authorization', scheme: 'Bearer' }
  const ids: string[] = []
  for (const port of [1, 2]) {
    const { profile } = stores.profiles.save({ name: '', baseUrl: `http://127.0.0.1:${port}`, auth, readOnly: true })
    await stores.vault.setToken(profile.id, TOKEN, originOf(profile.baseUrl), false)
    ids.push(profile.id)
  }
  const connection = createConnection({ ...stores, client: host.client, heartbeatMs: () => HEARTBEAT_MS })
  const states: ConnectionState[] = [connection.state()]
  stores.bus.subscribe(({ topic, payload }) => {
    if (topic === 'connection.changed') states.push(payload as ConnectionState)
  })
  return { ...host, connection, states, ids, reached: new Set<string>() }
}
type Real = Awaited<ReturnType<typeof createReal>>

/** The last choice of the user. The state machine decides about the phase. */
interface Model {
  wanted: string | null
}

type Command = fc.AsyncCommand<Model, Real>

const command = (name: string, act: (real: Real, model: Model) => unknown): Command => ({
  check: () => true,
  async run(model, real) {
    await act(real, model)
    await vi.advanceTimersByTimeAsync(0)
    assertInvariants(real, model)
  },
  toString: () => name,
})

/** Checks everything that must be true after every step. */
function assertInvariants({ connection, states, requests, reached }: Real, model: Model): void {
  const current = connection.state()
  expect(states.at(-1)).toBe(current)
  expect(connectionStateSchema.safeParse(current).success).toBe(true)
  expect(current.profile?.id ?? null).toBe(model.wanted)
  expect(current.phase === 'none').toBe(model.wanted === null)
  states.forEach((state, index) => {
    const before = states[index - 1]
    if (!before) return
    reached.add(`${before.phase} > ${state.phase}`)
    if (before.phase !== state.phase) expect(legalMoves[before.phase]).toContain(state.phase)
    expect([0, 1]).toContain(state.epoch - before.epoch)
    const lost = before.phase === 'online' && ['offline', 'unauthorized', 'none'].includes(state.phase)
    if (lost) expect(state.gaps[0]).toMatchObject({ until: null, from: before.lastSeenAt })
    if (before.phase !== 'online' && state.phase === 'online') expect(state.epoch).toBe(before.epoch + 1)
  })
  const attempts = requests.filter(({ endpoint }) => endpoint === 'status.get')
  for (const baseUrl of new Set(attempts.map(({ target }) => target.baseUrl))) {
    const times = attempts.filter(({ target }) => target.baseUrl === baseUrl).map(({ timestamp }) => timestamp)
    times.forEach((timestamp, index) =>
      expect(timestamp - (times[index - 1] ?? -Infinity)).toBeGreaterThanOrEqual(MIN_ATTEMPT_GAP_MS - 1),
    )
  }
  expect(requests.length).toBeLessThanOrEqual(attempts.length * 2)
  states.splice(0, states.length - 1)
}

const changeScript = (values: Partial<Script>): Command =>
  command(JSON.stringify(values), ({ script }) => Object.assign(script, values))
const advanceScript = (counter: 'nonce' | 'version' | 'fingerprint'): Command =>
  command(`next ${counter}`, ({ script }) => {
    script[counter] += 1
  })

const createFailure = (wire: Partial<AppError['wire']>): AppError =>
  new AppError({ kind: 'offline', message: 'x', retryable: true, ...wire })

const connect = (index: number): Command =>
  command(`connect ${index}`, ({ connection, ids }, model) => {
    model.wanted = ids[index] ?? ''
    void connection.connect(model.wanted)
  })
const disconnect = command('disconnect', ({ connection }, model) => {
  model.wanted = null
  connection.disconnect()
})
const wait = (ms: number): Command =>
  command(`wait ${ms}`, async () => {
    await vi.advanceTimersByTimeAsync(ms)
  })

/** A time that is long enough for the slowest check of the host. */
const SLOWEST_CHECK_MS = 35_000

const anyCommands = fc.commands(
  [
    fc.constantFrom(0, 1).map(connect),
    fc.constant(disconnect),
    fc.constant(command('retry', ({ connection }) => void connection.retry())),
    fc
      .constantFrom(
        createFailure({}),
        createFailure({ kind: 'host', status: 401 }),
        createFailure({ kind: 'host', status: 404 }),
      )
      .map((error) => command(`nudge ${error.wire.status ?? ''}`, ({ connection }) => connection.checkSoon(error))),
    fc.constantFrom(1, 100, 399, 1_000, 5_001, 12_000).map(wait),
    fc.constant(wait(SLOWEST_CHECK_MS)),
    fc.constantFrom(60_000, 3_600_000, -3_600_000).map((ms) =>
      command(`the clock jumps by ${ms}`, () => {
        vi.setSystemTime(Date.now() + ms)
      }),
    ),
    fc.boolean().map((reachable) => changeScript({ isReachable: reachable })),
    fc.boolean().map((accepts) => changeScript({ acceptsToken: accepts })),
    fc.boolean().map((hasStatus) => changeScript({ hasStatus })),
    fc.boolean().map((saysAuthorized) => changeScript({ saysAuthorized })),
    fc.constantFrom(0, 30, 700).map((latencyMs) => changeScript({ latencyMs })),
    fc.constantFrom(0, 2).map((busySeconds) => changeScript({ busySeconds })),
    fc.constantFrom('nonce' as const, 'version' as const, 'fingerprint' as const).map(advanceScript),
  ],
  { maxCommands: 60, size: 'max' },
)

const changeAndWait = (values: Partial<Script>): Command[] => [changeScript(values), wait(SLOWEST_CHECK_MS)]

/** Commands that make every legal transition once. */
const tour: readonly Command[] = [
  connect(0),
  wait(100),
  ...changeAndWait({ isReachable: false }),
  ...changeAndWait({ isReachable: true, acceptsToken: false }),
  ...changeAndWait({ isReachable: false }),
  ...changeAndWait({ isReachable: true, acceptsToken: true }),
  ...changeAndWait({ acceptsToken: false }),
  ...changeAndWait({ acceptsToken: true }),
  connect(1),
  ...changeAndWait({ latencyMs: 700 }),
  connect(0),
  disconnect,
  connect(0),
  wait(SLOWEST_CHECK_MS),
  disconnect,
  ...[{ isReachable: false }, { isReachable: true, acceptsToken: false }].flatMap((values) => [
    changeScript(values),
    connect(0),
    wait(SLOWEST_CHECK_MS),
    connect(1),
    wait(SLOWEST_CHECK_MS),
    disconnect,
  ]),
]

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-model-'))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(dir, { recursive: true, force: true })
})

test('safety 39: keeps legal transitions, a bounded request rate and a growing epoch, and recovers by itself', async () => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(anyCommands, async (steps) => {
      run += 1
      vi.clearAllTimers()
      const real = await createReal(path.join(dir, String(run)))
      const { connection, script, ids, requests, states } = real
      const model: Model = { wanted: null }
      await fc.asyncModelRun(() => ({ model, real }), steps)

      const requestCount = requests.length
      if (model.wanted === null) {
        await vi.advanceTimersByTimeAsync(60_000)
        expect(requests.length).toBe(requestCount)
        model.wanted = ids[0] ?? ''
        void connection.connect(model.wanted)
      }
      Object.assign(script, {
        isReachable: true,
        acceptsToken: true,
        latencyMs: 0,
        busySeconds: 0,
      } satisfies Partial<Script>)
      await vi.advanceTimersByTimeAsync(40_000)
      assertInvariants(real, model)
      const recovered = connection.state()
      expect(recovered).toMatchObject({ phase: 'online', error: null, nextTryAt: null })
      expect(recovered.gaps.every(({ until }) => until !== null)).toBe(true)

      if (script.hasStatus) {
        script.nonce += 1
        await vi.advanceTimersByTimeAsync(HEARTBEAT_MS + MIN_ATTEMPT_GAP_MS)
        const { gaps, epoch } = connection.state()
        expect(gaps[0]).toMatchObject({ reason: 'host-restarted' })
        expect(epoch).toBe(recovered.epoch + 1)
      }
      const before = requests.length
      await vi.advanceTimersByTimeAsync(100_000)
      expect(requests.length - before).toBeLessThanOrEqual(2 * (100_000 / HEARTBEAT_MS) + 2)
      connection.dispose()
      states.length = 0
      await vi.advanceTimersByTimeAsync(60_000)
      expect(states).toEqual([])
      expect(vi.getTimerCount()).toBe(0)
    }),
    { numRuns: 200 },
  )
})

test('safety 39: makes every legal transition', async () => {
  const real = await createReal(dir)
  const model: Model = { wanted: null }
  for (const step of tour) await step.run(model, real)
  const moves = Object.entries(legalMoves).flatMap(([from, to]) => to.map((phase) => `${from} > ${phase}`))
  expect(moves.filter((move) => !real.reached.has(move))).toEqual([])
  real.connection.dispose()
})
