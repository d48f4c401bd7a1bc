import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../../shared/bridge/endpoints/index.ts'
import { startComposedApp } from '../../../support/program/composed-app.ts'
import type { AlterResponse } from '../../../support/hosts/altering-host.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import {
  buildCommitDraft,
  restartHost,
  startWritableApp,
  buildTitleDraft,
} from '../../../support/program/writable-app.ts'

describe('a write', () => {
  test('is shown exactly as it will be sent, without the token', async () => {
    const { app, card, host } = await startWritableApp()
    const shown = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'New'))
    expect(shown).toMatchObject({
      method: 'POST',
      path: `/notes/${card.noteid}/title`,
      body: '{"text":"New","confirm":true}',
      added: ['confirm'],
      requiresMax: true,
      listed: true,
      canPreview: true,
    })
    expect(JSON.stringify(shown)).not.toContain(host.token)
    expect(shown.headers['Authorization']).toBe('Bearer ••••')
  })

  test('is sent once, verified by reading before and after, and only then called saved', async () => {
    const { card, sendDraft, listWrites } = await startWritableApp()
    const before = card.title
    const done = await sendDraft(buildTitleDraft(card.noteid, 'New'))
    expect(done.summary).toMatchObject({ state: 'persisted', verdict: { code: 'saved-and-verified', persisted: true } })
    expect(done.changes).toContainEqual({ field: 'title', before, after: 'New' })
    expect(done.events.map(({ kind }) => kind)).toEqual(['intent', 'read-back', 'sent', 'answer', 'read-back'])
    expect(listWrites()).toHaveLength(1)
  })

  test('keeps who composed it and how long it took; neither reaches the host', async () => {
    const { host, app, card, sendDraft } = await startWritableApp()
    const done = await sendDraft({ ...buildTitleDraft(card.noteid, 'From the tree'), caller: 'tree' })
    expect(done.summary).toMatchObject({ caller: 'tree', durationMs: expect.any(Number) })
    const sent = done.events.find(({ kind }) => kind === 'sent')?.at ?? 0
    const answered = done.events.find(({ kind }) => kind === 'answer')?.at ?? 0
    expect(done.summary.durationMs).toBe(answered - sent)
    expect(done.body).toBe('{"text":"From the tree","confirm":true}')
    expect((await sendDraft(buildTitleDraft(card.noteid, 'By nobody known'))).summary.caller).toBeNull()
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'Nowhere'))
    await host.close()
    const unsent = await app.call('operations.send', { ticket })
    expect(unsent.summary).toMatchObject({ failureCode: 'CONNECTION_REFUSED', errorCode: null, durationMs: null })
  })

  test('keeps the title that its card had when it was last read', async () => {
    const { card, sendDraft } = await startWritableApp()
    const done = await sendDraft(buildTitleDraft(card.noteid, 'New'))
    expect(done.summary).toMatchObject({ noteid: card.noteid, cardTitle: 'New' })
  })

  test('safety 41: a ticket is good for one send, however often Send is pressed', async () => {
    const { app, card, listWrites } = await startWritableApp()
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'Once'))
    const results = await Promise.allSettled([1, 2, 3].map(() => app.call('operations.send', { ticket })))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(listWrites()).toHaveLength(1)
    expect((await app.callExpectingError('operations.send', { ticket })).wire.code).toBe('TICKET_INVALID')
  })

  test('safety 41: a missing answer is no reason to resend; the record says the outcome is unknown', async () => {
    const { host, app, card, listWrites } = await startWritableApp()
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'Lost'))
    host.setFault('reset')
    const lost = await app.call('operations.send', { ticket })
    expect(lost.summary.state).toBe('unknown-no-answer')
    expect(lost.summary.verdict.code).toBe('unknown-not-read-back')
    expect(listWrites().length).toBeLessThanOrEqual(1)
    host.setFault(null)
    const read = await app.call('operations.readBack', { id: lost.summary.id })
    expect(read.events.at(-1)).toMatchObject({ kind: 'read-back', when: 'asked' })
  })

  test('safety 42: the page’s confirm does not count, and a preview executes nothing', async () => {
    const { app, card, listWrites } = await startWritableApp()
    const before = card.title
    const draft = { ...buildTitleDraft(card.noteid, 'Preview'), body: { text: 'Preview', confirm: false } }
    const { ticket, body } = await app.call('operations.prepare', draft)
    expect(body).toContain('"confirm":true')
    const preview = await app.call('operations.preview', { ticket })
    expect(preview).toMatchObject({ status: 422, code: 'CONFIRM_REQUIRED', refusedAsExpected: true })
    expect(card.title).toBe(before)
    expect(listWrites()).toHaveLength(1)
    expect((await app.call('operations.send', { ticket })).summary.state).toBe('persisted')
  })

  test('safety 42: a ticket of another connection is stale', async () => {
    const { app, card, host, profileId } = await startWritableApp()
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'Stale'))
    await restartHost({ app, host, profileId })
    expect((await app.callExpectingError('operations.send', { ticket })).wire.code).toBe('TICKET_STALE')
  })

  test('a host error is a refusal, with what was read back', async () => {
    const { sendDraft, card } = await startWritableApp()
    const body = { role: 'practice', height: 9001 }
    const refused = await sendDraft({ endpoint: 'notes.blankBands', params: { noteid: card.noteid }, query: {}, body })
    expect(refused.summary).toMatchObject({
      state: 'refused',
      errorCode: 'NO_SELECTION',
      verdict: { code: 'refused-unchanged' },
    })
  })
})

