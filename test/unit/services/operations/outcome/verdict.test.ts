import { describe, expect, test } from 'vitest'
import { getSentNames, computeVerdict } from '../../../../../electron/services/operations/outcome/verdict.ts'
import {
  findChanges,
  findLaterChanges,
  collectReadBacks,
} from '../../../../../electron/services/operations/outcome/effect.ts'
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
  intent,
  PENCIL,
  PLAIN,
  readBack,
  pollResult,
  sentEvent,
  SESSION,
  observeSession,
  sessionAck,
} from '../../../../support/services/operation-events.ts'

const getVerdict = (endpoint: string, events: readonly OperationEvent[], body: unknown = {}): string =>
  computeVerdict({ endpoint, body: JSON.stringify(body), requestId: null }, deriveOperation(endpoint, events), events)
    .code
const getVerdictOfSaved = (
  endpoint: string,
  body: unknown,
  responseMembers: object,
  before: unknown,
  after: unknown,
): string =>
  getVerdict(
    endpoint,
    [
      intent,
      readBack('before', before),
      sentEvent,
      respond({ persisted: true, ...responseMembers }),
      readBack('after', after),
    ],
    body,
  )
const createBodyForTwo = (more: object = {}): object => ({ noteIds: ['A', 'B'], ...more })
/** The stored form of a session record that the host repeats unchanged. */
const sessionAgain = { ...observeSession(false, null), asBefore: true } as OperationEvent
const acked = [intent, sentEvent, ack]
const verified = { settled: true, persistedSnapshotVerified: true }

