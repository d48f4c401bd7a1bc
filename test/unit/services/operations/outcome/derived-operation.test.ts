import { describe, expect, test } from 'vitest'
import { deriveOperation } from '../../../../../electron/services/operations/outcome/derived-operation.ts'
import type { OperationEvent } from '../../../../../shared/operations/operation-events.ts'
import {
  ack,
  respond,
  appEnded,
  respondError,
  fail,
  giveUp,
  recordGone,
  recordGoneInSameRun,
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

const deriveState = (endpoint: string, events: readonly OperationEvent[]): string =>
  deriveOperation(endpoint, events).state
const acked = [intent, sentEvent, ack]
const accepted = [intent, sentEvent, sessionAck]
/** The sender records this member beside a refusal if the request id is in use. */
const idInUse = { requestIdTaken: true }
const lost = [intent, sentEvent, fail('maybe')]
const saved = pollResult({ settled: true, outcome: 'saved', persistedSnapshotVerified: true })
const unsettled = pollResult({ settled: false, outcome: 'pending' })

describe('state of an operation', () => {
  test.each<[state: string, why: string, endpoint: string, events: OperationEvent[]]>([
    ['prepared', 'in the journal', PENCIL, [intent]],
    ['sent', 'on its way', PENCIL, [intent, readBack('before', {}), sentEvent]],
    ['not-sent', 'the app ended before sending', PLAIN, [intent, appEnded]],
    ['not-sent', 'the journal could not be written', PLAIN, [intent, fail('no')]],
    ['not-sent', 'no host was reachable', PLAIN, [intent, sentEvent, fail('no')]],
    ['unknown-no-answer', 'no response', PLAIN, lost],
    ['unknown-app-ended', 'the app ended', PLAIN, [intent, sentEvent, appEnded]],

    ['pending', 'acknowledged', PENCIL, acked],
    ['pending', 'acknowledged by a settled result', PENCIL, [intent, sentEvent, respond({ settled: true }, 202)]],
    ['pending', 'accepted', SESSION, accepted],
    ['unknown-no-answer', 'a page in place of an acknowledgement', PENCIL, [intent, sentEvent, respond('<html>')]],
    [
      'unknown-no-answer',
      'a list in place of an acknowledgement',
      SESSION,
      [intent, sentEvent, respond([{ persisted: true }])],
    ],
    ['unknown-no-answer', 'an error page', PLAIN, [intent, sentEvent, respond('<h1>500</h1>', 500)]],
    ['unknown-no-answer', 'a redirect', PENCIL, [intent, sentEvent, respond({ state: 'pending' }, 307)]],

    ['persisted', 'persisted: true', PLAIN, [intent, sentEvent, respond({ persisted: true })]],
    ['unconfirmed', 'no member about it', PLAIN, [intent, sentEvent, respond({})]],
    ['unconfirmed', 'persisted: false', PLAIN, [intent, sentEvent, respond({ persisted: false })]],
    ['unconfirmed', 'persisted as a text', PLAIN, [intent, sentEvent, respond({ persisted: 'true' })]],
    ['unconfirmed', 'a text', PLAIN, [intent, sentEvent, respond('persisted: true')]],

    [
      'conflict',
      'its id is in use with another target',
      PENCIL,
      [intent, sentEvent, { ...respondError('ID_IN_USE', 409), ...idInUse }],
    ],
    [
      'conflict',
      'its id is in use in another run',
      SESSION,
      [intent, sentEvent, { ...respondError('X', 422), ...idInUse }],
    ],
    ['refused', 'a code that only sounds similar', PENCIL, [intent, sentEvent, respondError('WINDOW_CONFLICT', 409)]],
    ['refused', 'an unfinished commit', PENCIL, [intent, sentEvent, respondError('OPERATION_UNFINISHED', 409)]],
    ['refused', 'a mismatch', PLAIN, [intent, sentEvent, respondError('TITLE_MISMATCH', 409)]],
    ['refused', 'an error within a success', PLAIN, [intent, sentEvent, respond({ error: {}, persisted: true })]],
    [
      'refused',
      'a known code under any status',
      PLAIN,
      [intent, sentEvent, respondError('PRACTICE_TOPIC_CHANGED', 503)],
    ],
    ['refused', 'a known code within a time limit', PLAIN, [intent, sentEvent, respondError('TITLE_MISMATCH', 408)]],
    [
      'unknown-no-answer',
      'a known code after an effect had begun',
      PLAIN,
      [intent, sentEvent, respondError('DISCARD_FAILED', 500)],
    ],
    [
      'unknown-no-answer',
      'an unknown code of an error',
      PLAIN,
      [intent, sentEvent, respondError('PRACTICE_TOPIC_MOVED', 503)],
    ],
    ['unknown-no-answer', 'an error of the host itself', PLAIN, [intent, sentEvent, respondError('INTERNAL', 500)]],
    ['unknown-no-answer', 'a time limit', PLAIN, [intent, sentEvent, respondError('REQUEST_TIMEOUT', 408)]],
    ['refused', 'no person approved', PLAIN, [intent, sentEvent, respondError('APPROVAL_TIMEOUT', 408)]],
    [
      'refused',
      'an error within a success of a commit',
      PENCIL,
      [intent, sentEvent, respond({ error: { code: 'X' } }, 202)],
    ],
    ['refused', 'a refusal without a body', PLAIN, [intent, sentEvent, respond(null, 404)]],
    ['refused', 'too busy', PENCIL, [intent, sentEvent, respondError('PREPARE_BUSY', 429)]],

    ['settled', 'the result is settled', PENCIL, [...acked, unsettled, saved]],
    ['pending', 'the result is not settled', PENCIL, [...acked, unsettled]],
    ['pending', 'settled as a text', PENCIL, [...acked, pollResult({ settled: 'true' })]],
    ['settled', 'it ended with an error', PENCIL, [...acked, pollResult({ settled: true, error: { code: 'X' } })]],
    ['pending', 'an error in the poll', PENCIL, [...acked, pollResult({ settled: false, error: { code: 'X' } })]],
    ['pending', 'a busy host', PENCIL, [...acked, pollResult({ settled: true }, 429)]],
    ['settled', 'settled after no response', PENCIL, [...lost, saved]],
    ['pending', 'unfinished after no response', PENCIL, [...lost, unsettled]],
    ['unknown-no-answer', 'a busy host reports nothing about it', PENCIL, [...lost, pollResult({ error: {} }, 429)]],
    ['settled', 'the app had ended', PENCIL, [intent, sentEvent, appEnded, saved]],

    ['recorded', 'in the session record', SESSION, [...accepted, observeSession(true)]],
    ['recorded', 'in the session record after no response', SESSION, [...lost, observeSession(true)]],
    ['pending', 'another command in the session record', SESSION, [...accepted, observeSession(false)]],
    ['pending', 'no command in the session record', SESSION, [...accepted, observeSession(null)]],
    [
      'pending',
      'a session record does not apply to a canvas',
      PENCIL,
      [...acked, observeSession(true, { settled: true })],
    ],
    ['pending', 'a canvas does not apply to a session', SESSION, [...accepted, saved]],

    ['unknown-host-restart', 'the record is gone', PENCIL, [...acked, recordGone]],
    ['unknown-host-restart', 'another run of the host', PENCIL, [...acked, hostRestarted]],
    ['unknown-no-record', 'no record in the same run', PENCIL, [intent, sentEvent, appEnded, recordGoneInSameRun]],
    [
      'unknown-host-restart',
      'no record, then another run',
      PENCIL,
      [intent, sentEvent, appEnded, recordGoneInSameRun, hostRestarted],
    ],
    [
      'unknown-host-restart',
      'another run, then no record',
      PENCIL,
      [intent, sentEvent, appEnded, hostRestarted, recordGoneInSameRun],
    ],
    ['settled', 'a result after no record', PENCIL, [intent, sentEvent, appEnded, recordGoneInSameRun, saved]],
    ['settled', 'a result after a restart', PENCIL, [...acked, hostRestarted, saved]],
    ['pending', 'an unfinished result after no record', PENCIL, [...acked, recordGone, unsettled]],
    ['sent', 'a restart while it is on its way', PENCIL, [intent, sentEvent, hostRestarted, recordGone]],
    ['pending', 'a response after a restart', PENCIL, [intent, sentEvent, hostRestarted, ack]],

    ['given-up', 'by a person', PENCIL, [...acked, giveUp()]],
    ['given-up', 'no confirmation', SESSION, [...accepted, giveUp('no-confirmation')]],
    ['given-up', 'unfinished after being given up', PENCIL, [...acked, giveUp(), unsettled]],
    ['given-up', 'a restart after being given up', PENCIL, [...acked, giveUp(), hostRestarted, recordGone]],
    ['settled', 'a result after being given up', PENCIL, [...acked, giveUp(), saved]],
    ['pending', 'resumed', PENCIL, [...acked, giveUp(), resumedEvent]],
    [
      'unknown-app-ended',
      'resumed in its earlier state',
      PENCIL,
      [intent, sentEvent, appEnded, giveUp(), resumedEvent],
    ],
    [
      'unknown-host-restart',
      'resumed twice',
      PENCIL,
      [...acked, recordGone, giveUp(), resumedEvent, giveUp(), resumedEvent],
    ],

    [
      'settled',
      'no later event changes it',
      PENCIL,
      [...acked, saved, recordGone, hostRestarted, giveUp(), unsettled, appEnded],
    ],
    [
      'persisted',
      'no later event changes it',
      PLAIN,
      [intent, sentEvent, respond({ persisted: true }), appEnded, hostRestarted, giveUp()],
    ],
    [
      'refused',
      'no later event changes it',
      PENCIL,
      [intent, sentEvent, respondError('X', 409), saved, unsettled, resumedEvent],
    ],
    ['not-sent', 'no later event changes it', PENCIL, [intent, sentEvent, fail('no'), saved, ack]],
    ['pending', 'a second response', PENCIL, [...acked, respond({ persisted: true }), respondError('X', 409)]],

    ['pending', 'watched', 'writing.pencilResult', [unsettled]],
    ['settled', 'watched', 'writing.pencilResult', [unsettled, saved]],
    ['unknown-no-record', 'watched without a record', 'writing.pencilResult', [recordGone]],
    ['settled', 'watched before it existed', 'writing.pencilResult', [recordGone, unsettled, saved]],
    ['prepared', 'no event', PENCIL, []],
    ['prepared', 'only events without effect', PENCIL, [appEnded, resumedEvent, giveUp(), fail('no'), ack]],
  ])('is %s: %s (%s)', (state, _why, endpoint, events) => {
    expect(deriveState(endpoint, events)).toBe(state)
  })

  test('ignores a response for another request id', () => {
    const other = { requestId: 'other', windowId: 'theirs', settled: true }
    const derive = (endpoint: string, events: OperationEvent[]): unknown => deriveOperation(endpoint, events, 'mine')
    expect(derive(PENCIL, [intent, sentEvent, respond(other, 202)])).toMatchObject({
      state: 'unknown-no-answer',
      facts: { windowId: null, settled: null },
    })
    expect(derive(SESSION, [intent, sentEvent, respond(other)])).toMatchObject({
      state: 'unknown-no-answer',
    })
    expect(derive(PENCIL, [...acked, pollResult(other)])).toMatchObject({
      state: 'pending',
      facts: { settled: null },
    })
    expect(derive(PENCIL, [...acked, pollResult({ ...other, requestId: 'mine' })])).toMatchObject({
      state: 'settled',
    })
  })

  test('ignores a poll for a refused command, whose request id belongs to another', () => {
    for (const refusal of [
      { ...respondError('REQUEST_CONFLICT', 409), ...idInUse },
      respondError('OPERATION_UNFINISHED', 409),
    ]) {
      expect(deriveOperation(PENCIL, [intent, sentEvent, refusal, saved]).facts).toMatchObject({
        outcome: null,
        persistedSnapshotVerified: null,
      })
    }
  })

  test('takes facts of a snapshot only from a poll, and limits their length', () => {
    const responseBody = { persistedSnapshotVerified: true, snapshotCurrent: true, windowId: 'w'.repeat(9_000) }
    expect(deriveOperation(PENCIL, [intent, sentEvent, respond(responseBody, 202)]).facts).toMatchObject({
      persistedSnapshotVerified: null,
      snapshotCurrent: null,
      windowId: 'w'.repeat(200),
    })
  })

  test('has an event and a time for each transition', () => {
    const events = [intent, readBack('before', {}), sentEvent, ack, unsettled, unsettled, saved]
    expect(deriveOperation(PENCIL, events).transitions).toEqual([
      { state: 'prepared', at: 1, event: 0 },
      { state: 'sent', at: 2, event: 2 },
      { state: 'pending', at: 3, event: 3 },
      { state: 'settled', at: 4, event: 6 },
    ])
  })

  test('has the last facts that the host reports for the command, and none from a refused poll', () => {
    const busy = pollResult({ error: { code: 'SCAN_BUSY' }, persistedSnapshotVerified: true, outcome: 'saved' }, 429)
    const later = pollResult({
      settled: true,
      outcome: 'failed',
      persistedSnapshotVerified: false,
      snapshotCurrent: 'no',
    })
    expect(deriveOperation(PENCIL, [...acked, busy, later, readBack('after', { persisted: true })]).facts).toEqual({
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
