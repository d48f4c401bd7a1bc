import { describe, expect, test } from 'vitest'
import {
  buildCommitDraft,
  restartHost,
  startWritableApp,
  buildTitleDraft,
} from '../../../support/program/writable-app.ts'

describe('preview', () => {
  test('safety 42: uses up its ticket and keeps its record if the host executed it', async () => {
    const { app, card, listWrites } = await startWritableApp({
      alter: ({ path }, { status }) =>
        path.endsWith('/title') && status === 422 ? { status: 200, body: { persisted: true } } : null,
    })
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'Executed'))
    const preview = await app.call('operations.preview', { ticket })
    expect(preview).toMatchObject({ status: 200, refusedAsExpected: false, spent: true })
    expect((await app.callExpectingError('operations.send', { ticket })).wire.code).toBe('TICKET_INVALID')
    expect(listWrites()).toHaveLength(1)
    const operation = await app.call('operations.get', { id: preview.operationId ?? '' })
    expect(operation.body).toBe('{"text":"Executed"}')
  })

  test('keeps its ticket if the host refused it for another reason', async () => {
    const error = { code: 'MAX_REQUIRED', message: 'm' }
    const { app, card } = await startWritableApp({
      alter: ({ path }, { status }) =>
        path.endsWith('/title') && status === 422 ? { status: 403, body: { error } } : null,
    })
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'New'))
    expect(await app.call('operations.preview', { ticket })).toMatchObject({ code: 'MAX_REQUIRED', spent: false })
    expect((await app.call('operations.send', { ticket })).summary.state).toBe('persisted')
  })

  test('holds its ticket while it is running', async () => {
    const { app, card, host } = await startWritableApp()
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'New'))
    host.setLatency(200)
    const pendingPreview = app.call('operations.preview', { ticket })
    expect((await app.callExpectingError('operations.send', { ticket })).wire.code).toBe('TICKET_INVALID')
    await pendingPreview
    host.setLatency(0)
    expect((await app.call('operations.send', { ticket })).summary.state).toBe('persisted')
  })
})

test('safety 40: writing unlocked for one address is locked at another', async () => {
  const { app, card, host, profileId } = await startWritableApp({ readOnly: true })
  await app.call('operations.unlock', { profileId, scope: 'session' })
  await app.call('operations.prepare', buildTitleDraft(card.noteid, 'x'))
  const auth = { header: 'Authorization', scheme: 'Bearer' }
  const baseUrl = host.baseUrl.replace('127.0.0.1', 'localhost')
  await app.call('profiles.save', { id: profileId, name: 'Host', baseUrl, auth, readOnly: true })
  await app.call('vault.set', { profileId, token: host.token, remember: false })
  await app.call('connection.connect', { profileId })
  expect(await app.call('operations.writing', { profileId })).toMatchObject({ writing: 'locked' })
  expect((await app.callExpectingError('operations.prepare', buildTitleDraft(card.noteid, 'x'))).wire.code).toBe(
    'READ_ONLY',
  )
})