describe('verdict of an operation', () => {
  test.each<[code: string, endpoint: string, events: OperationEvent[]]>([
    ['in-progress', PLAIN, [intent]],
    ['in-progress', PLAIN, [intent, sentEvent]],
    ['nothing-sent', PLAIN, [intent, sentEvent, fail('no')]],
    ['accepted-only', PENCIL, acked],
    ['accepted-only', PENCIL, [...acked, readBack('after', { title: 'other' })]],
    ['accepted-only', PENCIL, [...acked, giveUp('time-limit')]],
    ['saved-and-verified', PENCIL, [...acked, pollResult({ settled: true, persistedSnapshotVerified: true })]],
    ['settled-not-saved', PENCIL, [...acked, pollResult({ settled: true, persistedSnapshotVerified: false })]],
    ['settled-unverified', PENCIL, [...acked, pollResult({ settled: true, outcome: 'saved' })]],
    ['settled-unverified', PENCIL, [...acked, pollResult({ settled: true, persistedSnapshotVerified: 'true' })]],
    ['accepted-only', SESSION, [intent, sentEvent, sessionAck]],
    ['session-recorded', SESSION, [intent, sentEvent, sessionAck, observeSession(true)]],
    ['session-settled', SESSION, [intent, sentEvent, respond({ settled: true, outcome: 'applied' })]],
    ['session-settled', SESSION, [intent, sentEvent, respond({ settled: true, persisted: false })]],
    ['session-other', SESSION, [intent, sentEvent, sessionAck, observeSession(false)]],
    ['no-confirmation-exists', SESSION, [intent, sentEvent, sessionAck, giveUp('no-confirmation')]],
    ['saved-unverified', PLAIN, [intent, sentEvent, respond({ persisted: true })]],
    ['unknown-not-read-back', PLAIN, [intent, sentEvent, respond({})]],
    ['unknown-not-read-back', PLAIN, [intent, sentEvent, appEnded, readBack('after', null)]],
    [
      'unknown-changed',
      PLAIN,
      [intent, readBack('before', { a: 1 }), sentEvent, appEnded, readBack('asked', { a: 2 })],
    ],
    [
      'unknown-unchanged',
      PENCIL,
      [intent, readBack('before', { a: 1 }), sentEvent, ack, recordGone, readBack('after', { a: 1 })],
    ],
    ['refused', PLAIN, [intent, sentEvent, respondError('X', 409)]],
    [
      'refused-unchanged',
      PLAIN,
      [intent, readBack('before', {}), sentEvent, respondError('X', 409), readBack('after', {})],
    ],
    [
      'refused-changed',
      PLAIN,
      [intent, readBack('before', { a: 1 }), sentEvent, respondError('X', 409), readBack('after', { a: [] })],
    ],
    [
      'unknown-changed',
      PLAIN,
      [intent, readBack('before', { a: 1 }), sentEvent, respondError('X', 500), readBack('after', { a: [] })],
    ],
    ['session-none', SESSION, [intent, sentEvent, sessionAck, observeSession(false, { session: null })]],
    ['session-none', SESSION, [intent, sentEvent, sessionAck, observeSession(false, { session: null }), sessionAgain]],
    ['session-recorded', SESSION, [intent, sentEvent, sessionAck, observeSession(false), observeSession(true)]],
    ['saved-and-verified', PENCIL, [...acked, pollResult({ ...verified, snapshotCurrent: false })]],
    [
      'saved-and-verified',
      PENCIL,
      [...acked, pollResult(verified), pollResult({ ...verified, snapshotCurrent: false })],
    ],
    ['saved-and-verified', PENCIL, [...acked, pollResult({ settled: true }), pollResult(verified)]],
    [
      'settled-unverified',
      PENCIL,
      [...acked, pollResult({ ...verified, settled: false }), pollResult({ settled: true })],
    ],
    ['settled-contradictory', PENCIL, [...acked, pollResult({ ...verified, outcome: 'failed' })]],
    ['settled-contradictory', PENCIL, [...acked, pollResult({ ...verified, error: { code: 'X' } })]],
    ['settled-not-saved', PENCIL, [...acked, pollResult({ settled: true, error: { code: 'X' } })]],
    ['settled-contradictory', PENCIL, [...acked, pollResult({ ...verified, persisted: false })]],
    ['accepted-only', SESSION, [intent, sentEvent, respond({ persisted: false }), giveUp('no-confirmation')]],
    ['settled-unverified', PENCIL, [intent, sentEvent, respond(verified, 202), pollResult({ settled: true })]],
  ])('is %s for %s', (code, endpoint, events) => {
    expect(getVerdict(endpoint, events)).toBe(code)
  })

  test.each<[code: string, endpoint: string, body: unknown, said: object, before: unknown, after: unknown]>([
    ['saved-and-verified', 'notes.title', { text: 'New' }, {}, { title: 'Old' }, { title: 'New' }],
    ['saved-but-differs', 'notes.title', { text: 'New' }, {}, { title: 'Old' }, { title: 'Old' }],
    ['saved-unverified', 'notes.title', { text: 'New' }, {}, null, null],
    ['saved-and-verified', 'notes.text', { text: 't' }, {}, {}, { texts: [{ index: 0, text: 't' }] }],
    ['saved-but-differs', 'notes.text', { text: 't' }, {}, {}, { texts: [null, { index: 0, text: 'u' }] }],
    ['saved-but-differs', 'notes.text', { text: 't' }, {}, {}, { texts: [{ index: 2, text: 't' }] }],
    ['saved-and-verified', 'notes.comments', { text: 't' }, { index: 3 }, {}, { texts: [{ index: 3, text: 't' }] }],
    ['saved-unverified', 'notes.comments', { text: 't' }, {}, {}, { texts: [{ index: 3, text: 't' }] }],
    ['saved-and-verified', 'notes.comments', { text: 't' }, {}, { texts: [] }, { texts: [{ index: 3, text: 't' }] }],
    ['saved-but-differs', 'notes.comments', { text: 't' }, {}, { texts: [{ text: 't' }] }, { texts: [{ text: 't' }] }],
    ['saved-and-verified', 'notes.fold', { folded: true }, {}, {}, { folded: true }],
    [
      'saved-but-differs',
      'notes.fold',
      createBodyForTwo({ folded: true }),
      {},
      {},
      { 'A.folded': true, 'B.folded': false },
    ],
    ['saved-and-verified', 'notes.delete', createBodyForTwo(), {}, {}, { 'A.exists': false, 'B.exists': false }],
    ['saved-but-differs', 'notes.delete', createBodyForTwo(), {}, {}, { 'A.exists': false, 'B.exists': true }],
    ['saved-unverified', 'notes.delete', createBodyForTwo(), {}, {}, { 'A.exists': false }],
    [
      'saved-and-verified',
      'notes.hashtags',
      createBodyForTwo({ operation: 'add', hashtags: ['x'] }),
      {},
      {},
      { 'A.hashtags': ['#x'], 'B.hashtags': ['x'] },
    ],
    [
      'saved-but-differs',
      'notes.hashtags',
      createBodyForTwo({ operation: 'add', hashtags: ['x'] }),
      {},
      {},
      { 'A.hashtags': ['#x'], 'B.hashtags': [] },
    ],
    [
      'saved-and-verified',
      'notes.metadata',
      { patch: { colorIndex: 3 } },
      {},
      {},
      { metadata: { colorIndex: 3, fillIndex: 0 } },
    ],
    ['saved-but-differs', 'notes.metadata', { patch: { colorIndex: 3 } }, {}, {}, { metadata: { colorIndex: 2 } }],
    ['saved-unverified', 'notes.metadata', { patch: { colorIndex: 3 } }, {}, {}, { metadata: null }],
    ['saved-and-verified', 'notes.hashtags', { operation: 'add', hashtags: ['#a'] }, {}, {}, { hashtags: ['A', '#c'] }],
    ['saved-but-differs', 'notes.hashtags', { operation: 'remove', hashtags: ['b'] }, {}, {}, { hashtags: ['#b'] }],
    ['saved-but-differs', 'notes.hashtags', { operation: 'add', hashtags: ['x'] }, {}, {}, { hashtags: [7] }],
    // A host may compose the characters of a text otherwise.
    [
      'saved-and-verified',
      'notes.hashtags',
      { operation: 'add', hashtags: ['cafe\u0301'] },
      {},
      {},
      { hashtags: ['caf\u00e9'] },
    ],
    ['saved-and-verified', 'notes.title', { text: 'Cafe\u0301' }, {}, {}, { title: 'Caf\u00e9' }],
    ['saved-but-differs', 'notes.title', { text: 'Cafe' }, {}, {}, { title: 'Caf\u00e9' }],
    ['saved-and-verified', 'notes.hashtags', { operation: 'replace', hashtags: [] }, {}, {}, { hashtags: [] }],
    [
      'saved-but-differs',
      'notes.hashtags',
      { operation: 'replace', hashtags: ['a'] },
      {},
      {},
      { hashtags: ['a', 'b'] },
    ],
    ['saved-unverified', 'notes.hashtags', {}, {}, {}, { hashtags: ['x'] }],
    ['saved-and-verified', 'notes.blankBands', {}, { band: { seq: 1 } }, { bands: [] }, { bands: [{ seq: 1 }] }],
    [
      'saved-but-differs',
      'notes.blankBands',
      {},
      { band: { seq: 1 } },
      { bands: [{ seq: 1 }] },
      { bands: [{ seq: 1 }] },
    ],
    [
      'saved-but-differs',
      'notes.blankBands',
      { height: 9 },
      { band: { seq: 1 } },
      {},
      { bands: [{ seq: 1, height: 8 }] },
    ],
    ['saved-unverified', 'notes.blankBands', {}, {}, null, { bands: [{}] }],
    ['saved-but-differs', 'notes.blankBands', { height: 9 }, {}, { bands: [] }, { bands: [{ height: 8 }] }],
    ['saved-and-verified', 'notes.blankBands', { height: 9 }, {}, {}, { bands: [{ height: 8 }, { height: 9 }] }],
    ['saved-unverified', 'notes.blankBands', { height: 9 }, {}, {}, { bands: [{}] }],
    ['saved-but-differs', 'notes.blankBands', {}, { band: { seq: 1 } }, { bands: [] }, { bands: [{ seq: 0 }] }],
    ['saved-and-verified', 'notes.blankBands', {}, {}, {}, { bands: [{}] }],
    ['saved-and-verified', 'notes.practiceVerdict', {}, { commentsRevision: '4' }, {}, { commentsRevision: 4 }],
    ['saved-unverified', 'notes.practiceVerdict', {}, { commentsRevision: '4' }, {}, { commentsRevision: '5' }],
    ['saved-but-differs', 'notes.practiceVerdict', {}, { commentsRevision: '4' }, {}, { commentsRevision: '3' }],
    ['saved-unverified', 'notes.practiceVerdict', {}, { commentsRevision: 'b' }, {}, { commentsRevision: 'a' }],
    [
      'saved-but-differs',
      'notes.practiceVerdict',
      {},
      { commentsRevision: '4', hashtags: ['#practice/again'] },
      {},
      { commentsRevision: '4', hashtags: [] },
    ],
    ['saved-and-verified', 'notes.delete', {}, {}, { exists: true }, { exists: false }],
    ['saved-but-differs', 'notes.delete', {}, {}, { exists: true }, { exists: true }],
    ['saved-unverified', 'notes.move', {}, {}, { a: 1 }, { a: 2 }],
    ['saved-unverified', '__proto__', {}, {}, { a: 1 }, { a: 2 }],
  ])('is %s for %s with %j', (code, endpoint, body, responseMembers, before, after) => {
    expect(getVerdictOfSaved(endpoint, body, responseMembers, before, after)).toBe(code)
  })
})

