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
const hostile = fc.oneof(
  fc.anything(),
  fc.record({ settled: fc.boolean(), outcome: fc.string(), persisted: fc.boolean() }),
  fc.record({ settled: fc.constant(true), persistedSnapshotVerified: fc.anything(), snapshotCurrent: fc.anything() }),
  fc.record({ error: fc.anything(), persisted: fc.boolean(), windowId: fc.anything() }),
)
const look = fc.tuple(hostile, status).map(([body, code]) => pollResult(body, code))
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
  look,
  fc.tuple(hostile, status).map(([body, code]) => respond(body, code)),
  fc.tuple(matches, hostile).map(([match, body]) => observeSession(match, body)),
  fc
    .tuple(fc.constantFrom('before' as const, 'after' as const, 'asked' as const), hostile)
    .map(([w, f]) => readBack(w, f)),
)
const events = fc.array(anyEvent, { maxLength: 15 })
const endpoints = fc.constantFrom(PENCIL, PLAIN, SESSION, 'writing.pencilResult', 'notes.delete', 'no.such')

const verdict = (endpoint: string, all: readonly OperationEvent[]): string =>
  computeVerdict({ endpoint, body: '{"text":"x"}', requestId: null }, deriveOperation(endpoint, all), all).code
const successes = [
  'saved-and-verified',
  'saved-not-current',
  'saved-unverified',
  'unsaid-but-verified',
  'session-recorded',
]

describe('whatever is observed', () => {
  test('no sequence of observations turns an acknowledgement into success: only a verified, settled result does', () => {
    fc.assert(
      fc.property(events, (later) => {
        const all = [intent, sentEvent, ack, ...later]
        const verified = later.some(
          (event) =>
            event.kind === 'observation' &&
            event.source === 'pencil-result' &&
            event.status >= 200 &&
            event.status < 300 &&
            (event.body as { persistedSnapshotVerified?: unknown } | null)?.persistedSnapshotVerified === true,
        )
        if (!verified) expect(successes).not.toContain(verdict(PENCIL, all))
        expect(verdict(PENCIL, all)).not.toBe('session-recorded')
      }),
    )
  })

  test('a session command is never more than recorded, and that only by a record that names it', () => {
    fc.assert(
      fc.property(events, (later) => {
        const code = verdict(SESSION, [intent, sentEvent, sessionAck, ...later])
        expect(['saved-and-verified', 'saved-unverified', 'settled-unverified']).not.toContain(code)
        const named = later.some((event) => event.kind === 'observation' && event.matches === true)
        if (!named) expect(code).not.toBe('session-recorded')
      }),
    )
  })

  test('history is never undone: more events only add transitions, and a final state stays', () => {
    fc.assert(
      fc.property(endpoints, events, events, (id, first, more) => {
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

  test('every transition leads to another state, by an existing event, in order', () => {
    fc.assert(
      fc.property(endpoints, events, (id, all) => {
        const { state, transitions } = deriveOperation(id, all)
        expect(operationStates).toContain(state)
        expect(transitions.at(-1)?.state ?? 'prepared').toBe(state)
        transitions.forEach((one, n) => {
          expect(all[one.event]).toBeDefined()
          const before = transitions[n - 1]
          if (before) expect([one.state === before.state, one.event > before.event]).toEqual([false, true])
        })
      }),
    )
  })

  test('hostile bodies are handled', () => {
    fc.assert(
      fc.property(endpoints, hostile, hostile, fc.string(), (id, one, other, body) => {
        const all = [
          intent,
          readBack('before', one),
          sentEvent,
          respond(one),
          pollResult(other),
          observeSession(true, one),
          readBack('after', other),
        ]
        const derived = deriveOperation(id, all, 'r')
        expect(computeVerdict({ endpoint: id, body, requestId: 'r' }, derived, all).code).toBeTruthy()
        const reads = collectReadBacks(derived, all)
        expect(Array.isArray(findChanges(reads)) && Array.isArray(findLaterChanges(reads))).toBe(true)
        const record = findSessionRecord(one)
        if (record)
          expect([true, false, null]).toContain(
            matchSessionRecord(record, { requestId: 'r', attemptId: other, recordBefore: one }),
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
])('the session record in %j', (context, record) => {
  expect(findSessionRecord(context)).toEqual(record)
})

const known = (attemptId: unknown, recordBefore: unknown = { session: null }) => ({
  requestId: 'r',
  attemptId,
  recordBefore,
})
const pause = (before: unknown) => ({ ...known(undefined, before), body: { runId: 'R' }, isPause: true })
const begin = (attemptId: unknown, before: unknown) => ({
  ...known(attemptId, before),
  body: { runId: 'R', questionId: 'Q' },
})
test.each<[object, ReturnType<typeof known>, boolean | null]>([
  [{ requestId: 'r' }, known(undefined), true],
  [{ requestId: 'q', attemptId: 'a' }, known('a'), false],
  [{ attemptId: 'a' }, known('a'), true],
  [{ attemptId: 'a' }, known('a', { attemptId: 'z' }), true],
  // The attempt was already running, or nobody knows whether it was: it says nothing about this
  // command.
  [{ attemptId: 'a' }, known('a', { attemptId: 'a' }), null],
  [{ attemptId: 'a' }, known('a', null), null],
  [{ attemptId: 'a' }, known('b'), false],
  [{ attemptId: 'a' }, known(undefined), null],
  [{ requestId: 7 }, known(7), null],
  // Hosts whose record names no request: what was sent, and what has changed since, tell.
  [{ runId: 'R', state: 'paused' }, pause({ runId: 'R', state: 'active' }), true],
  [{ runId: 'R', status: 'Paused', requestId: 'old' }, pause({ runId: 'R', status: 'on', requestId: 'old' }), true],
  [{ run: { id: 'R' }, paused: true }, pause({ session: null }), true],
  [{ runId: 'R', state: 'paused' }, pause({ runId: 'R', state: 'paused' }), null],
  [{ runId: 'R', state: 'paused' }, pause(null), null],
  [{ runId: 'S', state: 'paused' }, pause({ runId: 'S', state: 'active' }), null],
  [{ runId: 'R', state: 'active' }, pause({ runId: 'R', state: 'active' }), null],
  [{ runId: 'R', state: 'paused', requestId: 'x' }, pause({ runId: 'R', requestId: 'old' }), false],
  [{ runId: 'R', attemptId: 'a' }, begin('a', { runId: 'R', attemptId: null, state: 'idle' }), true],
  [{ runId: 'R', attempt: { id: 'a' } }, begin('a', { runId: 'R', state: 'idle' }), true],
  [{ runId: 'R', attemptId: 'a', state: 'active' }, begin('a', { runId: 'R', attemptId: 'a', state: 'paused' }), true],
  [{ runId: 'R', state: 'active', questionId: 'Q' }, begin(undefined, { session: null }), true],
  [{ runId: 'R', state: 'active', questionId: 'P' }, begin(undefined, { session: null }), null],
  [{ runId: 'R', state: 'active', elapsed: 2 }, begin(undefined, { runId: 'R', state: 'active', elapsed: 1 }), null],
])('a session record %j of %j', (record, command, matches) => {
  expect(matchSessionRecord({ ...record }, command)).toBe(matches)
})
