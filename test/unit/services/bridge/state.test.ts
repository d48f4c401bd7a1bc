import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ConnectionState, HostSummary } from '../../../../shared/ipc/connection.ts'
import { connectionStateSchema } from '../../../../shared/ipc/connection.ts'
import type { Profile } from '../../../../shared/ipc/profiles.ts'
import {
  beginConnection,
  recordFailure,
  createConnectionMachine,
  endConnection,
  recordSuccess,
  type ConnectionMachine,
} from '../../../../electron/services/bridge/connection/connection-machine.ts'
import { legalMoves } from '../../../support/services/connection-rules.ts'

const profile = (id: string, port = 1): Profile => ({
  id,
  name: id,
  baseUrl: `http://127.0.0.1:${port}/bridge/v1`,
  auth: { header: 'Authorization', scheme: 'Bearer' },
  readOnly: true,
  tlsFingerprint: null,
  demo: false,
  lastConnectedAt: null,
})

const host = (
  nonce: string | null,
  version: string | null = '4.5',
  apiFingerprint: string | null = null,
): HostSummary => ({
  app: 'Host',
  appVersion: version,
  bridgeApiVersion: version === null ? null : '0.91',
  routeCount: 3,
  apiFingerprint,
  guideHash: null,
  instanceNonce: nonce,
})

type Step = (machine: ConnectionMachine, now: number) => ConnectionMachine
const begin =
  (id: string, port = 1): Step =>
  (machine, now) =>
    beginConnection(machine, profile(id, port), now)
const answer =
  (nonce: string | null, slept = false, version: string | null = '4.5', fingerprint: string | null = null): Step =>
  (machine, now) =>
    recordSuccess(machine, { host: host(nonce, version, fingerprint), latencyMs: 3, hasSlept: slept }, now)
const fail =
  (phase: 'offline' | 'unauthorized'): Step =>
  (machine, now) =>
    recordFailure(
      machine,
      { phase, error: { kind: 'offline', message: 'gone', retryable: true }, nextTryAt: now + 500, certificate: null },
      now,
    )
const stop: Step = (machine, now) => endConnection(machine, now)

/** Each step comes a second after the one before. */
const after = (...steps: Step[]): ConnectionState =>
  steps.reduce((machine, step, at) => step(machine, 1_000 * (at + 1)), createConnectionMachine(0)).publicState

describe('interruptions', () => {
  test('a failed first connection is none: nothing was read', () => {
    expect(after(begin('a'), fail('offline'), answer('n'))).toMatchObject({ phase: 'online', epoch: 1, gaps: [] })
  })

  test('an outage lasts from the last sign of life to the next', () => {
    const steps = [begin('a'), answer('n'), answer('n'), fail('offline'), fail('unauthorized')]
    expect(after(...steps).gaps).toEqual([{ id: 1, reason: 'unreachable', from: 3_000, until: null }])
    const { gaps, epoch } = after(...steps, answer('n'))
    expect(gaps).toEqual([{ id: 1, reason: 'unreachable', from: 3_000, until: 6_000 }])
    expect(epoch).toBe(2)
  })

  test('a refused token is one', () => {
    expect(after(begin('a'), answer('n'), fail('unauthorized')).gaps).toMatchObject([{ reason: 'unauthorized' }])
  })

  test.each([
    ['seen at a heartbeat', []],
    ['seen after an outage', [fail('offline')]],
    ['seen after a disconnect', [stop, begin('a')]],
    ['seen after answers that name no run', [answer(null, false, null), answer(null, false, null)]],
  ])('a restart of the host, %s', (_, between) => {
    const { gaps, epoch } = after(begin('a'), answer('n'), ...between, answer('m'))
    expect(gaps).toHaveLength(1)
    expect(gaps[0]).toMatchObject({ reason: 'host-restarted', until: (3 + between.length) * 1_000 })
    expect(epoch).toBe(2)
  })

  test('another version is another run, also for a host that names none', () => {
    expect(after(begin('a'), answer(null), answer(null, false, '4.6')).gaps).toMatchObject([
      { reason: 'host-restarted', from: 2_000, until: 3_000 },
    ])
  })

  test('this machine’s sleep is one', () => {
    const { gaps, epoch } = after(begin('a'), answer('n'), answer('n', true))
    expect(gaps).toEqual([{ id: 1, reason: 'app-suspended', from: 2_000, until: 3_000 }])
    expect(epoch).toBe(2)
  })

  test('a disconnect is one, and it lasts until the same host is connected again', () => {
    expect(after(begin('a'), answer('n'), stop).gaps).toMatchObject([{ reason: 'disconnected', until: null }])
    expect(after(begin('a'), answer('n'), stop, begin('a'), answer('n'))).toMatchObject({
      epoch: 2,
      gaps: [{ reason: 'disconnected', from: 2_000, until: 5_000 }],
    })
  })

  test.each([
    ['profile', begin('b')],
    ['address of the profile', begin('a', 2)],
  ])('another %s starts with none, and with new ids', (_, other) => {
    const moved = after(begin('a'), answer('n'), fail('offline'), answer('n'), other, answer('m'))
    expect(moved).toMatchObject({ gaps: [], epoch: 3, host: { instanceNonce: 'm' } })
    expect(after(begin('a'), answer('n'), fail('offline'), other, answer('m'), fail('offline')).gaps).toMatchObject([
      { id: 2, until: null },
    ])
  })

  test('fifty are remembered', () => {
    const outages = Array.from({ length: 70 }, () => [fail('offline'), answer('n')]).flat()
    const { gaps } = after(begin('a'), answer('n'), ...outages)
    expect(gaps).toHaveLength(50)
    expect(gaps[0]?.id).toBe(70)
  })
})