describe('verdict of a success without persisted', () => {
  test.each<[string, unknown, unknown]>([
    ['unsaid-but-verified', { title: 'Old' }, { title: 'New' }],
    ['unknown-unchanged', { title: 'New' }, { title: 'New' }],
    ['unknown-changed', { title: 'Old' }, { title: 'Other' }],
    ['unknown-not-read-back', null, { title: 'New' }],
  ])('is %s for %j, then %j', (code, before, after) => {
    const events = [intent, readBack('before', before), sentEvent, respond({}), readBack('after', after)]
    expect(getVerdict('notes.title', events, { text: 'New' })).toBe(code)
  })
})

describe('read-back facts', () => {
  const compareReads = (endpoint: string, events: readonly OperationEvent[]) => {
    const reads = collectReadBacks(deriveOperation(endpoint, events), events)
    return [findChanges(reads), findLaterChanges(reads)]
  }
  const before = readBack('before', { title: 'a', tags: ['x'], same: { deep: [1] } })
  const later = readBack('asked', { title: 'c', tags: ['x', 'y'], same: { deep: [1] }, added: 0 })

  test('are compared as of the end of the command, apart from later changes', () => {
    const events = [intent, before, sentEvent, respond({ persisted: true }), readBack('after', { title: 'b' }), later]
    const [changed, since] = compareReads(PLAIN, events)
    expect(changed).toEqual([
      { field: 'title', before: 'a', after: 'b' },
      { field: 'tags', before: ['x'], after: null },
      { field: 'same', before: { deep: [1] }, after: null },
    ])
    expect(since).toContainEqual({ field: 'title', before: 'b', after: 'c' })
    const body = { text: 'b' }
    expect(getVerdict('notes.title', events, body)).toBe('saved-and-verified')
    const failed = { ...readBack('after', null), error: {} } as OperationEvent
    const laterEvents = [
      intent,
      before,
      sentEvent,
      respond({ persisted: true }),
      failed,
      readBack('asked', { title: 'b' }),
      later,
    ]
    expect(getVerdict('notes.title', laterEvents, body)).toBe('saved-and-verified')
  })

  test('are compared as last read if the end of the command is unknown', () => {
    const events = [intent, before, sentEvent, fail('maybe'), readBack('after', { title: 'a' }), later]
    const [changed, since] = compareReads(PLAIN, events)
    expect(changed).toEqual([
      { field: 'title', before: 'a', after: 'c' },
      { field: 'tags', before: ['x'], after: ['x', 'y'] },
      { field: 'added', before: null, after: 0 },
    ])
    expect(since).toEqual([])
  })

  test('are not compared if one of the two reads is missing', () => {
    expect(compareReads(PLAIN, [intent, before, sentEvent, respond({}), readBack('after', 'not facts')])).toEqual([
      [],
      [],
    ])
    expect(compareReads(PLAIN, [intent, sentEvent, respond({}), later])).toEqual([[], []])
  })
})