describe('request id in use', () => {
  test('is no replay for a host that has restarted since, and blocks no other commit', async () => {
    const program = await startWritableApp({ host: { settleMs: 60_000 } })
    const { app, set, card, sendDraft } = program
    const first = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    await restartHost(program)
    const preparedAgain = await app.call('operations.prepare', buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    expect(preparedAgain.sameRequestId).toMatchObject({
      operationId: first.summary.id,
      relation: 'unclear',
      same: true,
    })
    expect(preparedAgain.warnings.map(({ code }) => code)).toEqual(expect.arrayContaining(['id-used-before']))
    expect(preparedAgain.blockedBy).toBeNull()
  })

  test('is free again if the host refused the command', async () => {
    const { app, set, card, sendDraft } = await startWritableApp({ host: { settleMs: 60_000 } })
    const first = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    const refused = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-2'))
    expect(refused.summary.state).toBe('refused')
    const preparedAgain = await app.call('operations.prepare', buildCommitDraft(set.topicid, card.noteid, 'r-2'))
    expect([preparedAgain.sameRequestId, preparedAgain.blockedBy]).toEqual([null, first.summary.id])
  })

  test('can be watched if another program uses it, also after a conflict of our own command', async () => {
    const { app, host, set, card, sendDraft } = await startWritableApp({ host: { settleMs: 300 } })
    const target = { topicid: set.topicid, noteid: card.noteid, layerId: 'theirs' }
    host.state.writingDesk.commit({ surfaceId: 'other', requestId: 'r-1', target })
    const ownOperation = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    expect(ownOperation.summary.state).toBe('conflict')
    const watched = await app.call('operations.watch', { requestId: 'r-1' })
    expect(watched.summary).toMatchObject({ origin: 'watched' })
    expect(watched.summary.id).not.toBe(ownOperation.summary.id)
  })
})

type Members = Readonly<Record<string, unknown>>

test.each([
  ['no target', () => undefined],
  ['a target without its layer', ({ topicid, noteid }: Members) => ({ topicid, noteid })],
  ['a target without a value for its layer', (target: Members) => ({ ...target, layerId: null })],
])('a refusal is no conflict if the host’s record has %s', async (_, alterTarget) => {
  const { host, set, card, sendDraft } = await startWritableApp({
    host: { settleMs: 300 },
    alter: ({ path }, { status, body }) => {
      if (!path.endsWith('/pencil-result')) return null
      const { target, ...rest } = body as { target: Members }
      return { status, body: { ...rest, target: alterTarget(target) } }
    },
  })
  const target = { topicid: set.topicid, noteid: card.noteid, layerId: 'theirs' }
  host.state.writingDesk.commit({ surfaceId: 'other', requestId: 'r-1', target })
  const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
  expect(summary.state).not.toBe('conflict')
  expect(host.log.some(({ path }) => path.endsWith('/pencil-result'))).toBe(true)
})

test('a commit that is no longer watched still blocks another in its window', async () => {
  const { app, set, card, sendDraft } = await startWritableApp({ host: { settleMs: 60_000 } })
  const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
  await app.call('operations.stop', { id: summary.id })
  const other = await app.call('operations.prepare', buildCommitDraft(set.topicid, card.noteid, 'r-2'))
  expect(other.blockedBy).toBe(summary.id)
})

test('an acknowledgement of another request does not count for this one', async () => {
  const { set, card, sendDraft } = await startWritableApp({
    alter: ({ path }, { status, body }) =>
      path.endsWith('/pencil-commit') ? { status, body: { ...(body as object), requestId: 'other' } } : null,
  })
  const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
  expect(summary.state).not.toBe('pending')
})

test('a server error leaves open whether the write was executed', async () => {
  const error = { code: 'INTERNAL', message: 'm' }
  const { card, sendDraft } = await startWritableApp({
    alter: ({ path }) => (path.endsWith('/title') ? { status: 500, body: { error } } : null),
  })
  const { summary, changes } = await sendDraft(buildTitleDraft(card.noteid, 'New'))
  expect(summary).toMatchObject({ state: 'unknown-no-answer', verdict: { code: 'unknown-changed' } })
  expect(changes.map(({ field }) => field)).toContain('title')
})

test('a read-back without the requested data is an error, and no field counts as removed', async () => {
  const { card, sendDraft } = await startWritableApp({
    alter: ({ path }) => (path.endsWith('/batch-get') ? { status: 200, body: { nothing: true } } : null),
  })
  const { summary, events, changes } = await sendDraft(buildTitleDraft(card.noteid, 'New'))
  expect(summary.verdict.code).toBe('saved-unverified')
  expect(changes).toEqual([])
  const read = events.filter((event) => event.kind === 'read-back')
  expect(read.map(({ facts, error }) => [facts, (error as { code: string }).code])).toEqual([
    [null, 'NOTHING_TO_READ'],
    [null, 'NOTHING_TO_READ'],
  ])
})

test('a command without read-back does not make reading everything back fail', async () => {
  const program = await startWritableApp()
  const { app, card, sendDraft } = program
  const focused = await sendDraft({ endpoint: 'notes.focus', params: { noteid: card.noteid }, query: {}, body: {} })
  expect(focused.readable).toBe(false)
  await sendDraft(buildTitleDraft(card.noteid, 'New'))
  await restartHost(program)
  await expect.poll(() => app.call('operations.readBackAll', {})).toEqual({ read: 1, failed: 0, nothing: 1 })
})

test('a band is proven by the returned band and the read-back, because the host does not report `persisted`', async () => {
  const { card, sendDraft } = await startWritableApp()
  const body = { role: 'practice', height: 120 }
  const done = await sendDraft({ endpoint: 'notes.blankBands', params: { noteid: card.noteid }, query: {}, body })
  expect(done.summary).toMatchObject({
    state: 'persisted',
    verdict: { code: 'saved-and-verified', persisted: null, done: 'yes', quoted: [{ at: '/band' }] },
  })
})

test('later changes are separate from the changes of a write', async () => {
  const { app, host, card, sendDraft } = await startWritableApp()
  const before = card.title
  const { summary } = await sendDraft(buildTitleDraft(card.noteid, 'Mine'))
  const changed = host.state.library.sets.flatMap(({ cards }) => cards).find(({ noteid }) => noteid === card.noteid)
  if (changed) changed.title = 'Theirs'
  const read = await app.call('operations.readBack', { id: summary.id })
  expect(read.changes).toContainEqual({ field: 'title', before, after: 'Mine' })
  expect(read.since).toContainEqual({ field: 'title', before: 'Mine', after: 'Theirs' })
  expect(read.summary.verdict.code).toBe('saved-and-verified')
})

describe('reviewed write', () => {
  test('safety 42: is not sent as a conflict if it was reviewed as new', async () => {
    const { app, set, card, listWrites } = await startWritableApp()
    const first = await app.call('operations.prepare', buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    const second = await app.call('operations.prepare', buildCommitDraft(set.topicid, card.noteid, 'r-1', 'other'))
    expect(second.warnings).toEqual(first.warnings)
    await app.call('operations.send', { ticket: first.ticket })
    expect((await app.callExpectingError('operations.send', { ticket: second.ticket })).wire.code).toBe(
      'TICKET_OUTDATED',
    )
    expect(listWrites()).toHaveLength(1)
  })

  test('is sent if its obstacle was shown or is gone', async () => {
    const program = await startWritableApp({ host: { settleMs: 3_600_000 } })
    const { app, host, set, card, sendDraft, getOperation } = program
    const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    const blocked = await app.call('operations.prepare', buildCommitDraft(set.topicid, card.noteid, 'r-2'))
    expect(blocked.blockedBy).toBe(summary.id)
    host.state.writingDesk.finishCommits()
    await expect.poll(async () => (await getOperation(summary.id)).summary.state).toBe('settled')
    expect((await app.call('operations.send', { ticket: blocked.ticket })).summary.state).toBe('pending')
  })
})

test('one request id is watched by one record, however often that is requested at once', async () => {
  const { app, host, set, card } = await startWritableApp({ host: { settleMs: 60_000 } })
  const target = { topicid: set.topicid, noteid: card.noteid, layerId: '' }
  host.state.writingDesk.commit({ surfaceId: 's', requestId: 'theirs', target })
  const twice = await Promise.all([1, 2].map(() => app.call('operations.watch', { requestId: 'theirs' })))
  expect(new Set(twice.map(({ summary }) => summary.id)).size).toBe(1)
})

test('all records can be marked as read together', async () => {
  const { app, card, sendDraft } = await startWritableApp()
  for (const text of ['One', 'Two']) await sendDraft(buildTitleDraft(card.noteid, text))
  expect((await app.call('operations.list', { offset: 0, limit: 1 })).unseen).toBe(2)
  await app.call('operations.seenAll', {})
  expect(await app.call('operations.list', { offset: 0, limit: 1 })).toMatchObject({ all: 2, unseen: 0 })
})
