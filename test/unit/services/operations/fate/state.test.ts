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

const stateOf = (endpoint: string, events: readonly OperationEvent[]): string => deriveOperation(endpoint, events).state
const acked = [intent, sentEvent, ack]
const accepted = [intent, sentEvent, sessionAck]
/** As the sender records it next to a refusal. */
const taken = { requestIdTaken: true }
const lost = [intent, sentEvent, fail('maybe')]
const saved = pollResult({ settled: true, outcome: 'saved', persistedSnapshotVerified: true })
const unsettled = pollResult({ settled: false, outcome: 'pending' })

describe('the states of an operation', () => {
  test.each<[state: string, why: string, endpoint: string, events: OperationEvent[]]>([
    ['prepared', 'written down', PENCIL, [intent]],
    ['sent', 'on its way', PENCIL, [intent, readBack('before', {}), sentEvent]],
    ['not-sent', 'the app ended before', PLAIN, [intent, appEnded]],
    ['not-sent', 'it could not be written down', PLAIN, [intent, fail('no')]],
    ['not-sent', 'nobody was there', PLAIN, [intent, sentEvent, fail('no')]],
    ['unknown-no-answer', 'no answer', PLAIN, lost],
    ['unknown-app-ended', 'the app ended', PLAIN, [intent, sentEvent, appEnded]],

    ['pending', 'acknowledged', PENCIL, acked],
    [
      'pending',
      'acknowledged by a result that has settled',
      PENCIL,
      [intent, sentEvent, respond({ settled: true }, 202)],
    ],
    ['pending', 'accepted', SESSION, accepted],
    ['unknown-no-answer', 'a page in place of an acknowledgement', PENCIL, [intent, sentEvent, respond('<html>')]],
    ['unknown-no-answer', 'a list in place of one', SESSION, [intent, sentEvent, respond([{ persisted: true }])]],
    ['unknown-no-answer', 'an error page', PLAIN, [intent, sentEvent, respond('<h1>500</h1>', 500)]],
    ['unknown-no-answer', 'a redirect', PENCIL, [intent, sentEvent, respond({ state: 'pending' }, 307)]],

    ['persisted', 'persisted: true', PLAIN, [intent, sentEvent, respond({ persisted: true })]],
    ['unconfirmed', 'no word of it', PLAIN, [intent, sentEvent, respond({})]],
    ['unconfirmed', 'persisted: false', PLAIN, [intent, sentEvent, respond({ persisted: false })]],
    ['unconfirmed', 'persisted as a text', PLAIN, [intent, sentEvent, respond({ persisted: 'true' })]],
    ['unconfirmed', 'a text', PLAIN, [intent, sentEvent, respond('persisted: true')]],

    [
      'conflict',
      'its id is in use with another target',
      PENCIL,
      [intent, sentEvent, { ...respondError('ID_IN_USE', 409), ...taken }],
    ],
    [
      'conflict',
      'its id is in use in another run',
      SESSION,
      [intent, sentEvent, { ...respondError('X', 422), ...taken }],
    ],
    ['refused', 'a code that only sounds like it', PENCIL, [intent, sentEvent, respondError('WINDOW_CONFLICT', 409)]],
    ['refused', 'an unfinished one', PENCIL, [intent, sentEvent, respondError('OPERATION_UNFINISHED', 409)]],
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
      'a known code of what had begun',
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
    ['refused', 'nobody approved', PLAIN, [intent, sentEvent, respondError('APPROVAL_TIMEOUT', 408)]],
    [
      'refused',
      'an error within a success of a commit',
      PENCIL,
      [intent, sentEvent, respond({ error: { code: 'X' } }, 202)],
    ],
    ['refused', 'a refusal without a body', PLAIN, [intent, sentEvent, respond(null, 404)]],
    ['refused', 'too busy', PENCIL, [intent, sentEvent, respondError('PREPARE_BUSY', 429)]],

    ['settled', 'the result says so', PENCIL, [...acked, unsettled, saved]],
    ['pending', 'the result does not', PENCIL, [...acked, unsettled]],
    ['pending', 'settled as a text', PENCIL, [...acked, pollResult({ settled: 'true' })]],
    ['settled', 'it ended with an error', PENCIL, [...acked, pollResult({ settled: true, error: { code: 'X' } })]],
    ['pending', 'an error in the look', PENCIL, [...acked, pollResult({ settled: false, error: { code: 'X' } })]],
    ['pending', 'a busy host', PENCIL, [...acked, pollResult({ settled: true }, 429)]],
    ['settled', 'nobody had answered', PENCIL, [...lost, saved]],
    ['pending', 'nobody had answered, and it is there', PENCIL, [...lost, unsettled]],
    ['unknown-no-answer', 'a busy host says nothing of it', PENCIL, [...lost, pollResult({ error: {} }, 429)]],
    ['settled', 'the app had ended', PENCIL, [intent, sentEvent, appEnded, saved]],

    ['recorded', 'the session record names it', SESSION, [...accepted, observeSession(true)]],
    ['recorded', 'nobody had answered', SESSION, [...lost, observeSession(true)]],
    ['pending', 'the session record names another', SESSION, [...accepted, observeSession(false)]],
    ['pending', 'the session record names nothing', SESSION, [...accepted, observeSession(null)]],
    [
      'pending',
      'a session record says nothing of a canvas',
      PENCIL,
      [...acked, observeSession(true, { settled: true })],
    ],
    ['pending', 'a canvas says nothing of a session', SESSION, [...accepted, saved]],

    ['unknown-host-restart', 'the record is gone', PENCIL, [...acked, recordGone]],
    ['unknown-host-restart', 'another run of the host', PENCIL, [...acked, hostRestarted]],
    ['unknown-no-record', 'by the same run', PENCIL, [intent, sentEvent, appEnded, recordGoneInSameRun]],
    [
      'unknown-host-restart',
      'and then another run',
      PENCIL,
      [intent, sentEvent, appEnded, recordGoneInSameRun, hostRestarted],
    ],
    [
      'unknown-host-restart',
      'the run before it',
      PENCIL,
      [intent, sentEvent, appEnded, hostRestarted, recordGoneInSameRun],
    ],
    ['settled', 'found after all', PENCIL, [intent, sentEvent, appEnded, recordGoneInSameRun, saved]],
    ['settled', 'it was not', PENCIL, [...acked, hostRestarted, saved]],
    ['pending', 'it was not, and is unfinished', PENCIL, [...acked, recordGone, unsettled]],
    ['sent', 'a restart while it is on its way', PENCIL, [intent, sentEvent, hostRestarted, recordGone]],
    ['pending', 'and then the answer', PENCIL, [intent, sentEvent, hostRestarted, ack]],

    ['given-up', 'by a person', PENCIL, [...acked, giveUp()]],
    ['given-up', 'nothing confirms it', SESSION, [...accepted, giveUp('no-confirmation')]],
    ['given-up', 'still unfinished', PENCIL, [...acked, giveUp(), unsettled]],
    ['given-up', 'the host restarts', PENCIL, [...acked, giveUp(), hostRestarted, recordGone]],
    ['settled', 'looked at all the same', PENCIL, [...acked, giveUp(), saved]],
    ['pending', 'taken up again', PENCIL, [...acked, giveUp(), resumedEvent]],
    ['unknown-app-ended', 'taken up as what it was', PENCIL, [intent, sentEvent, appEnded, giveUp(), resumedEvent]],
    [
      'unknown-host-restart',
      'taken up twice',
      PENCIL,
      [...acked, recordGone, giveUp(), resumedEvent, giveUp(), resumedEvent],
    ],

    [
      'settled',
      'nothing changes it',
      PENCIL,
      [...acked, saved, recordGone, hostRestarted, giveUp(), unsettled, appEnded],
    ],
    [
      'persisted',
      'nothing changes it',
      PLAIN,
      [intent, sentEvent, respond({ persisted: true }), appEnded, hostRestarted, giveUp()],
    ],
    [
      'refused',
      'nothing changes it',
      PENCIL,
      [intent, sentEvent, respondError('X', 409), saved, unsettled, resumedEvent],
    ],
    ['not-sent', 'nothing changes it', PENCIL, [intent, sentEvent, fail('no'), saved, ack]],
    ['pending', 'a second answer', PENCIL, [...acked, respond({ persisted: true }), respondError('X', 409)]],

    ['pending', 'watched', 'writing.pencilResult', [unsettled]],
    ['settled', 'watched', 'writing.pencilResult', [unsettled, saved]],
    ['unknown-no-record', 'watched, and not there', 'writing.pencilResult', [recordGone]],
    ['settled', 'watched before it was there', 'writing.pencilResult', [recordGone, unsettled, saved]],
    ['prepared', 'nothing happened', PENCIL, []],
    ['prepared', 'nothing that means anything', PENCIL, [appEnded, resumedEvent, giveUp(), fail('no'), ack]],
  ])('%s: %s (%s)', (state, _why, endpoint, events) => {
    expect(stateOf(endpoint, events)).toBe(state)
  })

  test('an answer for another request id is ignored', () => {
    const other = { requestId: 'other', windowId: 'theirs', settled: true }
    const state = (endpoint: string, events: OperationEvent[]): unknown => deriveOperation(endpoint, events, 'mine')
    expect(state(PENCIL, [intent, sentEvent, respond(other, 202)])).toMatchObject({
      state: 'unknown-no-answer',
      facts: { windowId: null, settled: null },
    })
    expect(state(SESSION, [intent, sentEvent, respond(other)])).toMatchObject({
      state: 'unknown-no-answer',
    })
    expect(state(PENCIL, [...acked, pollResult(other)])).toMatchObject({
      state: 'pending',
      facts: { settled: null },
    })
    expect(state(PENCIL, [...acked, pollResult({ ...other, requestId: 'mine' })])).toMatchObject({
      state: 'settled',
    })
  })

  test('a check says nothing about a refused command: its request id belongs to another', () => {
    for (const refusal of [
      { ...respondError('REQUEST_CONFLICT', 409), ...taken },
      respondError('OPERATION_UNFINISHED', 409),
    ]) {
      expect(deriveOperation(PENCIL, [intent, sentEvent, refusal, saved]).facts).toMatchObject({
        outcome: null,
        persistedSnapshotVerified: null,
      })
    }
  })

  test('of a snapshot only a look says something, and a word is not longer than a word', () => {
    const said = { persistedSnapshotVerified: true, snapshotCurrent: true, windowId: 'w'.repeat(9_000) }
    expect(deriveOperation(PENCIL, [intent, sentEvent, respond(said, 202)]).facts).toMatchObject({
      persistedSnapshotVerified: null,
      snapshotCurrent: null,
      windowId: 'w'.repeat(200),
    })
  })

  test('each transition has its event and its time', () => {
    const events = [intent, readBack('before', {}), sentEvent, ack, unsettled, unsettled, saved]
    expect(deriveOperation(PENCIL, events).transitions).toEqual([
      { state: 'prepared', at: 1, event: 0 },
      { state: 'sent', at: 2, event: 2 },
      { state: 'pending', at: 3, event: 3 },
      { state: 'settled', at: 4, event: 6 },
    ])
  })

  test('facts are the last that the host said of the command, and nothing of what a look was refused with', () => {
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