describe('observation that proves nothing', () => {
  const lost = [intent, sentEvent, fail('maybe')]
  test.each<[why: string, code: string, endpoint: string, events: OperationEvent[]]>([
    ['giving up a commit without a response', 'unknown-not-read-back', PENCIL, [...lost, giveUp('time-limit')]],
    ['giving up a command in flight', 'unknown-not-read-back', PENCIL, [intent, sentEvent, appEnded, giveUp('person')]],
    ['giving up a session without a response', 'unknown-not-read-back', SESSION, [...lost, giveUp('no-confirmation')]],
    ['giving up a plain write', 'unknown-not-read-back', PLAIN, [...lost, giveUp('person')]],
    [
      'giving up a command that the host never knew',
      'unknown-not-read-back',
      'writing.pencilResult',
      [recordGone, giveUp()],
    ],
    ['giving up an accepted command', 'accepted-only', SESSION, [intent, sentEvent, sessionAck, giveUp('time-limit')]],
  ])('%s: %s', (_why, code, endpoint, events) => {
    expect(getVerdict(endpoint, events)).toBe(code)
  })

  test('is a revision that is neither text nor number', () => {
    const judgeRevisions = (returned: unknown, readBack: unknown): string =>
      getVerdictOfSaved('notes.practiceVerdict', {}, { commentsRevision: returned }, {}, { commentsRevision: readBack })
    expect(judgeRevisions({ toString: 1 }, { toString: 1 })).toBe('saved-unverified')
    expect(judgeRevisions({ v: 7 }, { v: 3 })).toBe('saved-unverified')
  })

  test('is a delete of something that did not exist before', () => {
    expect(getVerdictOfSaved('studySets.delete', {}, {}, { exists: false }, { exists: false })).toBe('saved-unverified')
  })

  test('is an unchanged value if the host denies the write', () => {
    const events = [intent, readBack('before', { title: 'T', at: 1 }), sentEvent, respond({ persisted: false })]
    expect(getVerdict(PLAIN, [...events, readBack('after', { title: 'T', at: 2 })], { text: 'T' })).toBe(
      'unknown-changed',
    )
    const denied = [intent, readBack('before', { title: 'Old' }), sentEvent, respond({ persisted: false })]
    expect(getVerdict(PLAIN, [...denied, readBack('after', { title: 'T' })], { text: 'T' })).toBe('unknown-changed')
  })

  test('is a read from before the response', () => {
    const failed = { ...readBack('after', null), error: { kind: 'offline' } } as OperationEvent
    const events = [intent, readBack('before', { title: 'Old' }), sentEvent, readBack('asked', { title: 'Old' })]
    expect(getVerdict(PLAIN, [...events, respond({ persisted: true }), failed], { text: 'New' })).toBe(
      'saved-unverified',
    )
  })
})