describe('the lock', () => {
  test('safety 40: while locked no write is prepared, whatever the page requests; once unlocked for this run it is', async () => {
    const { app, card, listWrites, profileId } = await startWritableApp({ readOnly: true })
    expect(await app.call('operations.writing', { profileId })).toEqual({ profileId, writing: 'locked' })
    expect((await app.callExpectingError('operations.prepare', buildTitleDraft(card.noteid, 'x'))).wire.code).toBe(
      'READ_ONLY',
    )
    await app.call('operations.unlock', { profileId, scope: 'session' })
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'x'))
    await app.call('operations.unlock', { profileId, scope: 'lock' })
    expect((await app.callExpectingError('operations.send', { ticket })).wire.code).toBe('READ_ONLY')
    expect(listWrites()).toEqual([])
    await app.call('operations.unlock', { profileId, scope: 'profile' })
    expect(await app.call('operations.writing', { profileId })).toMatchObject({ writing: 'unlocked' })
  })
})

describe('a pencil commit', () => {
  test('is accepted, not done, until its result says so', async () => {
    const { set, card, sendDraft, getOperation, app } = await startWritableApp({ host: { settleMs: 700 } })
    const sent = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    expect(sent.summary).toMatchObject({ state: 'pending', tracking: 'polling', verdict: { code: 'accepted-only' } })
    const blocked = await app.call('operations.prepare', buildCommitDraft(set.topicid, card.noteid, 'r-2'))
    expect(blocked.blockedBy).toBe(sent.summary.id)
    await expect.poll(async () => (await getOperation(sent.summary.id)).summary.state).toBe('settled')
    const { summary } = await getOperation(sent.summary.id)
    expect(summary).toMatchObject({
      outcome: 'saved',
      tracking: 'ended',
      verdict: { code: 'saved-and-verified', persistedSnapshotVerified: true, snapshotCurrent: true },
    })
    const listed = await app.call('operations.list', { offset: 0, limit: 10, text: 'r-1' })
    expect(listed).toMatchObject({ total: 1, unfinished: 0 })
  })

  test('that settles as failed is never called saved', async () => {
    const { set, card, sendDraft, getOperation } = await startWritableApp({ host: { settleMs: 0 } })
    const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1', 'demo-fail'))
    await expect.poll(async () => (await getOperation(summary.id)).summary.state).toBe('settled')
    expect((await getOperation(summary.id)).summary).toMatchObject({
      outcome: 'failed',
      verdict: { code: 'settled-not-saved' },
    })
  })

  test('repeated is a replay, with another target a conflict; both are known before sending', async () => {
    const { set, card, sendDraft, app } = await startWritableApp()
    const first = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    const again = await app.call('operations.prepare', buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    expect(again.sameRequestId).toEqual({
      operationId: first.summary.id,
      relation: 'replay',
      same: true,
      body: first.body,
    })
    const other = await app.call('operations.prepare', buildCommitDraft(set.topicid, card.noteid, 'r-1', 'other'))
    expect(other.sameRequestId?.relation).toBe('conflict')
    const sent = await app.call('operations.send', { ticket: other.ticket })
    expect(sent.summary.state).toBe('conflict')
    expect(sent.earlier).toEqual(other.sameRequestId)
    expect(first.earlier).toBeNull()
  })

  test('whose host restarted is unknown, which does not mean nothing was saved', async () => {
    const { host, set, card, sendDraft, getOperation, app, profileId } = await startWritableApp({
      host: { settleMs: 60_000 },
    })
    const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    host.restart()
    await app.call('connection.connect', { profileId })
    await expect.poll(async () => (await getOperation(summary.id)).summary.state).toBe('unknown-host-restart')
  })

  test('that the host forgot while the app was away is not said to be lost by a restart of the host', async () => {
    const dataDir = createTempDir()
    const { host, set, card, sendDraft, app, profileId } = await startWritableApp({
      dataDir,
      host: { settleMs: 60_000 },
    })
    const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    expect(summary.state).toBe('pending')
    await app.dispose()
    // The record is gone, and the host is the same run.
    host.state.writingDesk.forgetRecords()
    const again = await startComposedApp(dataDir, ['--demo-nodes', '10'])
    await again.call('vault.set', { profileId, token: host.token, remember: false })
    await again.call('connection.connect', { profileId })
    const state = async () => (await again.call('operations.get', { id: summary.id })).summary.state
    await expect.poll(state).toBe('unknown-no-record')
  })

  test('of someone else is watched by its request id', async () => {
    const { host, app, set, card } = await startWritableApp({ host: { settleMs: 300 } })
    host.state.writingDesk.commit({
      surfaceId: 's',
      requestId: 'theirs',
      target: { topicid: set.topicid, noteid: card.noteid, layerId: '' },
    })
    const watched = await app.call('operations.watch', { requestId: 'theirs' })
    expect(watched.summary.origin).toBe('watched')
    await expect
      .poll(async () => (await app.call('operations.get', { id: watched.summary.id })).summary.state)
      .toBe('settled')
    const unknown = await app.call('operations.watch', { requestId: 'nobody' })
    expect(unknown.summary.state).toBe('unknown-no-record')
  })
})

test('a session command is confirmed by reading its record again', async () => {
  const { sendDraft, set, getOperation } = await startWritableApp()
  const body = { requestId: 's-1', runId: 'run', questionId: set.cards[0]?.noteid ?? '', carrier: 'focus' }
  const { summary } = await sendDraft({ endpoint: 'writing.sessionFocusBegin', params: {}, query: {}, body })
  expect(summary).toMatchObject({ state: 'pending', verdict: { code: 'accepted-only', persisted: true } })
  await expect.poll(async () => (await getOperation(summary.id)).summary.state).toBe('recorded')
  const done = await getOperation(summary.id)
  expect(done.summary).toMatchObject({ tracking: 'ended', verdict: { code: 'session-recorded' } })
  expect(done.events).toContainEqual(expect.objectContaining({ source: 'session-record', matches: true }))
})

test.each([
  ['a pause', 'writing.sessionPause', { state: 'active' }, { state: 'paused' }],
  ['a begin', 'writing.sessionFocusBegin', { state: 'idle' }, { state: 'active', questionId: 'Q' }],
  ['the first begin', 'writing.sessionFocusBegin', null, { state: 'active' }],
] as const)('%s is confirmed where the record names no request', async (_, endpoint, before, after) => {
  let isWritten = false
  const record = () => (isWritten ? after : before)
  const alter: AlterResponse = ({ path }) => {
    if (path.startsWith('/writing/session-')) isWritten = true
    if (path !== '/writing/context') return null
    const session = record()
    return { status: 200, body: { window: { topicid: 'T' }, ...(session && { practice: { runId: 'R', ...session } }) } }
  }
  const { sendDraft, getOperation } = await startWritableApp({ alter })
  const body = { requestId: 's-1', runId: 'R', questionId: 'Q', carrier: 'focus' }
  const { summary } = await sendDraft({ endpoint, params: {}, query: {}, body })
  await expect.poll(async () => (await getOperation(summary.id)).summary.verdict.code).toBe('session-recorded')
})

test('a body that differs from the contract is reported, and sent as is', async () => {
  const { app, card, sendDraft, listWrites } = await startWritableApp()
  const draft = { ...buildTitleDraft(card.noteid, ''), body: { text: 7, more: ['x'] } }
  const prepared = await app.call('operations.prepare', draft)
  expect(prepared.warnings).toContainEqual({
    code: 'body-differs',
    params: { places: '/text (type: string), /more (unknown)' },
  })
  const { summary } = await sendDraft(draft)
  expect(summary).toMatchObject({ state: 'refused', errorCode: 'BODY_INVALID' })
  expect(listWrites().map(({ body }) => body)).toEqual(['{"text":7,"more":["x"],"confirm":true}'])
  const good = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'T'))
  expect(good.warnings.map(({ code }) => code)).not.toContain('body-differs')
  const list = await app.call('operations.prepare', { ...draft, body: ['a list'] })
  expect(list).toMatchObject({ body: '["a list"]', added: [], canPreview: false })
  expect(list.warnings.map(({ code }) => code)).toContain('confirm-not-added')
})

