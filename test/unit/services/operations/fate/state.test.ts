import { describe, expect, test } from 'vitest'
import { deriveOperation } from '../../../../../electron/services/operations/outcome/derived-operation.ts'
import type { OperationEvent } from '../../../../../shared/operations/operation-events.ts'
import {
  ack,
  answer,
  ended,
  error,
  failure,
  givenUp,
  gone,
  goneInSameRun,
  intent,
  PENCIL,
  PLAIN,
  read,
  restarted,
  result,
  resumed,
  sent,
  SESSION,
  session,
  sessionAck,
} from '../../../../support/services/operation-events.ts'

const stateOf = (endpoint: string, events: readonly OperationEvent[]): string => deriveOperation(endpoint, events).state
const acked = [intent, sent, ack]
const accepted = [intent, sent, sessionAck]
/** As the sender records it next to a refusal. */
const taken = { requestIdTaken: true }
const lost = [intent, sent, failure('maybe')]
const saved = result({ settled: true, outcome: 'saved', persistedSnapshotVerified: true })
const unsettled = result({ settled: false, outcome: 'pending' })

describe('the states of an operation', () => {
  test.each<[state: string, why: string, endpoint: string, events: OperationEvent[]]>([
    ['prepared', 'written down', PENCIL, [intent]],
    ['sent', 'on its way', PENCIL, [intent, read('before', {}), sent]],
    ['not-sent', 'the app ended before', PLAIN, [intent, ended]],
    ['not-sent', 'it could not be written down', PLAIN, [intent, failure('no')]],
    ['not-sent', 'nobody was there', PLAIN, [intent, sent, failure('no')]],
    ['unknown-no-answer', 'no answer', PLAIN, lost],
    ['unknown-app-ended', 'the app ended', PLAIN, [intent, sent, ended]],

    ['pending', 'acknowledged', PENCIL, acked],
    ['pending', 'acknowledged by a result that has settled', PENCIL, [intent, sent, answer({ settled: true }, 202)]],
    ['pending', 'accepted', SESSION, accepted],
    ['unknown-no-answer', 'a page in place of an acknowledgement', PENCIL, [intent, sent, answer('<html>')]],
    ['unknown-no-answer', 'a list in place of one', SESSION, [intent, sent, answer([{ persisted: true }])]],
    ['unknown-no-answer', 'an error page', PLAIN, [intent, sent, answer('<h1>500</h1>', 500)]],
    ['unknown-no-answer', 'a redirect', PENCIL, [intent, sent, answer({ state: 'pending' }, 307)]],

    ['persisted', 'persisted: true', PLAIN, [intent, sent, answer({ persisted: true })]],
    ['unconfirmed', 'no word of it', PLAIN, [intent, sent, answer({})]],
    ['unconfirmed', 'persisted: false', PLAIN, [intent, sent, answer({ persisted: false })]],
    ['unconfirmed', 'persisted as a text', PLAIN, [intent, sent, answer({ persisted: 'true' })]],
    ['unconfirmed', 'a text', PLAIN, [intent, sent, answer('persisted: true')]],

    [
      'conflict',
      'its id is in use with another target',
      PENCIL,
      [intent, sent, { ...error('ID_IN_USE', 409), ...taken }],
    ],
    ['conflict', 'its id is in use in another run', SESSION, [intent, sent, { ...error('X', 422), ...taken }]],
    ['refused', 'a code that only sounds like it', PENCIL, [intent, sent, error('WINDOW_CONFLICT', 409)]],
    ['refused', 'an unfinished one', PENCIL, [intent, sent, error('OPERATION_UNFINISHED', 409)]],
    ['refused', 'a mismatch', PLAIN, [intent, sent, error('TITLE_MISMATCH', 409)]],
    ['refused', 'an error within a success', PLAIN, [intent, sent, answer({ error: {}, persisted: true })]],
    ['refused', 'a known code under any status', PLAIN, [intent, sent, error('PRACTICE_TOPIC_CHANGED', 503)]],
    ['refused', 'a known code within a time limit', PLAIN, [intent, sent, error('TITLE_MISMATCH', 408)]],
    ['unknown-no-answer', 'a known code of what had begun', PLAIN, [intent, sent, error('DISCARD_FAILED', 500)]],
    ['unknown-no-answer', 'an unknown code of an error', PLAIN, [intent, sent, error('PRACTICE_TOPIC_MOVED', 503)]],
    ['unknown-no-answer', 'an error of the host itself', PLAIN, [intent, sent, error('INTERNAL', 500)]],
    ['unknown-no-answer', 'a time limit', PLAIN, [intent, sent, error('REQUEST_TIMEOUT', 408)]],
    ['refused', 'nobody approved', PLAIN, [intent, sent, error('APPROVAL_TIMEOUT', 408)]],
    ['refused', 'an error within a success of a commit', PENCIL, [intent, sent, answer({ error: { code: 'X' } }, 202)]],
    ['refused', 'a refusal without a body', PLAIN, [intent, sent, answer(null, 404)]],
    ['refused', 'too busy', PENCIL, [intent, sent, error('PREPARE_BUSY', 429)]],

    ['settled', 'the result says so', PENCIL, [...acked, unsettled, saved]],
    ['pending', 'the result does not', PENCIL, [...acked, unsettled]],
    ['pending', 'settled as a text', PENCIL, [...acked, result({ settled: 'true' })]],
    ['settled', 'it ended with an error', PENCIL, [...acked, result({ settled: true, error: { code: 'X' } })]],
    ['pending', 'an error in the look', PENCIL, [...acked, result({ settled: false, error: { code: 'X' } })]],
    ['pending', 'a busy host', PENCIL, [...acked, result({ settled: true }, 429)]],
    ['settled', 'nobody had answered', PENCIL, [...lost, saved]],
    ['pending', 'nobody had answered, and it is there', PENCIL, [...lost, unsettled]],
    ['unknown-no-answer', 'a busy host says nothing of it', PENCIL, [...lost, result({ error: {} }, 429)]],
    ['settled', 'the app had ended', PENCIL, [intent, sent, ended, saved]],

    ['recorded', 'the session record names it', SESSION, [...accepted, session(true)]],
    ['recorded', 'nobody had answered', SESSION, [...lost, session(true)]],
    ['pending', 'the session record names another', SESSION, [...accepted, session(false)]],
    ['pending', 'the session record names nothing', SESSION, [...accepted, session(null)]],
    ['pending', 'a session record says nothing of a canvas', PENCIL, [...acked, session(true, { settled: true })]],
    ['pending', 'a canvas says nothing of a session', SESSION, [...accepted, saved]],

    ['unknown-host-restart', 'the record is gone', PENCIL, [...acked, gone]],
    ['unknown-host-restart', 'another run of the host', PENCIL, [...acked, restarted]],
    ['unknown-no-record', 'by the same run', PENCIL, [intent, sent, ended, goneInSameRun]],
    ['unknown-host-restart', 'and then another run', PENCIL, [intent, sent, ended, goneInSameRun, restarted]],
    ['unknown-host-restart', 'the run before it', PENCIL, [intent, sent, ended, restarted, goneInSameRun]],
    ['settled', 'found after all', PENCIL, [intent, sent, ended, goneInSameRun, saved]],
    ['settled', 'it was not', PENCIL, [...acked, restarted, saved]],
    ['pending', 'it was not, and is unfinished', PENCIL, [...acked, gone, unsettled]],
    ['sent', 'a restart while it is on its way', PENCIL, [intent, sent, restarted, gone]],
    ['pending', 'and then the answer', PENCIL, [intent, sent, restarted, ack]],

    ['given-up', 'by a person', PENCIL, [...acked, givenUp()]],
    ['given-up', 'nothing confirms it', SESSION, [...accepted, givenUp('no-confirmation')]],
    ['given-up', 'still unfinished', PENCIL, [...acked, givenUp(), unsettled]],
    ['given-up', 'the host restarts', PENCIL, [...acked, givenUp(), restarted, gone]],
    ['settled', 'looked at all the same', PENCIL, [...acked, givenUp(), saved]],
    ['pending', 'taken up again', PENCIL, [...acked, givenUp(), resumed]],
    ['unknown-app-ended', 'taken up as what it was', PENCIL, [intent, sent, ended, givenUp(), resumed]],
    ['unknown-host-restart', 'taken up twice', PENCIL, [...acked, gone, givenUp(), resumed, givenUp(), resumed]],

    ['settled', 'nothing changes it', PENCIL, [...acked, saved, gone, restarted, givenUp(), unsettled, ended]],
    [
      'persisted',
      'nothing changes it',
      PLAIN,
      [intent, sent, answer({ persisted: true }), ended, restarted, givenUp()],
    ],
    ['refused', 'nothing changes it', PENCIL, [intent, sent, error('X', 409), saved, unsettled, resumed]],
    ['not-sent', 'nothing changes it', PENCIL, [intent, sent, failure('no'), saved, ack]],
    ['pending', 'a second answer', PENCIL, [...acked, answer({ persisted: true }), error('X', 409)]],

    ['pending', 'watched', 'writing.pencilResult', [unsettled]],
    ['settled', 'watched', 'writing.pencilResult', [unsettled, saved]],
    ['unknown-no-record', 'watched, and not there', 'writing.pencilResult', [gone]],
    ['settled', 'watched before it was there', 'writing.pencilResult', [gone, unsettled, saved]],
    ['prepared', 'nothing happened', PENCIL, []],
    ['prepared', 'nothing that means anything', PENCIL, [ended, resumed, givenUp(), failure('no'), ack]],
  ])('%s: %s (%s)', (state, _why, endpoint, events) => {
    expect(stateOf(endpoint, events)).toBe(state)
  })

  test('an answer for another request id is ignored', () => {
    const other = { requestId: 'other', windowId: 'theirs', settled: true }
    const state = (endpoint: string, events: OperationEvent[]): unknown => deriveOperation(endpoint, events, 'mine')
    expect(state(PENCIL, [intent, sent, answer(other, 202)])).toMatchObject({
      state: 'unknown-no-answer',
      facts: { windowId: null, settled: null },
    })
    expect(state(SESSION, [intent, sent, answer(other)])).toMatchObject({ state: 'unknown-no-answer' })
    expect(state(PENCIL, [...acked, result(other)])).toMatchObject({ state: 'pending', facts: { settled: null } })
    expect(state(PENCIL, [...acked, result({ ...other, requestId: 'mine' })])).toMatchObject({ state: 'settled' })
  })

  test('a check says nothing about a refused command: its request id belongs to another', () => {
    for (const refusal of [{ ...error('REQUEST_CONFLICT', 409), ...taken }, error('OPERATION_UNFINISHED', 409)]) {
      expect(deriveOperation(PENCIL, [intent, sent, refusal, saved]).facts).toMatchObject({
        outcome: null,
        persistedSnapshotVerified: null,
      })
    }
  })

  test('of a snapshot only a look says something, and a word is not longer than a word', () => {
    const said = { persistedSnapshotVerified: true, snapshotCurrent: true, windowId: 'w'.repeat(9_000) }
    expect(deriveOperation(PENCIL, [intent, sent, answer(said, 202)]).facts).toMatchObject({
      persistedSnapshotVerified: null,
      snapshotCurrent: null,
      windowId: 'w'.repeat(200),
    })
  })

  test('each transition has its event and its time', () => {
    const events = [intent, read('before', {}), sent, ack, unsettled, unsettled, saved]
    expect(deriveOperation(PENCIL, events).transitions).toEqual([
      { state: 'prepared', at: 1, event: 0 },
      { state: 'sent', at: 2, event: 2 },
      { state: 'pending', at: 3, event: 3 },
      { state: 'settled', at: 4, event: 6 },
    ])
  })

  test('facts are the last that the host said of the command, and nothing of what a look was refused with', () => {
    const busy = result({ error: { code: 'SCAN_BUSY' }, persistedSnapshotVerified: true, outcome: 'saved' }, 429)
    const later = result({ settled: true, outcome: 'failed', persistedSnapshotVerified: false, snapshotCurrent: 'no' })
    expect(deriveOperation(PENCIL, [...acked, busy, later, read('after', { persisted: true })]).facts).toEqual({
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