describe('outcome reported by other members than persisted', () => {
  const judgeResponse = (endpoint: string, body: unknown) => {
    const events = [intent, sentEvent, respond(body)]
    const derived = deriveOperation(endpoint, events)
    const { done, quoted } = computeVerdict({ endpoint, body: null, requestId: null }, derived, events)
    return [derived.state, done, quoted]
  }

  test('is a success if the row documents it, and is quoted', () => {
    expect(judgeResponse('decks.create', { isDeck: true })).toEqual([
      'persisted',
      'yes',
      [{ at: '/isDeck', value: 'true' }],
    ])
    expect(judgeResponse('studySets.delete', { removedFromLibrary: true })[0]).toBe('persisted')
  })

  test('is never a plain success if less was done than requested', () => {
    const quoted = [
      { at: '/created', value: 'false' },
      { at: '/persisted', value: 'true' },
    ]
    expect(judgeResponse('studySets.createSnapshot', { created: false, persisted: true })).toEqual([
      'unconfirmed',
      'partly',
      quoted,
    ])
    expect(judgeResponse(PLAIN, { persisted: true, ignoredFields: ['markdown'] }).slice(0, 2)).toEqual([
      'unconfirmed',
      'partly',
    ])
    expect(judgeResponse('studySets.removeDocument', { removed: false, persisted: true }).slice(0, 2)).toEqual([
      'unconfirmed',
      'no',
    ])
    expect(judgeResponse('notes.move', {}).slice(0, 2)).toEqual(['unconfirmed', 'not reported'])
  })

  test('is less than requested only for requested effects', () => {
    const judgeUpload = (query: string) => {
      const path = `/library/documents/upload?filename=a.pdf${query}&confirm=1`
      const command = { endpoint: 'library.upload', body: null, requestId: null, path }
      const events = [intent, sentEvent, respond({ addedToStudySet: false, movedToFolder: true })]
      const derived = deriveOperation(command.endpoint, events, null, getSentNames(command))
      return [derived.state, computeVerdict(command, derived, events).done]
    }
    expect(judgeUpload('&folder=a')).toEqual(['persisted', 'yes'])
    expect(judgeUpload('&folder=a&topicid=T')).toEqual(['unconfirmed', 'partly'])
  })

  test('is no success for an unsaved part, even if the read-back equals the request', () => {
    const judgeTitleResponse = (responseBody: object) =>
      getVerdict(
        'notes.title',
        [
          intent,
          readBack('before', { title: 'Old' }),
          sentEvent,
          respond(responseBody),
          readBack('after', { title: 'New' }),
        ],
        { text: 'New' },
      )
    expect(judgeTitleResponse({})).toBe('unsaid-but-verified')
    expect(judgeTitleResponse({ partial: true })).toBe('unknown-changed')
    expect(judgeTitleResponse({ ignoredFields: ['markdown'] })).toBe('unknown-changed')
    expect(judgeTitleResponse({ created: false })).toBe('unknown-changed')
  })

  test('is truncated if it is long, and not taken from later responses', () => {
    const warnings = Array.from({ length: 500 }, (_, n) => `warning ${n}`)
    const [, , [, quoted]] = judgeResponse(PLAIN, { persisted: true, warnings }) as [
      string,
      string,
      { value: string }[],
    ]
    expect(quoted?.value.length).toBe(201)
    expect(judgeResponse(PENCIL, { state: 'pending', persisted: true })).toEqual(['pending', null, []])
  })
})

