import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { computeVerdict } from '../../../../../electron/services/operations/outcome/verdict.ts'
import {
  findChanges,
  findLaterChanges,
  collectReadBacks,
} from '../../../../../electron/services/operations/outcome/effect.ts'
import { deriveOperation } from '../../../../../electron/services/operations/outcome/derived-operation.ts'
import { getNextSteps } from '../../../../../electron/services/operations/outcome/next-steps.ts'
import { operationStates, type OperationEvent } from '../../../../../shared/operations/operation-events.ts'
import { matchSessionRecord, findSessionRecord } from '../../../../../shared/bridge/session-record.ts'
import {
  ack,
  respond,
  appEnded,
  fail,
  giveUp,
  recordGone,
  intent,
  PENCIL,
  PLAIN,
  readBack,
  hostRestarted,
  pollResult,
  resumedEvent,
  sentEvent,
  SESSION,
  observeSession,
  sessionAck,
} from '../../../../support/services/operation-events.ts'

const status = fc.constantFrom(100, 200, 202, 204, 301, 404, 409, 429, 500)
const hostileBody = fc.oneof(
  fc.anything(),
  fc.record({ settled: fc.boolean(), outcome: fc.string(), persisted: fc.boolean() }),
  fc.record({ settled: fc.constant(true), persistedSnapshotVerified: fc.anything(), snapshotCurrent: fc.anything() }),
  fc.record({ error: fc.anything(), persisted: fc.boolean(), windowId: fc.anything() }),
)
const anyPoll = fc.tuple(hostileBody, status).map(([body, code]) => pollResult(body, code))
const matches = fc.constantFrom(true, false, null)
const anyEvent: fc.Arbitrary<OperationEvent> = fc.oneof(
  fc.constantFrom(
    intent,
    sentEvent,
    ack,
    sessionAck,
    recordGone,
    hostRestarted,
    appEnded,
    fail('no'),
    fail('maybe'),
    resumedEvent,
  ),
  fc.constantFrom('person' as const, 'time-limit' as const, 'no-confirmation' as const).map(giveUp),
  anyPoll,
  fc.tuple(hostileBody, status).map(([body, code]) => respond(body, code)),
  fc.tuple(matches, hostileBody).map(([match, body]) => observeSession(match, body)),
  fc
    .tuple(fc.constantFrom('before' as const, 'after' as const, 'asked' as const), hostileBody)
    .map(([when, facts]) => readBack(when, facts)),
)
const someEvents = fc.array(anyEvent, { maxLength: 15 })
const someEndpoints = fc.constantFrom(PENCIL, PLAIN, SESSION, 'writing.pencilResult', 'notes.delete', 'no.such')

const getVerdict = (endpoint: string, all: readonly OperationEvent[]): string =>
  computeVerdict({ endpoint, body: '{"text":"x"}', requestId: null }, deriveOperation(endpoint, all), all).code
const successes = ['saved-and-verified', 'saved-unverified', 'unsaid-but-verified', 'session-recorded']

describe('any sequence of events', () => {
  test('turns an acknowledgement into success only by a verified, settled result', () => {
    fc.assert(
      fc.property(someEvents, (later) => {
        const all = [intent, sentEvent, ack, ...later]
        const hasVerifiedResult = later.some(
          (event) =>
            event.kind === 'observation' &&
            event.source === 'pencil-result' &&
            event.status >= 200 &&
            event.status < 300 &&
            (event.body as { persistedSnapshotVerified?: unknown } | null)?.persistedSnapshotVerified === true,
        )
        if (!hasVerifiedResult) expect(successes).not.toContain(getVerdict(PENCIL, all))
        expect(getVerdict(PENCIL, all)).not.toBe('session-recorded')
      }),
    )
  })

  test('records a session command only by a record that names it', () => {
    fc.assert(
      fc.property(someEvents, (later) => {
        const code = getVerdict(SESSION, [intent, sentEvent, sessionAck, ...later])
        expect(['saved-and-verified', 'saved-unverified', 'settled-unverified']).not.toContain(code)
        const isNamed = later.some((event) => event.kind === 'observation' && event.matches === true)
        if (!isNamed) expect(code).not.toBe('session-recorded')
      }),
    )
  })

  test('never undoes history: more events only add transitions, and a final state stays', () => {
    fc.assert(
      fc.property(someEndpoints, someEvents, someEvents, (id, first, more) => {
        const before = deriveOperation(id, first)
        const after = deriveOperation(id, [...first, ...more])
        expect(after.transitions.slice(0, before.transitions.length)).toEqual(before.transitions)
        const isFinal = getNextSteps(before.state).isConclusive || before.state === 'not-sent'
        if (isFinal) expect(after.state).toBe(before.state)
      }),
    )
  })

  test('only an operation whose outcome may still come is polled, and none whose end is known', () => {
    for (const state of operationStates) {
      const { canPoll, isOpen, isConclusive, mayBeRunning, canReadBack } = getNextSteps(state)
      if (canPoll) expect([state, isOpen, isConclusive]).toEqual([state, true, false])
      if (isConclusive) expect([state, isOpen, mayBeRunning, canReadBack]).toEqual([state, false, false, true])
    }
  })

  test('has transitions to another state, by an existing event, in order', () => {
    fc.assert(
      fc.property(someEndpoints, someEvents, (id, all) => {
        const { state, transitions } = deriveOperation(id, all)
        expect(operationStates).toContain(state)
        expect(transitions.at(-1)?.state ?? 'prepared').toBe(state)
        transitions.forEach((transition, n) => {
          expect(all[transition.event]).toBeDefined()
          const before = transitions[n - 1]
          if (before)
            expect([transition.state === before.state, transition.event > before.event]).toEqual([false, true])
        })
      }),
    )
  })

  test('is judged even with hostile bodies', () => {
    fc.assert(
      fc.property(someEndpoints, hostileBody, hostileBody, fc.string(), (id, firstBody, secondBody, body) => {
        const all = [
          intent,
          readBack('before', firstBody),
          sentEvent,
          respond(firstBody),
          pollResult(secondBody),
          observeSession(true, firstBody),
          readBack('after', secondBody),
        ]
        const derived = deriveOperation(id, all, 'r')
        expect(computeVerdict({ endpoint: id, body, requestId: 'r' }, derived, all).code).toBeTruthy()
        const reads = collectReadBacks(derived, all)
        expect(Array.isArray(findChanges(reads)) && Array.isArray(findLaterChanges(reads))).toBe(true)
        const record = findSessionRecord(firstBody)
        if (record)
          expect([true, false, null]).toContain(
            matchSessionRecord(record, { requestId: 'r', attemptId: secondBody, recordBefore: firstBody }),
          )
      }),
    )
  })
})