describe('changes of the host', () => {
  const first = answer('n', false, '4.5', 'f')

  test('none while it says the same, or less', () => {
    expect(after(begin('a'), first, first, answer(null, false, null, null), first).changes).toEqual([])
  })

  test('a restart is one', () => {
    expect(after(begin('a'), first, answer('m', false, '4.5', 'f')).changes).toEqual([
      { at: 3_000, restarted: true, facts: [] },
    ])
  })

  test.each([
    ['version', '4.6', 'f', [{ name: 'appVersion', from: '4.5', to: '4.6' }]],
    [
      'version and fingerprint',
      '4.6',
      'g',
      [
        { name: 'appVersion', from: '4.5', to: '4.6' },
        { name: 'apiFingerprint', from: 'f', to: 'g' },
      ],
    ],
  ])('another %s within one run is an update, not a restart', (_, version, fingerprint, facts) => {
    const { changes, gaps, epoch } = after(begin('a'), first, answer('n', false, version, fingerprint))
    expect(changes).toEqual([{ at: 3_000, restarted: false, facts }])
    expect([gaps, epoch]).toEqual([[], 1])
  })

  test('another fingerprint is one, without a restart or an interruption', () => {
    const { changes, gaps, epoch } = after(begin('a'), first, answer('n', false, '4.5', 'g'))
    expect(changes).toEqual([{ at: 3_000, restarted: false, facts: [{ name: 'apiFingerprint', from: 'f', to: 'g' }] }])
    expect([gaps, epoch]).toEqual([[], 1])
  })

  test('an update is one event that names each fact, also after an outage in which it was silent', () => {
    const updated = after(begin('a'), first, fail('offline'), answer('m', false, '4.6', 'g'))
    expect(updated.changes).toEqual([
      {
        at: 4_000,
        restarted: true,
        facts: [
          { name: 'appVersion', from: '4.5', to: '4.6' },
          { name: 'apiFingerprint', from: 'f', to: 'g' },
        ],
      },
    ])
  })

  test('another host starts with none; the same one keeps them, newest first, at most fifty', () => {
    const back = answer('m', false, '4.5', 'f')
    expect(after(begin('a'), first, back, begin('b'), first).changes).toEqual([])
    expect(after(begin('a'), first, back, stop, begin('a'), first).changes).toMatchObject([
      { at: 6_000 },
      { at: 3_000 },
    ])
    const many = Array.from({ length: 60 }, () => [back, first]).flat()
    expect(after(begin('a'), first, ...many).changes).toHaveLength(50)
  })
})

test('what arrives after a disconnect changes nothing', () => {
  const gone = after(begin('a'), answer('n'), stop)
  expect(after(begin('a'), answer('n'), stop, answer('m'), fail('offline'), stop)).toEqual(gone)
})

test('after a disconnect there is no host to tell of', () => {
  expect(after(begin('a'), answer('n'), stop)).toMatchObject({ phase: 'none', profile: null, host: null })
})

test('a heartbeat that finds nothing changed alters neither epoch nor since', () => {
  expect(after(begin('a'), answer('n'), answer('n'), answer('n'))).toMatchObject({
    epoch: 1,
    since: 2_000,
    lastSeenAt: 4_000,
  })
})

test('safety 39: whatever happens in whatever order, transitions are legal, the epoch grows, interruptions are complete', () => {
  const step = fc.oneof(
    fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom(1, 2)).map(([id, port]) => begin(id, port)),
    fc.tuple(fc.constantFrom('n', 'm', null), fc.boolean()).map(([nonce, slept]) => answer(nonce, slept)),
    fc.constantFrom('offline' as const, 'unauthorized' as const).map(fail),
    fc.constant(stop),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let machine = createConnectionMachine(0)
      steps.forEach((act, at) => {
        const before = machine.publicState
        machine = act(machine, at + 1)
        const { publicState: shown } = machine
        expect(connectionStateSchema.safeParse(shown).success).toBe(true)
        if (shown.phase !== before.phase) expect(legalMoves[before.phase]).toContain(shown.phase)
        expect([0, 1]).toContain(shown.epoch - before.epoch)
        if (shown.epoch > before.epoch) expect(shown.phase).toBe('online')
        if (shown.phase === 'online' && before.phase !== 'online') expect(shown.epoch).toBe(before.epoch + 1)
        expect(shown.profile === null).toBe(shown.phase === 'none')
        const [latest, ...older] = shown.gaps
        expect(older.every(({ from, until }) => until !== null && until >= from)).toBe(true)
        expect(shown.gaps.map(({ id }) => id)).toEqual(shown.gaps.map(({ id }) => id).sort((a, b) => b - a))
        expect(new Set(shown.gaps.map(({ id }) => id)).size).toBe(shown.gaps.length)
        if (shown.phase === 'online') expect(latest?.until).not.toBeNull()
        if (before.phase === 'online' && !['online', 'connecting'].includes(shown.phase)) {
          expect(latest).toMatchObject({ until: null })
        }
      })
    }),
    { numRuns: 500 },
  )
})
