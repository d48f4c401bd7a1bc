import { describe, expect, test } from 'vitest'
import { deriveOperation } from '../../../../../electron/services/operations/outcome/derived-operation.ts'
import type { OperationEvent } from '../../../../../shared/operations/operation-events.ts'
import {
  acknowledgedEvent,
  createResponseEvent,
  appEndedEvent,
  createErrorEvent,
  createFailureEvent,
  createGivenUpEvent,
  recordGoneEvent,
  recordGoneInSameRunEvent,
  intentEvent,
  PENCIL,
  PLAIN,
  createReadBackEvent,
  hostRestartedEvent,
  createPencilResult,
  resumedEvent,
  sentEvent,
  SESSION,
  createSessionObservation,
  sessionAcknowledgedEvent,
} from '../../../../support/services/operation-events.ts'

const stateOf = (endpoint: string, events: readonly OperationEvent[]): string => deriveOperation(endpoint, events).state
const acked = [intentEvent, sentEvent, acknowledgedEvent]
const accepted = [intentEvent, sentEvent, sessionAcknowledgedEvent]
/** As the sender records it next to a refusal. */
const taken = { requestIdTaken: true }
const lost = [intentEvent, sentEvent, createFailureEvent('maybe')]
const saved = createPencilResult({ settled: true, outcome: 'saved', persistedSnapshotVerified: true })
const unsettled = createPencilResult({ settled: false, outcome: 'pending' })

