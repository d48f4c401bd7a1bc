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

describe('write', () => {
  test('is shown exactly as it will be sent, without the token', async () => {
    const { app, card, host } = await startWritableApp()
    const prepared = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'New'))
    expect(prepared).toMatchObject({
      method: 'POST',
      path: `/notes/${card.noteid}/title`,
      body: '{"text":"New","confirm":true}',
      added: ['confirm'],
      requiresMax: true,
      listed: true,
      canPreview: true,
    })
    expect(JSON.stringify(prepared)).not.toContain(host.token)
    expect(prepared.headers['Authorization']).toBe('Bearer ••••')
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

  test.each([
    ['console', 'console'],
    ['tree', 'write'],
  ])('composed in %s is of the origin %s in traffic, and names its operation', async (caller, origin) => {
    const { app, card, sendDraft } = await startWritableApp()
    const { summary } = await sendDraft({ ...buildTitleDraft(card.noteid, 'New'), caller })
    const sort = { by: 'time', descending: true } as const
    const { bytes } = await app.call('traffic.find', { filter: { methods: ['POST'] }, sort })
    const { rows } = await app.call('traffic.rows', { seqs: [...new Uint32Array(bytes)] })
    const row = rows.find(({ template }) => template.endsWith('/title'))
    expect(row?.origin).toEqual({ kind: origin, label: summary.id })
    const detail = await app.call('traffic.exchange', { id: row?.id ?? '' })
    expect(detail.names).toContainEqual({ member: 'operation', id: summary.id })
    await app.dispose()
  })

  test('records its caller and its duration, which do not reach the host', async () => {
    const { host, app, card, sendDraft } = await startWritableApp()
    const done = await sendDraft({ ...buildTitleDraft(card.noteid, 'From the tree'), caller: 'tree' })
    expect(done.summary).toMatchObject({ caller: 'tree', durationMs: expect.any(Number) })
    const sentAt = done.events.find(({ kind }) => kind === 'sent')?.at ?? 0
    const respondedAt = done.events.find(({ kind }) => kind === 'answer')?.at ?? 0
    expect(done.summary.durationMs).toBe(respondedAt - sentAt)
    expect(done.body).toBe('{"text":"From the tree","confirm":true}')
    expect((await sendDraft(buildTitleDraft(card.noteid, 'By nobody known'))).summary.caller).toBeNull()
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'Nowhere'))
    await host.close()
    const unsent = await app.call('operations.send', { ticket })
    expect(unsent.summary).toMatchObject({ failureCode: 'CONNECTION_REFUSED', errorCode: null, durationMs: null })
  })

  test('records the last title of its card', async () => {
    const { card, sendDraft } = await startWritableApp()
    const done = await sendDraft(buildTitleDraft(card.noteid, 'New'))
    expect(done.summary).toMatchObject({ noteid: card.noteid, cardTitle: 'New' })
  })

  test('safety 41: is sent once with a ticket, however often Send is pressed', async () => {
    const { app, card, listWrites } = await startWritableApp()
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'Once'))
    const results = await Promise.allSettled([1, 2, 3].map(() => app.call('operations.send', { ticket })))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(listWrites()).toHaveLength(1)
    expect((await app.callExpectingError('operations.send', { ticket })).wire.code).toBe('TICKET_INVALID')
  })

  test('safety 41: is not resent if its response is missing, and its outcome is unknown', async () => {
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

  test('safety 42: ignores the confirm of the page, and its preview executes nothing', async () => {
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

  test('safety 42: is refused with a ticket of another connection', async () => {
    const { app, card, host, profileId } = await startWritableApp()
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'Stale'))
    await restartHost({ app, host, profileId })
    expect((await app.callExpectingError('operations.send', { ticket })).wire.code).toBe('TICKET_STALE')
  })

  test('is refused by a host error, with the read-back facts', async () => {
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

describe('read-only mode', () => {
  test('safety 40: refuses every write until it is unlocked for this run', async () => {
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

describe('pencil commit', () => {
  test('is accepted and not done until its result is settled', async () => {
    const program = await startWritableApp({ host: { settleMs: 3_600_000 } })
    const { set, card, sendDraft, getOperation, app, host } = program
    const result = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    expect(result.summary).toMatchObject({ state: 'pending', tracking: 'polling', verdict: { code: 'accepted-only' } })
    const blocked = await app.call('operations.prepare', buildCommitDraft(set.topicid, card.noteid, 'r-2'))
    expect(blocked.blockedBy).toBe(result.summary.id)
    host.state.writingDesk.finishCommits()
    await expect.poll(async () => (await getOperation(result.summary.id)).summary.state).toBe('settled')
    const { summary } = await getOperation(result.summary.id)
    expect(summary).toMatchObject({
      outcome: 'saved',
      tracking: 'ended',
      verdict: { code: 'saved-and-verified', persistedSnapshotVerified: true, snapshotCurrent: true },
    })
    const listed = await app.call('operations.list', { offset: 0, limit: 10, text: 'r-1' })
    expect(listed).toMatchObject({ total: 1, unfinished: 0 })
  })

  test('is never called saved if it settles as failed', async () => {
    const { set, card, sendDraft, getOperation } = await startWritableApp({ host: { settleMs: 0 } })
    const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1', 'demo-fail'))
    await expect.poll(async () => (await getOperation(summary.id)).summary.state).toBe('settled')
    expect((await getOperation(summary.id)).summary).toMatchObject({
      outcome: 'failed',
      verdict: { code: 'settled-not-saved' },
    })
  })

  test('is a replay with the same target and a conflict with another, both known before sending', async () => {
    const { set, card, sendDraft, app } = await startWritableApp()
    const first = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    const preparedAgain = await app.call('operations.prepare', buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    expect(preparedAgain.sameRequestId).toEqual({
      operationId: first.summary.id,
      relation: 'replay',
      same: true,
      body: first.body,
    })
    const other = await app.call('operations.prepare', buildCommitDraft(set.topicid, card.noteid, 'r-1', 'other'))
    expect(other.sameRequestId?.relation).toBe('conflict')
    const result = await app.call('operations.send', { ticket: other.ticket })
    expect(result.summary.state).toBe('conflict')
    expect(result.earlier).toEqual(other.sameRequestId)
    expect(first.earlier).toBeNull()
  })

  test('has an unknown outcome after a restart of the host', async () => {
    const { host, set, card, sendDraft, getOperation, app, profileId } = await startWritableApp({
      host: { settleMs: 60_000 },
    })
    const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    host.restart()
    await app.call('connection.connect', { profileId })
    await expect.poll(async () => (await getOperation(summary.id)).summary.state).toBe('unknown-host-restart')
  })

  test('has no restart as its cause if the host forgot it while the app was not running', async () => {
    const dataDir = createTempDir()
    const { host, set, card, sendDraft, app, profileId } = await startWritableApp({
      dataDir,
      host: { settleMs: 60_000 },
    })
    const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    expect(summary.state).toBe('pending')
    await app.dispose()
    // The record is gone, but the host is the same run.
    host.state.writingDesk.forgetRecords()
    const restartedApp = await startComposedApp(dataDir, ['--demo-nodes', '10'])
    await restartedApp.call('vault.set', { profileId, token: host.token, remember: false })
    await restartedApp.call('connection.connect', { profileId })
    const readState = async () => (await restartedApp.call('operations.get', { id: summary.id })).summary.state
    await expect.poll(readState).toBe('unknown-no-record')
  })

  test('of another program is watched by its request id', async () => {
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
  // The contract does not say that a question is a card.
  expect(summary.noteid).toBeNull()
  await expect.poll(async () => (await getOperation(summary.id)).summary.state).toBe('recorded')
  const done = await getOperation(summary.id)
  expect(done.summary).toMatchObject({ tracking: 'ended', verdict: { code: 'session-recorded' } })
  expect(done.events).toContainEqual(expect.objectContaining({ source: 'session-record', matches: true }))
})

test.each([
  ['leaves out the route of the read-back', false, []],
  ['lists no routes', null, ['/notes/batch-get', '/notes/batch-get']],
] as const)('a write at a host that %s reads back what the host offers', async (_, listed, reads) => {
  const alter: AlterResponse = ({ path }, { status, body }) => {
    if (path !== '/capabilities') return null
    if (listed === null) return { status, body: { bridgeApiVersion: '0.91' } }
    const { routes } = body as { routes: { path: string }[] }
    return {
      status,
      body: { ...(body as object), routes: routes.filter((route) => route.path !== '/notes/batch-get') },
    }
  }
  const { app, card, host, sendDraft } = await startWritableApp({ alter })
  const draft = { endpoint: 'notes.title', params: { noteid: card.noteid }, query: {}, body: { text: 'New' } }
  const prepared = await app.call('operations.prepare', draft)
  expect(prepared.listed).toBe(listed === null ? null : true)
  const { summary } = await sendDraft(draft)
  await expect.poll(async () => (await app.call('operations.get', { id: summary.id })).summary.state).toBe('persisted')
  const readPaths = host.log.map(({ path }) => path).filter((path) => path.endsWith('/notes/batch-get'))
  expect(readPaths.map((path) => path.replace('/bridge/v1', ''))).toEqual(reads)
})

test('a refused commit keeps how long the host asks to wait, wherever it says so', async () => {
  const error = { code: 'WINDOW_BUSY', message: 'm' }
  const refusals = [
    { status: 429, body: { error }, headers: { 'Retry-After': '7' } },
    { status: 503, body: { error: { ...error, details: { retryAfterSeconds: 3 } } } },
    { status: 409, body: { error } },
  ]
  const alter: AlterResponse = ({ path }) => (path.endsWith('/pencil-commit') ? (refusals.shift() ?? null) : null)
  const { sendDraft, set, card } = await startWritableApp({ alter })
  const retrySeconds: unknown[] = []
  for (const requestId of ['r-1', 'r-2', 'r-3']) {
    const target = { topicid: set.topicid, noteid: card.noteid, layerId: '' }
    const body = { surfaceId: 'main', requestId, target }
    const { events } = await sendDraft({ endpoint: 'writing.pencilCommit', params: {}, query: {}, body })
    retrySeconds.push(events.find((event) => event.kind === 'answer')?.retryAfterSeconds)
  }
  expect(retrySeconds).toEqual([7, 3, undefined])
})

test.each(['writing.sessionFocusBegin', 'writing.sessionReserve', 'writing.sessionPause'] as const)(
  '%s that the host ends at once is settled with the word of the host',
  async (endpoint) => {
    const alter: AlterResponse = ({ path, body }) =>
      path.startsWith('/writing/session-')
        ? {
            status: 200,
            body: { ...(body as object), state: 'done', outcome: 'applied', settled: true, persisted: true },
          }
        : null
    const { sendDraft, getOperation } = await startWritableApp({ alter })
    const body = { requestId: 's-1', runId: 'run', questionId: 'Q', carrier: 'focus' }
    const { summary } = await sendDraft({ endpoint, params: {}, query: {}, body })
    const settled = { state: 'settled', tracking: 'none', verdict: { code: 'session-settled', outcome: 'applied' } }
    expect(summary).toMatchObject(settled)
    expect((await getOperation(summary.id)).summary).toMatchObject(settled)
  },
)

test.each([
  ['a pause', 'writing.sessionPause', { state: 'active' }, { state: 'paused' }],
  ['a begin', 'writing.sessionFocusBegin', { state: 'idle' }, { state: 'active', questionId: 'Q' }],
  ['the first begin', 'writing.sessionFocusBegin', null, { state: 'active' }],
] as const)('%s is confirmed if the record names no request', async (_, endpoint, before, after) => {
  let isWritten = false
  const getRecord = () => (isWritten ? after : before)
  const alter: AlterResponse = ({ path }) => {
    if (path.startsWith('/writing/session-')) isWritten = true
    if (path !== '/writing/context') return null
    const session = getRecord()
    return { status: 200, body: { window: { topicid: 'T' }, ...(session && { practice: { runId: 'R', ...session } }) } }
  }
  const { sendDraft, getOperation } = await startWritableApp({ alter })
  const body = { requestId: 's-1', runId: 'R', questionId: 'Q', carrier: 'focus' }
  const { summary } = await sendDraft({ endpoint, params: {}, query: {}, body })
  await expect.poll(async () => (await getOperation(summary.id)).summary.verdict.code).toBe('session-recorded')
})

test('a body that differs from the contract is reported, and sent unchanged', async () => {
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

test('a body in JSON is shown, recorded and sent as it was written', async () => {
  const { app, card, listWrites, getOperation } = await startWritableApp()
  const bodyText = '{ "text": "T", "big": 12345678901234567890, "one": 1.0, "one": 1e3 }\n'
  const draft = { endpoint: 'notes.title', params: { noteid: card.noteid }, query: {}, bodyText }
  const prepared = await app.call('operations.prepare', draft)
  const sentText = '{"text": "T","big": 12345678901234567890,"one": 1.0,"one": 1e3,"confirm":true}'
  expect(prepared).toMatchObject({ body: sentText, added: ['confirm'], canPreview: true })
  expect(prepared.warnings).toContainEqual({
    code: 'body-differs',
    params: { places: '/big (unknown), /one (unknown)' },
  })
  await app.call('operations.preview', { ticket: prepared.ticket })
  const { summary } = await app.call('operations.send', { ticket: prepared.ticket })
  expect(listWrites().map(({ body }) => body)).toEqual([sentText.replace(',"confirm":true', ''), sentText])
  expect((await getOperation(summary.id)).body).toBe(sentText)
  const wrong = await app.callExpectingError('operations.prepare', { ...draft, bodyText: '{"text":' })
  expect(wrong.wire.code).toBe('BODY_NOT_JSON')
})

test('the confirm of the page does not count in JSON either', async () => {
  const { app, card } = await startWritableApp()
  const bodyText = '{"text":"T","confirm":false,"n":12345678901234567890}'
  const draft = { endpoint: 'notes.title', params: { noteid: card.noteid }, query: {}, bodyText }
  const prepared = await app.call('operations.prepare', draft)
  expect(prepared.body).toBe('{"text":"T","n":12345678901234567890,"confirm":true}')
  expect(prepared.warnings.map(({ code }) => code)).toContain('confirm-ignored')
  // A batch of JSON-RPC calls is no object and needs no confirm.
  const rpc = { endpoint: 'mcp.post', params: {}, query: {}, bodyText: '[{"jsonrpc":"2.0"}]' }
  const batch = await app.call('operations.prepare', rpc)
  expect(batch.body).toBe('[{"jsonrpc":"2.0"}]')
  expect(batch.warnings.map(({ code }) => code)).not.toContain('confirm-not-added')
})

test('pairing and uploads do not pass the gate', async () => {
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

test('a route without confirm has a warning, and so has a command that may take over the screen', async () => {
  const { app, set } = await startWritableApp()
  const params = { bookmd5: set.documents[0] ?? '' }
  const prepareAndGetWarnings = async (endpoint: string, body: object) => {
    const ownParams = endpoint === 'bundles.prepare' ? {} : params
    return (await app.call('operations.prepare', { endpoint, params: ownParams, query: {}, body })).warnings.map(
      ({ code }) => code,
    )
  }
  expect(await prepareAndGetWarnings('documents.export', { topicid: 'T' })).toEqual(['no-confirm-gate'])
  expect(await prepareAndGetWarnings('bundles.prepare', { topicid: 'T', bookmd5: 'B', segments: [] })).toEqual([
    'no-confirm-gate',
  ])
  expect(await prepareAndGetWarnings('documents.locate', { text: 'a', page: 1, navigate: true })).toEqual([
    'takes-over-screen',
  ])
})

test('safety 42: every route without confirm has a warning before anything is sent', async () => {
  const { app, listWrites } = await startWritableApp()
  const rowsWithoutConfirm = endpoints.filter(
    ({ access, confirm, auth, returnsSecret: isSecret, createsProfile: isPairing, body }) => {
      return access !== 'read' && confirm === 'none' && auth === 'token' && !isSecret && !isPairing && body !== null
    },
  )
  const warningById: Record<string, string> = {}
  for (const { id, parameters } of rowsWithoutConfirm) {
    const inPath = parameters.filter((parameter) => parameter.in === 'path')
    const params = Object.fromEntries(inPath.map(({ name, type }) => [name, type === 'integer' ? '1' : 'x']))
    const { warnings } = await app.call('operations.prepare', { endpoint: id, params, query: {}, body: {} })
    warningById[id] =
      warnings.map(({ code }) => code).find((code) => /^(no-confirm|takes-over)/.test(code)) ?? 'nothing'
  }
  const [runsWarning, showsWarning] = ['no-confirm-gate', 'takes-over-screen']
  expect(warningById).toEqual({
    'mcp.post': runsWarning,
    'uiState.apply': runsWarning,
    'studySets.createSnapshot': runsWarning,
    'studySets.open': showsWarning,
    'studySets.printExport': runsWarning,
    'decks.open': showsWarning,
    'documents.export': runsWarning,
    'bundles.prepare': runsWarning,
    'bundles.submit': runsWarning,
    'bundles.focus': showsWarning,
    'bundles.discard': runsWarning,
    'sync.recheck': runsWarning,
    'sync.inventory': runsWarning,
    'notes.focus': showsWarning,
  })
  expect(listWrites()).toEqual([])
})
