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

const createProfile = (id: string, port = 1): Profile => ({
  id,
  name: id,
  baseUrl: `http://127.0.0.1:${port}/bridge/v1`,
  auth: { header: 'Authorization', scheme: 'Bearer' },
  readOnly: true,
  tlsFingerprint: null,
  demo: false,
  lastConnectedAt: null,
})

const createHostSummary = (
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
const beginStep =
  (id: string, port = 1): Step =>
  (machine, now) =>
    beginConnection(machine, createProfile(id, port), now)
const successStep =
  (nonce: string | null, slept = false, version: string | null = '4.5', fingerprint: string | null = null): Step =>
  (machine, now) =>
    recordSuccess(machine, { host: createHostSummary(nonce, version, fingerprint), latencyMs: 3, hasSlept: slept }, now)
const failureStep =
  (phase: 'offline' | 'unauthorized'): Step =>
  (machine, now) =>
    recordFailure(
      machine,
      { phase, error: { kind: 'offline', message: 'gone', retryable: true }, nextTryAt: now + 500, certificate: null },
      now,
    )
const stopStep: Step = (machine, now) => endConnection(machine, now)

/** Runs the steps one second apart, and returns the last state. */
const runSteps = (...steps: Step[]): ConnectionState =>
  steps.reduce((machine, step, index) => step(machine, 1_000 * (index + 1)), createConnectionMachine(0)).publicState

describe('interruption', () => {
  test('does not include a failed first connection', () => {
    expect(runSteps(beginStep('a'), failureStep('offline'), successStep('n'))).toMatchObject({
      phase: 'online',
      epoch: 1,
      gaps: [],
    })
  })

  test('lasts from the last sign of life to the next', () => {
    const steps = [
      beginStep('a'),
      successStep('n'),
      successStep('n'),
      failureStep('offline'),
      failureStep('unauthorized'),
    ]
    expect(runSteps(...steps).gaps).toEqual([{ id: 1, reason: 'unreachable', from: 3_000, until: null }])
    const { gaps, epoch } = runSteps(...steps, successStep('n'))
    expect(gaps).toEqual([{ id: 1, reason: 'unreachable', from: 3_000, until: 6_000 }])
    expect(epoch).toBe(2)
  })

  test('includes a refused token', () => {
    expect(runSteps(beginStep('a'), successStep('n'), failureStep('unauthorized')).gaps).toMatchObject([
      { reason: 'unauthorized' },
    ])
  })

  test.each([
    ['seen at a heartbeat', []],
    ['seen after an outage', [failureStep('offline')]],
    ['seen after a disconnect', [stopStep, beginStep('a')]],
    ['seen after responses without a run id', [successStep(null, false, null), successStep(null, false, null)]],
  ])('includes a restart of the host, %s', (_, between) => {
    const { gaps, epoch } = runSteps(beginStep('a'), successStep('n'), ...between, successStep('m'))
    expect(gaps).toHaveLength(1)
    expect(gaps[0]).toMatchObject({ reason: 'host-restarted', until: (3 + between.length) * 1_000 })
    expect(epoch).toBe(2)
  })

  test('includes a new version, also for a host without a run id', () => {
    expect(runSteps(beginStep('a'), successStep(null), successStep(null, false, '4.6')).gaps).toMatchObject([
      { reason: 'host-restarted', from: 2_000, until: 3_000 },
    ])
  })

  test('includes the sleep of this machine', () => {
    const { gaps, epoch } = runSteps(beginStep('a'), successStep('n'), successStep('n', true))
    expect(gaps).toEqual([{ id: 1, reason: 'app-suspended', from: 2_000, until: 3_000 }])
    expect(epoch).toBe(2)
  })

  test('includes a disconnect until the same host is connected again', () => {
    expect(runSteps(beginStep('a'), successStep('n'), stopStep).gaps).toMatchObject([
      { reason: 'disconnected', until: null },
    ])
    expect(runSteps(beginStep('a'), successStep('n'), stopStep, beginStep('a'), successStep('n'))).toMatchObject({
      epoch: 2,
      gaps: [{ reason: 'disconnected', from: 2_000, until: 5_000 }],
    })
  })

  test.each([
    ['profile', beginStep('b')],
    ['address of the profile', beginStep('a', 2)],
  ])('is cleared for another %s, with new ids', (_, other) => {
    const moved = runSteps(
      beginStep('a'),
      successStep('n'),
      failureStep('offline'),
      successStep('n'),
      other,
      successStep('m'),
    )
    expect(moved).toMatchObject({ gaps: [], epoch: 3, host: { instanceNonce: 'm' } })
    expect(
      runSteps(
        beginStep('a'),
        successStep('n'),
        failureStep('offline'),
        other,
        successStep('m'),
        failureStep('offline'),
      ).gaps,
    ).toMatchObject([{ id: 2, until: null }])
  })

  test('is remembered fifty times', () => {
    const outages = Array.from({ length: 70 }, () => [failureStep('offline'), successStep('n')]).flat()
    const { gaps } = runSteps(beginStep('a'), successStep('n'), ...outages)
    expect(gaps).toHaveLength(50)
    expect(gaps[0]?.id).toBe(70)
  })
})

describe('change of the host', () => {
  const firstSuccess = successStep('n', false, '4.5', 'f')

  test('is not reported while the host says the same, or less', () => {
    expect(
      runSteps(beginStep('a'), firstSuccess, firstSuccess, successStep(null, false, null, null), firstSuccess).changes,
    ).toEqual([])
  })

  test('includes a restart', () => {
    expect(runSteps(beginStep('a'), firstSuccess, successStep('m', false, '4.5', 'f')).changes).toEqual([
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
  ])('includes another %s within one run as an update, not a restart', (_, version, fingerprint, facts) => {
    const { changes, gaps, epoch } = runSteps(
      beginStep('a'),
      firstSuccess,
      successStep('n', false, version, fingerprint),
    )
    expect(changes).toEqual([{ at: 3_000, restarted: false, facts }])
    expect([gaps, epoch]).toEqual([[], 1])
  })

  test('includes another fingerprint, without a restart or an interruption', () => {
    const { changes, gaps, epoch } = runSteps(beginStep('a'), firstSuccess, successStep('n', false, '4.5', 'g'))
    expect(changes).toEqual([{ at: 3_000, restarted: false, facts: [{ name: 'apiFingerprint', from: 'f', to: 'g' }] }])
    expect([gaps, epoch]).toEqual([[], 1])
  })

  test('names each fact of an update in one event, also after an outage', () => {
    const updated = runSteps(beginStep('a'), firstSuccess, failureStep('offline'), successStep('m', false, '4.6', 'g'))
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

  test('is cleared for another host, and kept for the same one, newest first, at most fifty', () => {
    const restarted = successStep('m', false, '4.5', 'f')
    expect(runSteps(beginStep('a'), firstSuccess, restarted, beginStep('b'), firstSuccess).changes).toEqual([])
    expect(
      runSteps(beginStep('a'), firstSuccess, restarted, stopStep, beginStep('a'), firstSuccess).changes,
    ).toMatchObject([{ at: 6_000 }, { at: 3_000 }])
    const manySteps = Array.from({ length: 60 }, () => [restarted, firstSuccess]).flat()
    expect(runSteps(beginStep('a'), firstSuccess, ...manySteps).changes).toHaveLength(50)
  })
})

test('results after a disconnect change nothing', () => {
  const disconnected = runSteps(beginStep('a'), successStep('n'), stopStep)
  expect(
    runSteps(beginStep('a'), successStep('n'), stopStep, successStep('m'), failureStep('offline'), stopStep),
  ).toEqual(disconnected)
})

test('a disconnected state has no host', () => {
  expect(runSteps(beginStep('a'), successStep('n'), stopStep)).toMatchObject({
    phase: 'none',
    profile: null,
    host: null,
  })
})

test('a heartbeat without changes alters neither epoch nor since', () => {
  expect(runSteps(beginStep('a'), successStep('n'), successStep('n'), successStep('n'))).toMatchObject({
    epoch: 1,
    since: 2_000,
    lastSeenAt: 4_000,
  })
})

test('safety 39: any order of steps keeps transitions legal, the epoch growing, and interruptions complete', () => {
  const step = fc.oneof(
    fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom(1, 2)).map(([id, port]) => beginStep(id, port)),
    fc.tuple(fc.constantFrom('n', 'm', null), fc.boolean()).map(([nonce, slept]) => successStep(nonce, slept)),
    fc.constantFrom('offline' as const, 'unauthorized' as const).map(failureStep),
    fc.constant(stopStep),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let machine = createConnectionMachine(0)
      steps.forEach((runStep, index) => {
        const before = machine.publicState
        machine = runStep(machine, index + 1)
        const { publicState: state } = machine
        expect(connectionStateSchema.safeParse(state).success).toBe(true)
        if (state.phase !== before.phase) expect(legalMoves[before.phase]).toContain(state.phase)
        expect([0, 1]).toContain(state.epoch - before.epoch)
        if (state.epoch > before.epoch) expect(state.phase).toBe('online')
        if (state.phase === 'online' && before.phase !== 'online') expect(state.epoch).toBe(before.epoch + 1)
        expect(state.profile === null).toBe(state.phase === 'none')
        const [latest, ...older] = state.gaps
        expect(older.every(({ from, until }) => until !== null && until >= from)).toBe(true)
        expect(state.gaps.map(({ id }) => id)).toEqual(state.gaps.map(({ id }) => id).sort((a, b) => b - a))
        expect(new Set(state.gaps.map(({ id }) => id)).size).toBe(state.gaps.length)
        if (state.phase === 'online') expect(latest?.until).not.toBeNull()
        if (before.phase === 'online' && !['online', 'connecting'].includes(state.phase)) {
          expect(latest).toMatchObject({ until: null })
        }
      })
    }),
    { numRuns: 500 },
  )
})