describe('the states of an operation', () => {
  test.each<[state: string, why: string, endpoint: string, events: OperationEvent[]]>([
    ['prepared', 'written down', PENCIL, [intentEvent]],
    ['sent', 'on its way', PENCIL, [intentEvent, createReadBackEvent('before', {}), sentEvent]],
    ['not-sent', 'the app ended before', PLAIN, [intentEvent, appEndedEvent]],
    ['not-sent', 'it could not be written down', PLAIN, [intentEvent, createFailureEvent('no')]],
    ['not-sent', 'nobody was there', PLAIN, [intentEvent, sentEvent, createFailureEvent('no')]],
    ['unknown-no-answer', 'no answer', PLAIN, lost],
    ['unknown-app-ended', 'the app ended', PLAIN, [intentEvent, sentEvent, appEndedEvent]],

    ['pending', 'acknowledged', PENCIL, acked],
    [
      'pending',
      'acknowledged by a result that has settled',
      PENCIL,
      [intentEvent, sentEvent, createResponseEvent({ settled: true }, 202)],
    ],
    ['pending', 'accepted', SESSION, accepted],
    [
      'unknown-no-answer',
      'a page in place of an acknowledgement',
      PENCIL,
      [intentEvent, sentEvent, createResponseEvent('<html>')],
    ],
    [
      'unknown-no-answer',
      'a list in place of one',
      SESSION,
      [intentEvent, sentEvent, createResponseEvent([{ persisted: true }])],
    ],
    ['unknown-no-answer', 'an error page', PLAIN, [intentEvent, sentEvent, createResponseEvent('<h1>500</h1>', 500)]],
    [
      'unknown-no-answer',
      'a redirect',
      PENCIL,
      [intentEvent, sentEvent, createResponseEvent({ state: 'pending' }, 307)],
    ],

    ['persisted', 'persisted: true', PLAIN, [intentEvent, sentEvent, createResponseEvent({ persisted: true })]],
    ['unconfirmed', 'no word of it', PLAIN, [intentEvent, sentEvent, createResponseEvent({})]],
    ['unconfirmed', 'persisted: false', PLAIN, [intentEvent, sentEvent, createResponseEvent({ persisted: false })]],
    ['unconfirmed', 'persisted as a text', PLAIN, [intentEvent, sentEvent, createResponseEvent({ persisted: 'true' })]],
    ['unconfirmed', 'a text', PLAIN, [intentEvent, sentEvent, createResponseEvent('persisted: true')]],

    [
      'conflict',
      'its id is in use with another target',
      PENCIL,
      [intentEvent, sentEvent, { ...createErrorEvent('ID_IN_USE', 409), ...taken }],
    ],
    [
      'conflict',
      'its id is in use in another run',
      SESSION,
      [intentEvent, sentEvent, { ...createErrorEvent('X', 422), ...taken }],
    ],
    [
      'refused',
      'a code that only sounds like it',
      PENCIL,
      [intentEvent, sentEvent, createErrorEvent('WINDOW_CONFLICT', 409)],
    ],
    ['refused', 'an unfinished one', PENCIL, [intentEvent, sentEvent, createErrorEvent('OPERATION_UNFINISHED', 409)]],
    ['refused', 'a mismatch', PLAIN, [intentEvent, sentEvent, createErrorEvent('TITLE_MISMATCH', 409)]],
    [
      'refused',
      'an error within a success',
      PLAIN,
      [intentEvent, sentEvent, createResponseEvent({ error: {}, persisted: true })],
    ],
    [
      'refused',
      'a known code under any status',
      PLAIN,
      [intentEvent, sentEvent, createErrorEvent('PRACTICE_TOPIC_CHANGED', 503)],
    ],
    [
      'refused',
      'a known code within a time limit',
      PLAIN,
      [intentEvent, sentEvent, createErrorEvent('TITLE_MISMATCH', 408)],
    ],
    [
      'unknown-no-answer',
      'a known code of what had begun',
      PLAIN,
      [intentEvent, sentEvent, createErrorEvent('DISCARD_FAILED', 500)],
    ],
    [
      'unknown-no-answer',
      'an unknown code of an error',
      PLAIN,
      [intentEvent, sentEvent, createErrorEvent('PRACTICE_TOPIC_MOVED', 503)],
    ],
    [
      'unknown-no-answer',
      'an error of the host itself',
      PLAIN,
      [intentEvent, sentEvent, createErrorEvent('INTERNAL', 500)],
    ],
    ['unknown-no-answer', 'a time limit', PLAIN, [intentEvent, sentEvent, createErrorEvent('REQUEST_TIMEOUT', 408)]],
    ['refused', 'nobody approved', PLAIN, [intentEvent, sentEvent, createErrorEvent('APPROVAL_TIMEOUT', 408)]],
    [
      'refused',
      'an error within a success of a commit',
      PENCIL,
      [intentEvent, sentEvent, createResponseEvent({ error: { code: 'X' } }, 202)],
    ],
    ['refused', 'a refusal without a body', PLAIN, [intentEvent, sentEvent, createResponseEvent(null, 404)]],
    ['refused', 'too busy', PENCIL, [intentEvent, sentEvent, createErrorEvent('PREPARE_BUSY', 429)]],

    ['settled', 'the result says so', PENCIL, [...acked, unsettled, saved]],
    ['pending', 'the result does not', PENCIL, [...acked, unsettled]],
    ['pending', 'settled as a text', PENCIL, [...acked, createPencilResult({ settled: 'true' })]],
    [
      'settled',
      'it ended with an error',
      PENCIL,
      [...acked, createPencilResult({ settled: true, error: { code: 'X' } })],
    ],
    [
      'pending',
      'an error in the look',
      PENCIL,
      [...acked, createPencilResult({ settled: false, error: { code: 'X' } })],
    ],
    ['pending', 'a busy host', PENCIL, [...acked, createPencilResult({ settled: true }, 429)]],
    ['settled', 'nobody had answered', PENCIL, [...lost, saved]],
    ['pending', 'nobody had answered, and it is there', PENCIL, [...lost, unsettled]],
    ['unknown-no-answer', 'a busy host says nothing of it', PENCIL, [...lost, createPencilResult({ error: {} }, 429)]],
    ['settled', 'the app had ended', PENCIL, [intentEvent, sentEvent, appEndedEvent, saved]],

    ['recorded', 'the session record names it', SESSION, [...accepted, createSessionObservation(true)]],
    ['recorded', 'nobody had answered', SESSION, [...lost, createSessionObservation(true)]],
    ['pending', 'the session record names another', SESSION, [...accepted, createSessionObservation(false)]],
    ['pending', 'the session record names nothing', SESSION, [...accepted, createSessionObservation(null)]],
    [
      'pending',
      'a session record says nothing of a canvas',
      PENCIL,
      [...acked, createSessionObservation(true, { settled: true })],
    ],
    ['pending', 'a canvas says nothing of a session', SESSION, [...accepted, saved]],

    ['unknown-host-restart', 'the record is gone', PENCIL, [...acked, recordGoneEvent]],
    ['unknown-host-restart', 'another run of the host', PENCIL, [...acked, hostRestartedEvent]],
    ['unknown-no-record', 'by the same run', PENCIL, [intentEvent, sentEvent, appEndedEvent, recordGoneInSameRunEvent]],
    [
      'unknown-host-restart',
      'and then another run',
      PENCIL,
      [intentEvent, sentEvent, appEndedEvent, recordGoneInSameRunEvent, hostRestartedEvent],
    ],
    [
      'unknown-host-restart',
      'the run before it',
      PENCIL,
      [intentEvent, sentEvent, appEndedEvent, hostRestartedEvent, recordGoneInSameRunEvent],
    ],
    ['settled', 'found after all', PENCIL, [intentEvent, sentEvent, appEndedEvent, recordGoneInSameRunEvent, saved]],
    ['settled', 'it was not', PENCIL, [...acked, hostRestartedEvent, saved]],
    ['pending', 'it was not, and is unfinished', PENCIL, [...acked, recordGoneEvent, unsettled]],
    ['sent', 'a restart while it is on its way', PENCIL, [intentEvent, sentEvent, hostRestartedEvent, recordGoneEvent]],
    ['pending', 'and then the answer', PENCIL, [intentEvent, sentEvent, hostRestartedEvent, acknowledgedEvent]],

    ['given-up', 'by a person', PENCIL, [...acked, createGivenUpEvent()]],
    ['given-up', 'nothing confirms it', SESSION, [...accepted, createGivenUpEvent('no-confirmation')]],
    ['given-up', 'still unfinished', PENCIL, [...acked, createGivenUpEvent(), unsettled]],
    ['given-up', 'the host restarts', PENCIL, [...acked, createGivenUpEvent(), hostRestartedEvent, recordGoneEvent]],
    ['settled', 'looked at all the same', PENCIL, [...acked, createGivenUpEvent(), saved]],
    ['pending', 'taken up again', PENCIL, [...acked, createGivenUpEvent(), resumedEvent]],
    [
      'unknown-app-ended',
      'taken up as what it was',
      PENCIL,
      [intentEvent, sentEvent, appEndedEvent, createGivenUpEvent(), resumedEvent],
    ],
    [
      'unknown-host-restart',
      'taken up twice',
      PENCIL,
      [...acked, recordGoneEvent, createGivenUpEvent(), resumedEvent, createGivenUpEvent(), resumedEvent],
    ],

    [
      'settled',
      'nothing changes it',
      PENCIL,
      [...acked, saved, recordGoneEvent, hostRestartedEvent, createGivenUpEvent(), unsettled, appEndedEvent],
    ],
    [
      'persisted',
      'nothing changes it',
      PLAIN,
      [
        intentEvent,
        sentEvent,
        createResponseEvent({ persisted: true }),
        appEndedEvent,
        hostRestartedEvent,
        createGivenUpEvent(),
      ],
    ],
    [
      'refused',
      'nothing changes it',
      PENCIL,
      [intentEvent, sentEvent, createErrorEvent('X', 409), saved, unsettled, resumedEvent],
    ],
    [
      'not-sent',
      'nothing changes it',
      PENCIL,
      [intentEvent, sentEvent, createFailureEvent('no'), saved, acknowledgedEvent],
    ],
    [
      'pending',
      'a second answer',
      PENCIL,
      [...acked, createResponseEvent({ persisted: true }), createErrorEvent('X', 409)],
    ],

    ['pending', 'watched', 'writing.pencilResult', [unsettled]],
    ['settled', 'watched', 'writing.pencilResult', [unsettled, saved]],
    ['unknown-no-record', 'watched, and not there', 'writing.pencilResult', [recordGoneEvent]],
    ['settled', 'watched before it was there', 'writing.pencilResult', [recordGoneEvent, unsettled, saved]],
    ['prepared', 'nothing happened', PENCIL, []],
    [
      'prepared',
      'nothing that means anything',
      PENCIL,
      [appEndedEvent, resumedEvent, createGivenUpEvent(), createFailureEvent('no'), acknowledgedEvent],
    ],
  ])('%s: %s (%s)', (state, _why, endpoint, events) => {
    expect(stateOf(endpoint, events)).toBe(state)
  })

  test('an answer for another request id is ignored', () => {
    const other = { requestId: 'other', windowId: 'theirs', settled: true }
    const state = (endpoint: string, events: OperationEvent[]): unknown => deriveOperation(endpoint, events, 'mine')
    expect(state(PENCIL, [intentEvent, sentEvent, createResponseEvent(other, 202)])).toMatchObject({
      state: 'unknown-no-answer',
      facts: { windowId: null, settled: null },
    })
    expect(state(SESSION, [intentEvent, sentEvent, createResponseEvent(other)])).toMatchObject({
      state: 'unknown-no-answer',
    })
    expect(state(PENCIL, [...acked, createPencilResult(other)])).toMatchObject({
      state: 'pending',
      facts: { settled: null },
    })
    expect(state(PENCIL, [...acked, createPencilResult({ ...other, requestId: 'mine' })])).toMatchObject({
      state: 'settled',
    })
  })

  test('a check says nothing about a refused command: its request id belongs to another', () => {
    for (const refusal of [
      { ...createErrorEvent('REQUEST_CONFLICT', 409), ...taken },
      createErrorEvent('OPERATION_UNFINISHED', 409),
    ]) {
      expect(deriveOperation(PENCIL, [intentEvent, sentEvent, refusal, saved]).facts).toMatchObject({
        outcome: null,
        persistedSnapshotVerified: null,
      })
    }
  })

  test('of a snapshot only a look says something, and a word is not longer than a word', () => {
    const said = { persistedSnapshotVerified: true, snapshotCurrent: true, windowId: 'w'.repeat(9_000) }
    expect(deriveOperation(PENCIL, [intentEvent, sentEvent, createResponseEvent(said, 202)]).facts).toMatchObject({
      persistedSnapshotVerified: null,
      snapshotCurrent: null,
      windowId: 'w'.repeat(200),
    })
  })

  test('each transition has its event and its time', () => {
    const events = [
      intentEvent,
      createReadBackEvent('before', {}),
      sentEvent,
      acknowledgedEvent,
      unsettled,
      unsettled,
      saved,
    ]
    expect(deriveOperation(PENCIL, events).transitions).toEqual([
      { state: 'prepared', at: 1, event: 0 },
      { state: 'sent', at: 2, event: 2 },
      { state: 'pending', at: 3, event: 3 },
      { state: 'settled', at: 4, event: 6 },
    ])
  })

  test('facts are the last that the host said of the command, and nothing of what a look was refused with', () => {
    const busy = createPencilResult(
      { error: { code: 'SCAN_BUSY' }, persistedSnapshotVerified: true, outcome: 'saved' },
      429,
    )
    const later = createPencilResult({
      settled: true,
      outcome: 'failed',
      persistedSnapshotVerified: false,
      snapshotCurrent: 'no',
    })
    expect(
      deriveOperation(PENCIL, [...acked, busy, later, createReadBackEvent('after', { persisted: true })]).facts,
    ).toEqual({
      persisted: null,
      settled: true,
      outcome: 'failed',
      persistedSnapshotVerified: false,
      snapshotCurrent: null,
      errorCode: null,
      windowId: 'w',
    })
  })
})
