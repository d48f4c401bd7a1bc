import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verdictOf } from '../../../shared/bridge/operation-proof.ts'
import { deriveOperation, isOpen } from '../../../shared/bridge/operation.ts'
import { operationEventSchema, operationStates, type OperationEvent } from '../../../shared/bridge/operation-states.ts'

const PENCIL = 'writing.pencilCommit'
const PLAIN = 'notes.title'
const answer = (body: unknown, status = 200): OperationEvent => ({
  kind: 'answer',
  at: 3,
  status,
  body,
  cut: false,
  durationMs: 1,
  exchangeId: 'x',
  instanceNonce: 'n',
})
const observation = (body: unknown): OperationEvent => ({
  kind: 'observation',
  at: 4,
  source: 'pencil-result',
  status: 200,
  body,
  cut: false,
  exchangeId: 'x',
})
const intent: OperationEvent = { kind: 'intent', at: 1 }
const sent: OperationEvent = { kind: 'sent', at: 2 }
const ack = answer({ state: 'pending', ready: false, windowId: 'w' }, 202)
const error = (code: string, status: number): OperationEvent => answer({ error: { code, message: 'm' } }, status)
const gone: OperationEvent = { kind: 'record-gone', at: 5, status: 404, body: null }
const restarted: OperationEvent = { kind: 'host-restarted', at: 5, from: 'a', to: 'b' }
const ended: OperationEvent = { kind: 'app-ended', at: 5 }
const failure = (reached: 'no' | 'maybe'): OperationEvent => ({ kind: 'failure', at: 3, reached, error: null })
const givenUp: OperationEvent = { kind: 'given-up', at: 6, by: 'person' }
const resumed: OperationEvent = { kind: 'resumed', at: 7 }
const stateOf = (endpoint: string, ...events: OperationEvent[]) => deriveOperation(endpoint, events).state

describe('the states of an operation', () => {
  test.each<[string, string, OperationEvent[]]>([
    ['prepared', PENCIL, [intent]],
    ['sent', PENCIL, [intent, sent]],
    ['pending', PENCIL, [intent, sent, ack]],
    ['pending', 'writing.sessionReserve', [intent, sent, answer({ state: 'accepted', persisted: true })]],
    ['settled', PENCIL, [intent, sent, ack, observation({ settled: true, outcome: 'saved' })]],
    ['pending', PENCIL, [intent, sent, ack, observation({ settled: false })]],
    ['persisted', PLAIN, [intent, sent, answer({ persisted: true })]],
    ['unconfirmed', PLAIN, [intent, sent, answer({})]],
    ['unconfirmed', PLAIN, [intent, sent, answer({ persisted: 'true' })]],
    ['conflict', PENCIL, [intent, sent, error('REQUEST_CONFLICT', 409)]],
    ['refused', PENCIL, [intent, sent, error('OPERATION_UNFINISHED', 409)]],
    ['refused', PLAIN, [intent, sent, error('TITLE_MISMATCH', 409)]],
    ['refused', PLAIN, [intent, sent, answer({ error: {}, persisted: true })]],
    ['not-sent', PLAIN, [intent, sent, failure('no')]],
    ['unknown-no-answer', PLAIN, [intent, sent, failure('maybe')]],
    ['unknown-app-ended', PLAIN, [intent, sent, ended]],
    ['not-sent', PLAIN, [intent, ended]],
    ['unknown-host-restart', PENCIL, [intent, sent, ack, gone]],
    ['unknown-host-restart', PENCIL, [intent, sent, ack, restarted]],
    ['pending', PENCIL, [intent, sent, failure('maybe'), observation({ settled: false })]],
    ['settled', PENCIL, [intent, sent, ended, observation({ settled: true })]],
    ['given-up', PENCIL, [intent, sent, ack, givenUp]],
    ['given-up', PENCIL, [intent, sent, ack, givenUp, observation({ settled: false })]],
    ['pending', PENCIL, [intent, sent, ack, givenUp, resumed]],
    ['settled', PENCIL, [intent, sent, ack, observation({ settled: true }), gone, restarted, givenUp]],
    ['pending', 'writing.pencilResult', [observation({ settled: false })]],
    ['unknown-host-restart', 'writing.pencilResult', [gone]],
  ])('%s', (state, endpoint, events) => {
    expect(stateOf(endpoint, ...events)).toBe(state)
  })
})

const anyEvent = fc.oneof(
  fc.constantFrom(intent, sent, ack, gone, restarted, ended, failure('no'), failure('maybe'), givenUp, resumed),
  fc.jsonValue().map((body) => observation(body)),
  fc.record({ settled: fc.boolean(), outcome: fc.string() }).map((body) => observation(body)),
  fc.jsonValue().map((facts): OperationEvent => ({ kind: 'read-back', at: 8, when: 'after', facts, error: null })),
  fc.jsonValue().map((facts): OperationEvent => ({ kind: 'read-back', at: 0, when: 'before', facts, error: null })),
)
const successes = ['saved-and-verified', 'saved-unverified']

describe('whatever happens', () => {
  test('no sequence of observations turns an acknowledgement into success', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 12 }), (later) => {
        const events = [intent, sent, ack, ...later]
        const derived = deriveOperation(PENCIL, events)
        const verified = events.some(
          (event) =>
            event.kind === 'observation' &&
            (event.body as { persistedSnapshotVerified?: unknown } | null)?.persistedSnapshotVerified === true,
        )
        if (!verified) expect(successes).not.toContain(verdictOf(PENCIL, derived, events).code)
      }),
    )
  })

  test('a final state stays, every transition is to another state, and its event is there', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(PENCIL, PLAIN, 'writing.sessionPause'),
        fc.array(anyEvent, { maxLength: 15 }),
        (id, events) => {
          const { state, transitions } = deriveOperation(id, events)
          expect(operationStates).toContain(state)
          transitions.forEach((one, n) => {
            expect(events[one.event]).toBeDefined()
            const before = transitions[n - 1]
            if (!before) return
            expect(one.state).not.toBe(before.state)
            expect(one.event).toBeGreaterThan(before.event)
            const final = !isOpen(before.state) && before.state !== 'prepared' && before.state !== 'given-up'
            expect(final).toBe(false)
          })
        },
      ),
    )
  })

  test('hostile bodies are taken as they are', () => {
    fc.assert(
      fc.property(fc.anything(), fc.integer(), (body, status) => {
        const events = [intent, sent, answer(body, status), observation(body)]
        const derived = deriveOperation(PENCIL, events)
        expect(operationEventSchema.safeParse(events[0]).success).toBe(true)
        expect(verdictOf(PENCIL, derived, events).code).toBeTruthy()
      }),
    )
  })
})