describe('outcome of a blank band, by the response of spec §2 without persisted', () => {
  const band = {
    noteid: 'N',
    closed: false,
    owner: 'addon',
    blankPageNo: 66_001,
    hasInk: false,
    seq: 0,
    live: true,
    inkParts: 0,
    height: 120,
    physicalNoteId: 'N-1',
    role: 'practice',
    pageNo: 1,
  }
  const bandResponse = { bridgeApiVersion: '0.91', band, bands: [band], noteid: 'N' }
  const judgeBand = (body: unknown, status = 200, reads: readonly [unknown, unknown] = [null, null]) => {
    const [before, after] = reads
    const events = [
      intent,
      ...(before ? [readBack('before', before)] : []),
      sentEvent,
      respond(body, status),
      ...(after ? [readBack('after', after)] : []),
    ]
    const command = { endpoint: 'notes.blankBands', body: JSON.stringify({ role: 'practice', height: 120 }) }
    const derived = deriveOperation(command.endpoint, events)
    const { code, done, persisted } = computeVerdict({ ...command, requestId: null }, derived, events)
    return [derived.state, done, code, persisted]
  }

  test('is confirmed by the returned band, and verified by the read-back', () => {
    expect(judgeBand(bandResponse)).toEqual(['persisted', 'yes', 'saved-unverified', null])
    expect(judgeBand(bandResponse, 200, [{ bands: [] }, { bands: [band] }])).toEqual([
      'persisted',
      'yes',
      'saved-and-verified',
      null,
    ])
    // A host whose cards do not list their bands does not contradict the response.
    expect(judgeBand(bandResponse, 200, [{ title: 'T' }, { title: 'T' }])).toEqual([
      'persisted',
      'yes',
      'saved-unverified',
      null,
    ])
  })

  test('is no success without a band, with persisted: false, or with a 409', () => {
    expect(judgeBand({ ...bandResponse, band: null }).slice(0, 2)).toEqual(['unconfirmed', 'not reported'])
    expect(judgeBand({ ...bandResponse, band: {} }).slice(0, 2)).toEqual(['unconfirmed', 'not reported'])
    expect(judgeBand({ ...bandResponse, persisted: false }).slice(0, 2)).toEqual(['unconfirmed', 'no'])
    expect(judgeBand({ error: { code: 'NO_SELECTION', message: 'm' } }, 409).slice(0, 2)).toEqual(['refused', 'no'])
  })
})
