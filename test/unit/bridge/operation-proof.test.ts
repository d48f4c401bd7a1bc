import { describe, expect, test } from 'vitest'
import { changesOf, verdictOf } from '../../../shared/bridge/operation-proof.ts'
import { deriveOperation } from '../../../shared/bridge/operation.ts'
import type { OperationEvent } from '../../../shared/bridge/operation-states.ts'
import {
  ack,
  answer,
  ended,
  error,
  failure,
  givenUp,
  gone,
  intent,
  PENCIL,
  PLAIN,
  read,
  result,
  sent,
  SESSION,
  session,
  sessionAck,
} from '../../support/operation-events.ts'

const verdict = (endpoint: string, events: readonly OperationEvent[], body: unknown = {}): string =>
  verdictOf(endpoint, deriveOperation(endpoint, events), events, JSON.stringify(body)).code
const done = (endpoint: string, body: unknown, said: object, before: unknown, after: unknown): string =>
  verdict(
    endpoint,
    [intent, read('before', before), sent, answer({ persisted: true, ...said }), read('after', after)],
    body,
  )
const acked = [intent, sent, ack]

describe('the verdict', () => {
  test.each<[code: string, endpoint: string, events: OperationEvent[]]>([
    ['in-progress', PLAIN, [intent]],
    ['in-progress', PLAIN, [intent, sent]],
    ['nothing-sent', PLAIN, [intent, sent, failure('no')]],
    ['accepted-only', PENCIL, acked],
    ['accepted-only', PENCIL, [...acked, read('after', { title: 'other' })]],
    ['accepted-only', PENCIL, [...acked, givenUp('time-limit')]],
    ['saved-and-verified', PENCIL, [...acked, result({ settled: true, persistedSnapshotVerified: true })]],
    ['settled-not-saved', PENCIL, [...acked, result({ settled: true, persistedSnapshotVerified: false })]],
    ['settled-unverified', PENCIL, [...acked, result({ settled: true, outcome: 'saved' })]],
    ['settled-unverified', PENCIL, [...acked, result({ settled: true, persistedSnapshotVerified: 'true' })]],
    ['accepted-only', SESSION, [intent, sent, sessionAck]],
    ['session-recorded', SESSION, [intent, sent, sessionAck, session(true)]],
    ['session-other', SESSION, [intent, sent, sessionAck, session(false)]],
    ['no-confirmation-exists', SESSION, [intent, sent, sessionAck, givenUp('no-confirmation')]],
    ['saved-unverified', PLAIN, [intent, sent, answer({ persisted: true })]],
    ['unknown-not-read-back', PLAIN, [intent, sent, answer({})]],
    ['unknown-not-read-back', PLAIN, [intent, sent, ended, read('after', null)]],
    ['unknown-changed', PLAIN, [intent, read('before', { a: 1 }), sent, ended, read('asked', { a: 2 })]],
    ['unknown-unchanged', PENCIL, [intent, read('before', { a: 1 }), sent, ack, gone, read('after', { a: 1 })]],
    ['refused', PLAIN, [intent, sent, error('X', 409)]],
    ['refused-unchanged', PLAIN, [intent, read('before', {}), sent, error('X', 409), read('after', {})]],
    ['refused-changed', PLAIN, [intent, read('before', { a: 1 }), sent, error('X', 500), read('after', { a: [] })]],
  ])('%s of %s', (code, endpoint, events) => {
    expect(verdict(endpoint, events)).toBe(code)
  })

  test.each<[code: string, endpoint: string, body: unknown, said: object, before: unknown, after: unknown]>([
    ['saved-and-verified', 'notes.title', { title: 'New' }, {}, { title: 'Old' }, { title: 'New' }],
    ['saved-but-differs', 'notes.title', { title: 'New' }, {}, { title: 'Old' }, { title: 'Old' }],
    ['saved-unverified', 'notes.title', { title: 'New' }, {}, null, null],
    ['saved-and-verified', 'notes.text', { text: 't' }, {}, {}, { texts: [{ text: 't' }] }],
    ['saved-but-differs', 'notes.text', { text: 't' }, {}, {}, { texts: [null, { text: 'u' }] }],
    ['saved-and-verified', 'notes.metadata', { colorIndex: 3 }, {}, {}, { metadata: { colorIndex: 3, fillIndex: 0 } }],
    ['saved-but-differs', 'notes.metadata', { colorIndex: 3 }, {}, {}, { metadata: { colorIndex: 2 } }],
    ['saved-unverified', 'notes.metadata', { colorIndex: 3 }, {}, {}, { metadata: null }],
    ['saved-and-verified', 'notes.hashtags', { add: ['#a'], remove: ['b'] }, {}, {}, { hashtags: ['a', '#c'] }],
    ['saved-but-differs', 'notes.hashtags', { remove: ['b'] }, {}, {}, { hashtags: ['#b'] }],
    ['saved-but-differs', 'notes.hashtags', { add: ['x'] }, {}, {}, { hashtags: [7] }],
    ['saved-and-verified', 'notes.blankBands', {}, { band: { seq: 1 } }, { bands: [] }, { bands: [{ seq: 1 }] }],
    ['saved-but-differs', 'notes.blankBands', {}, { band: { seq: 1 } }, { bands: [] }, { bands: [{ seq: 0 }] }],
    ['saved-and-verified', 'notes.blankBands', {}, {}, {}, { bands: [{}] }],
    ['saved-and-verified', 'notes.practiceVerdict', {}, { commentsRevision: '4' }, {}, { commentsRevision: 4 }],
    ['saved-unverified', 'notes.practiceVerdict', {}, { commentsRevision: '4' }, {}, { commentsRevision: '5' }],
    ['saved-but-differs', 'notes.practiceVerdict', {}, { commentsRevision: '4' }, {}, { commentsRevision: '3' }],
    ['saved-and-verified', 'notes.delete', {}, {}, { exists: true }, { exists: false }],
    ['saved-but-differs', 'notes.delete', {}, {}, { exists: true }, { exists: true }],
    ['saved-unverified', 'notes.move', {}, {}, { a: 1 }, { a: 2 }],
    ['saved-unverified', '__proto__', {}, {}, { a: 1 }, { a: 2 }],
  ])('%s: %s %j', (code, endpoint, body, said, before, after) => {
    expect(done(endpoint, body, said, before, after)).toBe(code)
  })
})

test('changes are between what was read before and what was read last', () => {
  const events = [
    read('before', { title: 'a', tags: ['x'], same: { deep: [1] } }),
    read('after', { title: 'b' }),
    read('asked', { title: 'c', tags: ['x', 'y'], same: { deep: [1] }, added: 0 }),
  ]
  expect(changesOf(events)).toEqual([
    { field: 'title', before: 'a', after: 'c' },
    { field: 'tags', before: ['x'], after: ['x', 'y'] },
    { field: 'added', before: null, after: 0 },
  ])
  expect(changesOf([read('before', { a: 1 }), read('after', 'not facts')])).toEqual([])
  expect(changesOf([read('after', { a: 1 })])).toEqual([])
})
