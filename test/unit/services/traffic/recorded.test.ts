import { describe, expect, onTestFinished, test } from 'vitest'
import { startDemoHost } from '../../../../electron/demo-host/server.ts'
import type { IpcInput, IpcOutput } from '../../../../shared/ipc/index.ts'
import type { ExchangeDetail, ExchangeRow } from '../../../../shared/traffic/exchange.ts'
import type { TrafficFilter } from '../../../../shared/traffic/traffic-filter.ts'
import {
  respondHostError,
  respondJson,
  neverRespond,
  respondTruncated,
  type Behaviour,
} from '../../../support/hosts/behaviours.ts'
import { expectAppError, TOKEN } from '../../../support/services/test-client.ts'
import { startComposedApp, type ComposedApp } from '../../../support/program/composed-app.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { startMisbehavingHost, startMisbehavingHostOnKnownPort } from '../../../support/hosts/misbehaving-host.ts'

const auth = { header: 'Authorization', scheme: 'Bearer' }
const byTime = { by: 'time', descending: false } as const
const read = (endpoint: string, query: IpcInput<'bridge.read'>['query'] = {}) => ({ endpoint, params: {}, query })

async function connectedTo(baseUrl: string): Promise<ComposedApp> {
  const app = await startComposedApp(createTempDir())
  await app.call('settings.update', { heartbeatMs: 600_000 })
  const { profile } = await app.call('profiles.save', { name: 'Host', baseUrl, auth, readOnly: true })
  await app.call('vault.set', { profileId: profile.id, token: TOKEN, remember: false })
  await app.call('connection.connect', { profileId: profile.id })
  return app
}

async function onDemo(): Promise<ComposedApp> {
  const host = await startDemoHost({ nodes: 10, token: TOKEN })
  onTestFinished(() => host.close())
  return connectedTo(host.baseUrl)
}

async function onHost(behaviour: Behaviour): Promise<ComposedApp> {
  const host = await startMisbehavingHost(behaviour)
  onTestFinished(() => host.close())
  return connectedTo(host.baseUrl)
}

async function rowsOf(app: ComposedApp, filter: TrafficFilter = {}): Promise<ExchangeRow[]> {
  const { bytes, meta } = await app.call('traffic.find', { filter, sort: byTime })
  const seqs = [...new Uint32Array(bytes)]
  expect(meta.total).toBe(seqs.length)
  return (await app.call('traffic.rows', { seqs })).rows
}

async function lastOf(app: ComposedApp, filter: TrafficFilter = {}): Promise<ExchangeDetail> {
  const row = (await rowsOf(app, filter)).at(-1)
  return app.call('traffic.exchange', { seq: row?.seq ?? 0 })
}

async function textOf(app: ComposedApp, seq: number, side: 'request' | 'response'): Promise<string> {
  const { bytes } = await app.call('traffic.body', { seq, side, start: 0, end: 1_000_000 })
  return Buffer.from(bytes).toString()
}