test.each<[unknown, unknown]>([
  [{ session: { runId: 'r' } }, { runId: 'r' }],
  [{ session: null, other: { runId: 'r', requestId: 'q' } }, null],
  [{ window: { practice: { runId: 'r', attemptId: 'a' } } }, { runId: 'r', attemptId: 'a' }],
  [{ window: { topicid: 't' } }, undefined],
  [{ session: 'none' }, undefined],
  [null, undefined],
])('finds the session record in %j', (context, record) => {
  expect(findSessionRecord(context)).toEqual(record)
})

const createCommand = (attemptId: unknown, recordBefore: unknown = { session: null }) => ({
  requestId: 'r',
  attemptId,
  recordBefore,
})
const createPause = (before: unknown) => ({ ...createCommand(undefined, before), body: { runId: 'R' }, isPause: true })
const createBegin = (attemptId: unknown, before: unknown) => ({
  ...createCommand(attemptId, before),
  body: { runId: 'R', questionId: 'Q' },
})
test.each<[object, ReturnType<typeof createCommand>, boolean | null]>([
  [{ requestId: 'r' }, createCommand(undefined), true],
  [{ requestId: 'q', attemptId: 'a' }, createCommand('a'), false],
  [{ attemptId: 'a' }, createCommand('a'), true],
  [{ attemptId: 'a' }, createCommand('a', { attemptId: 'z' }), true],
  // The attempt was running before, or its earlier state is unknown, so it proves nothing
  // about this command.
  [{ attemptId: 'a' }, createCommand('a', { attemptId: 'a' }), null],
  [{ attemptId: 'a' }, createCommand('a', null), null],
  [{ attemptId: 'a' }, createCommand('b'), false],
  [{ attemptId: 'a' }, createCommand(undefined), null],
  [{ requestId: 7 }, createCommand(7), null],
  // The record of these hosts names no request, so the sent body and the later changes decide.
  [{ runId: 'R', state: 'paused' }, createPause({ runId: 'R', state: 'active' }), true],
  [
    { runId: 'R', status: 'Paused', requestId: 'old' },
    createPause({ runId: 'R', status: 'on', requestId: 'old' }),
    true,
  ],
  [{ run: { id: 'R' }, paused: true }, createPause({ session: null }), true],
  [{ runId: 'R', state: 'paused' }, createPause({ runId: 'R', state: 'paused' }), null],
  [{ runId: 'R', state: 'paused' }, createPause(null), null],
  [{ runId: 'S', state: 'paused' }, createPause({ runId: 'S', state: 'active' }), null],
  [{ runId: 'R', state: 'active' }, createPause({ runId: 'R', state: 'active' }), null],
  [{ runId: 'R', state: 'paused', requestId: 'x' }, createPause({ runId: 'R', requestId: 'old' }), false],
  [{ runId: 'R', attemptId: 'a' }, createBegin('a', { runId: 'R', attemptId: null, state: 'idle' }), true],
  [{ runId: 'R', attempt: { id: 'a' } }, createBegin('a', { runId: 'R', state: 'idle' }), true],
  [
    { runId: 'R', attemptId: 'a', state: 'active' },
    createBegin('a', { runId: 'R', attemptId: 'a', state: 'paused' }),
    true,
  ],
  [{ runId: 'R', state: 'active', questionId: 'Q' }, createBegin(undefined, { session: null }), true],
  [{ runId: 'R', state: 'active', questionId: 'P' }, createBegin(undefined, { session: null }), null],
  [
    { runId: 'R', state: 'active', elapsed: 2 },
    createBegin(undefined, { runId: 'R', state: 'active', elapsed: 1 }),
    null,
  ],
])('matches the session record %j with %j', (record, command, matches) => {
  expect(matchSessionRecord({ ...record }, command)).toBe(matches)
})