test('a body that is written as JSON is shown, written down and sent as it was written', async () => {
  const { app, card, listWrites, getOperation } = await startWritableApp()
  const bodyText = '{ "text": "T", "big": 12345678901234567890, "one": 1.0, "one": 1e3 }\n'
  const draft = { endpoint: 'notes.title', params: { noteid: card.noteid }, query: {}, bodyText }
  const prepared = await app.call('operations.prepare', draft)
  const sent = '{"text": "T","big": 12345678901234567890,"one": 1.0,"one": 1e3,"confirm":true}'
  expect(prepared).toMatchObject({ body: sent, added: ['confirm'], canPreview: true })
  expect(prepared.warnings).toContainEqual({
    code: 'body-differs',
    params: { places: '/big (unknown), /one (unknown)' },
  })
  await app.call('operations.preview', { ticket: prepared.ticket })
  const { summary } = await app.call('operations.send', { ticket: prepared.ticket })
  expect(listWrites().map(({ body }) => body)).toEqual([sent.replace(',"confirm":true', ''), sent])
  expect((await getOperation(summary.id)).body).toBe(sent)
  const wrong = await app.callExpectingError('operations.prepare', { ...draft, bodyText: '{"text":' })
  expect(wrong.wire.code).toBe('BODY_NOT_JSON')
})