describe('an exchange is recorded', () => {
  test('with its request, its answer byte for byte, and when each phase began', async () => {
    const app = await onDemo()
    const { bytes } = await app.call('bridge.read', { ...read('notes.batchGet'), body: { noteIds: ['A', 'B'] } })
    const { row, ...detail } = await lastOf(app)
    expect(row).toMatchObject({
      method: 'POST',
      endpoint: 'notes.batchGet',
      state: 'answered',
      status: 200,
      attempt: 1,
    })
    expect(row).toMatchObject({ origin: { kind: 'place', label: null }, template: '/notes/batch-get', errorCode: null })
    expect(row.instance).toMatch(/./)
    expect(await textOf(app, row.seq, 'response')).toBe(Buffer.from(bytes).toString())
    expect(await textOf(app, row.seq, 'request')).toBe('{"noteIds":["A","B"]}')
    const { queued, connected, sent, firstByte, lastByte } = row.timing
    const phases = [queued, connected, sent, firstByte, lastByte, row.durationMs].map((at) => at ?? NaN)
    expect(phases).toEqual([...phases].sort((one, other) => one - other))
    expect(row.wireBytes).toBeGreaterThan(100)
    expect(detail.requestHeaders).toContainEqual(['Authorization', 'Bearer [redacted]'])
    expect(detail.requestHeaders.map(([name]) => name)).toEqual(
      expect.arrayContaining(['Host', 'Connection', 'Accept']),
    )
    expect(detail.responseHeaders.map(([name]) => name.toLowerCase())).toContain('content-type')
    expect(detail.names).toEqual([
      { member: 'noteIds', id: 'A' },
      { member: 'noteIds', id: 'B' },
    ])
    expect(detail.response).toMatchObject({ total: bytes.byteLength, kept: bytes.byteLength, missing: null })
    expect(JSON.stringify([row, detail])).not.toContain(TOKEN)
  })

  test('with what caused it; heartbeats are left out unless they are asked for', async () => {
    const app = await onDemo()
    await app.call('connection.retry', {})
    const doctor = await app.call('profiles.list', {})
    await app.call('connection.doctor', { profileId: doctor[0]?.profile.id ?? '' })
    const kinds = (rows: ExchangeRow[]): string[] => [...new Set(rows.map(({ origin }) => origin.kind))]
    expect(kinds(await rowsOf(app))).toEqual(['connection'])
    expect(kinds(await rowsOf(app, { heartbeats: true }))).toEqual(['connection', 'heartbeat'])
    // A free port is not asked anything, so one must be taken.
    const known = await startMisbehavingHostOnKnownPort(respondJson({ app: 'x', bridgeApiVersion: '1' }))
    onTestFinished(() => known.close())
    await app.call('discovery.scan', {})
    expect(kinds(await rowsOf(app))).toEqual(['connection'])
    expect(kinds(await rowsOf(app, { heartbeats: true }))).toContain('scan')
    expect(kinds(await rowsOf(app, { origins: ['scan'] }))).toEqual(['scan'])
  })

  test('attempt by attempt', async () => {
    let asked = 0
    const app = await onHost((socket, request) => {
      const busy = request.path.includes('study-sets') && (asked += 1) < 3
      return (
        busy ? respondHostError(503, { code: 'BUSY', message: 'later' }) : respondJson({ app: 'x', studySets: [] })
      )(socket, request)
    })
    await app.call('bridge.read', read('studySets.list'))
    const rows = await rowsOf(app, { template: '/library/study-sets' })
    expect(rows.map(({ attempt, status, errorCode }) => [attempt, status, errorCode])).toEqual([
      [1, 503, 'BUSY'],
      [2, 503, 'BUSY'],
      [3, 200, null],
    ])
    expect(new Set(rows.map(({ group }) => group))).toEqual(new Set([rows[0]?.id]))
    expect((await lastOf(app)).attempts).toEqual(rows.map(({ seq }) => seq))
    expect((await rowsOf(app, { code: 'BUSY' })).length).toBe(2)
  })

  test('that broke off, with what had arrived', async () => {
    const status = respondJson({ app: 'x' })
    const app = await onHost((socket, request) =>
      request.path.endsWith('/status')
        ? status(socket, request)
        : respondTruncated('{"studySets":[1,2,3,4', 10)(socket, request),
    )
    await expectAppError(app.call('bridge.read', read('studySets.list')))
    const { row, error, response } = await lastOf(app, { states: ['failed'] })
    expect(row).toMatchObject({ state: 'failed', errorCode: 'TRUNCATED' })
    expect(error?.code).toBe('TRUNCATED')
    expect(response.total).toBe(null)
    expect(await textOf(app, row.seq, 'response')).toBe('{"studySets":[1,2,3,4'.slice(0, response.kept))
  })

  test('that was cancelled, and is shown while it is under way', async () => {
    const status = respondJson({ app: 'x' })
    const app = await onHost((socket, request) =>
      (request.path.endsWith('/status') ? status : neverRespond())(socket, request),
    )
    const call = app.call('bridge.read', read('studySets.list'), 'to-cancel')
    const pending = () => app.events.findLast(({ topic }) => topic === 'traffic.changed')?.payload
    await expect.poll(pending).toMatchObject({ pending: [{ template: '/library/study-sets', state: 'pending' }] })
    app.app.dispatcher.cancel('page', 'to-cancel')
    await expectAppError(call)
    await expect.poll(async () => (await rowsOf(app, { states: ['cancelled'] })).length).toBe(1)
    await expect.poll(pending).toMatchObject({ pending: [] })
  })

  test('but not while paused, except what the console sends', async () => {
    const app = await onDemo()
    await app.call('traffic.pause', { paused: true })
    const before = (await app.call('traffic.info', {})).exchanges
    await app.call('bridge.read', read('studySets.list'))
    expect(await app.call('traffic.info', {})).toMatchObject({ paused: true, exchanges: before })
    const { seq } = await app.call('traffic.send', { method: 'GET', path: '/library/study-sets', body: null })
    expect((await app.call('traffic.exchange', { seq })).row.origin.kind).toBe('console')
  })
})

describe('the console', () => {
  const send = (
    app: ComposedApp,
    method: string,
    path: string,
    body: string | null = null,
  ): Promise<IpcOutput<'traffic.send'>> => app.call('traffic.send', { method, path, body })

  test('sends what reads, as written, and resolves with errors of the host too', async () => {
    const app = await onDemo()
    const { seq } = await send(app, 'POST', '/notes/batch-get', '{"noteIds": [ ]}')
    expect(await textOf(app, seq, 'request')).toBe('{"noteIds": [ ]}')
    const nowhere = await send(app, 'GET', '/nowhere?a=%41')
    const { row } = await app.call('traffic.exchange', { seq: nowhere.seq })
    expect(row).toMatchObject({
      status: 404,
      endpoint: null,
      template: '/nowhere',
      path: '/nowhere?a=%41',
      state: 'answered',
    })
    expect(row.errorCode).toBe('ROUTE_NOT_FOUND')
    expect(await textOf(app, nowhere.seq, 'response')).toContain('error')
  })

  test.each([
    ['POST', '/notes/move', '{}', 'NOT_A_READ'],
    ['DELETE', '/nowhere', null, 'NOT_A_READ'],
    ['HEAD', '/status', null, 'NOT_A_READ'],
    ['GET', '/notes/../../secret', null, 'PATH_OUTSIDE'],
    ['GET', '/notes/%2e%2e/x', null, 'PATH_OUTSIDE'],
    ['GET', '//elsewhere/x', null, 'PATH_OUTSIDE'],
    ['GET', '@elsewhere/x', null, 'PATH_OUTSIDE'],
    ['GET', '/a b', null, 'PATH_OUTSIDE'],
    ['GET', '/notes/{noteid}/render', null, 'PARAM_MISSING'],
    ['POST', '/decks/{id}', '{}', 'PARAM_MISSING'],
    ['GET', '/a#b', null, 'PATH_OUTSIDE'],
    ['POST', '/notes/batch-get', '{', 'BODY_NOT_JSON'],
    ['GET', `/status?x=${encodeURIComponent(TOKEN)}`, null, 'TOKEN_IN_REQUEST'],
  ])('does not send %s %s', async (method, path, body, code) => {
    const app = await onDemo()
    const before = (await app.call('traffic.info', {})).exchanges
    expect((await expectAppError(send(app, method, path, body))).code).toBe(code)
    expect((await app.call('traffic.info', {})).exchanges).toBe(before)
  })
})