test('what the page says of confirm does not count in JSON either', async () => {
  const { app, card } = await startWritableApp()
  const bodyText = '{"text":"T","confirm":false,"n":12345678901234567890}'
  const draft = { endpoint: 'notes.title', params: { noteid: card.noteid }, query: {}, bodyText }
  const prepared = await app.call('operations.prepare', draft)
  expect(prepared.body).toBe('{"text":"T","n":12345678901234567890,"confirm":true}')
  expect(prepared.warnings.map(({ code }) => code)).toContain('confirm-ignored')
  // A batch of JSON-RPC calls is no object, and needs no confirm.
  const rpc = { endpoint: 'mcp.post', params: {}, query: {}, bodyText: '[{"jsonrpc":"2.0"}]' }
  const batch = await app.call('operations.prepare', rpc)
  expect(batch.body).toBe('[{"jsonrpc":"2.0"}]')
  expect(batch.warnings.map(({ code }) => code)).not.toContain('confirm-not-added')
})

test('pairing and uploads do not go through this gate', async () => {
  const { app, listWrites } = await startWritableApp()
  for (const [endpoint, code] of [
    ['install.code', 'NOT_A_WRITE'],
    ['install.get', 'NOT_A_WRITE'],
    ['pair.post', 'NOT_A_WRITE'],
    ['library.upload', 'UPLOAD_NEEDS_FILE'],
  ] as const) {
    const failed = await app.callExpectingError('operations.prepare', { endpoint, params: {}, query: {}, body: {} })
    expect(failed.wire.code, endpoint).toBe(code)
  }
  expect(listWrites()).toEqual([])
})

test('a route without a confirm gate says so, and finding a text may take over the screen', async () => {
  const { app, set } = await startWritableApp()
  const params = { bookmd5: set.documents[0] ?? '' }
  const warnings = async (endpoint: string, body: object) => {
    const own = endpoint === 'bundles.prepare' ? {} : params
    return (await app.call('operations.prepare', { endpoint, params: own, query: {}, body })).warnings.map(
      ({ code }) => code,
    )
  }
  expect(await warnings('documents.export', { topicid: 'T' })).toEqual(['no-confirm-gate'])
  expect(await warnings('bundles.prepare', { topicid: 'T', bookmd5: 'B', segments: [] })).toEqual(['no-confirm-gate'])
  expect(await warnings('documents.locate', { text: 'a', page: 1, navigate: true })).toEqual(['takes-over-screen'])
})

test('safety 42: every route without a gate of the host says so before anything is sent', async () => {
  const { app, listWrites } = await startWritableApp()
  const ungated = endpoints.filter(({ access, confirm, auth, returnsSecret: secret, createsProfile: pairs, body }) => {
    return access !== 'read' && confirm === 'none' && auth === 'token' && !secret && !pairs && body !== null
  })
  const told: Record<string, string> = {}
  for (const { id, parameters } of ungated) {
    const inPath = parameters.filter((one) => one.in === 'path')
    const params = Object.fromEntries(inPath.map(({ name, type }) => [name, type === 'integer' ? '1' : 'x']))
    const { warnings } = await app.call('operations.prepare', { endpoint: id, params, query: {}, body: {} })
    told[id] = warnings.map(({ code }) => code).find((code) => /^(no-confirm|takes-over)/.test(code)) ?? 'nothing'
  }
  const [runs, shows] = ['no-confirm-gate', 'takes-over-screen']
  expect(told).toEqual({
    'mcp.post': runs,
    'uiState.apply': runs,
    'studySets.createSnapshot': runs,
    'studySets.open': shows,
    'studySets.printExport': runs,
    'decks.open': shows,
    'documents.export': runs,
    'bundles.prepare': runs,
    'bundles.submit': runs,
    'bundles.focus': shows,
    'bundles.discard': runs,
    'sync.recheck': runs,
    'sync.inventory': runs,
    'notes.focus': shows,
  })
  expect(listWrites()).toEqual([])
})
