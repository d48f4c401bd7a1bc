/** @module-tag slow */

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
const createReadInput = (endpoint: string, query: IpcInput<'bridge.read'>['query'] = {}) => ({
  endpoint,
  params: {},
  query,
})

async function connectTo(baseUrl: string): Promise<ComposedApp> {
  const app = await startComposedApp(createTempDir())
  await app.call('settings.update', { heartbeatMs: 600_000 })
  const { profile } = await app.call('profiles.save', { name: 'Host', baseUrl, auth, readOnly: true })
  await app.call('vault.set', { profileId: profile.id, token: TOKEN, remember: false })
  await app.call('connection.connect', { profileId: profile.id })
  return app
}

async function startWithDemo(): Promise<ComposedApp> {
  const host = await startDemoHost({ nodes: 10, token: TOKEN })
  onTestFinished(() => host.close())
  return connectTo(host.baseUrl)
}

async function startWithHost(behaviour: Behaviour): Promise<ComposedApp> {
  const host = await startMisbehavingHost(behaviour)
  onTestFinished(() => host.close())
  return connectTo(host.baseUrl)
}

async function fetchRows(app: ComposedApp, filter: TrafficFilter = {}): Promise<ExchangeRow[]> {
  const { bytes, meta } = await app.call('traffic.find', { filter, sort: byTime })
  const seqs = [...new Uint32Array(bytes)]
  expect(meta.total).toBe(seqs.length)
  return (await app.call('traffic.rows', { seqs })).rows
}

async function fetchLast(app: ComposedApp, filter: TrafficFilter = {}): Promise<ExchangeDetail> {
  const row = (await fetchRows(app, filter)).at(-1)
  return app.call('traffic.exchange', { seq: row?.seq ?? 0 })
}

async function fetchBodyText(app: ComposedApp, seq: number, side: 'request' | 'response'): Promise<string> {
  const { bytes } = await app.call('traffic.body', { seq, side, start: 0, end: 1_000_000 })
  return Buffer.from(bytes).toString()
}

describe('recorded exchange', () => {
  test('has its request, its response byte for byte, and the times of its phases', async () => {
    const app = await startWithDemo()
    const { bytes } = await app.call('bridge.read', {
      ...createReadInput('notes.batchGet'),
      body: { noteIds: ['A', 'B'] },
    })
    const { row, ...detail } = await fetchLast(app)
    expect(row).toMatchObject({
      method: 'POST',
      endpoint: 'notes.batchGet',
      state: 'answered',
      status: 200,
      attempt: 1,
    })
    expect(row).toMatchObject({ origin: { kind: 'place', label: null }, template: '/notes/batch-get', errorCode: null })
    expect(row.instance).toMatch(/./)
    expect(await fetchBodyText(app, row.seq, 'response')).toBe(Buffer.from(bytes).toString())
    expect(await fetchBodyText(app, row.seq, 'request')).toBe('{"noteIds":["A","B"]}')
    const { queued, connected, sent, firstByte, lastByte } = row.timing
    const phases = [queued, connected, sent, firstByte, lastByte, row.durationMs].map((time) => time ?? NaN)
    expect(phases).toEqual([...phases].sort((left, right) => left - right))
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

  test('has its cause, and heartbeats are left out by default', async () => {
    const app = await startWithDemo()
    await app.call('connection.retry', {})
    const doctor = await app.call('profiles.list', {})
    await app.call('connection.doctor', { profileId: doctor[0]?.profile.id ?? '' })
    const getKinds = (rows: ExchangeRow[]): string[] => [...new Set(rows.map(({ origin }) => origin.kind))]
    expect(getKinds(await fetchRows(app))).toEqual(['connection'])
    expect(getKinds(await fetchRows(app, { heartbeats: true }))).toEqual(['connection', 'heartbeat'])
    // The scan sends nothing to a free port, so the test takes one.
    const knownHost = await startMisbehavingHostOnKnownPort(respondJson({ app: 'x', bridgeApiVersion: '1' }))
    onTestFinished(() => knownHost.close())
    // A scan gives up soon, so one on a busy machine may send nothing either.
    const scanAndListKinds = async (): Promise<string[]> => {
      await app.call('discovery.scan', {})
      return getKinds(await fetchRows(app, { heartbeats: true }))
    }
    await expect.poll(scanAndListKinds).toContain('scan')
    expect(getKinds(await fetchRows(app))).toEqual(['connection'])
    expect(getKinds(await fetchRows(app, { origins: ['scan'] }))).toEqual(['scan'])
  })

  test('is separate for each attempt', async () => {
    let requestCount = 0
    const app = await startWithHost((socket, request) => {
      const busy = request.path.includes('study-sets') && (requestCount += 1) < 3
      return (
        busy ? respondHostError(503, { code: 'BUSY', message: 'later' }) : respondJson({ app: 'x', studySets: [] })
      )(socket, request)
    })
    await app.call('bridge.read', createReadInput('studySets.list'))
    const rows = await fetchRows(app, { template: '/library/study-sets' })
    expect(rows.map(({ attempt, status, errorCode }) => [attempt, status, errorCode])).toEqual([
      [1, 503, 'BUSY'],
      [2, 503, 'BUSY'],
      [3, 200, null],
    ])
    expect(new Set(rows.map(({ group }) => group))).toEqual(new Set([rows[0]?.id]))
    expect((await fetchLast(app)).attempts).toEqual(rows.map(({ seq }) => seq))
    expect((await fetchRows(app, { code: 'BUSY' })).length).toBe(2)
  })

  test('has the bytes that arrived before it broke off', async () => {
    const status = respondJson({ app: 'x' })
    const app = await startWithHost((socket, request) =>
      request.path.endsWith('/status')
        ? status(socket, request)
        : respondTruncated('{"studySets":[1,2,3,4', 10)(socket, request),
    )
    await expectAppError(app.call('bridge.read', createReadInput('studySets.list')))
    const { row, error, response } = await fetchLast(app, { states: ['failed'] })
    expect(row).toMatchObject({ state: 'failed', errorCode: 'TRUNCATED' })
    expect(error?.code).toBe('TRUNCATED')
    expect(response.total).toBe(null)
    expect(await fetchBodyText(app, row.seq, 'response')).toBe('{"studySets":[1,2,3,4'.slice(0, response.kept))
  })

  test('is shown while it is pending, and can be canceled', async () => {
    const status = respondJson({ app: 'x' })
    const app = await startWithHost((socket, request) =>
      (request.path.endsWith('/status') ? status : neverRespond())(socket, request),
    )
    const call = app.call('bridge.read', createReadInput('studySets.list'), 'to-cancel')
    const getPending = () => app.events.findLast(({ topic }) => topic === 'traffic.changed')?.payload
    await expect.poll(getPending).toMatchObject({ pending: [{ template: '/library/study-sets', state: 'pending' }] })
    app.app.dispatcher.cancel('page', 'to-cancel')
    await expectAppError(call)
    await expect.poll(async () => (await fetchRows(app, { states: ['cancelled'] })).length).toBe(1)
    await expect.poll(getPending).toMatchObject({ pending: [] })
  })

  test('is missing while recording is paused, unless the console sends it', async () => {
    const app = await startWithDemo()
    await app.call('traffic.pause', { paused: true })
    const before = (await app.call('traffic.info', {})).exchanges
    await app.call('bridge.read', createReadInput('studySets.list'))
    expect(await app.call('traffic.info', {})).toMatchObject({ paused: true, exchanges: before })
    const { seq } = await app.call('traffic.send', { method: 'GET', path: '/library/study-sets', body: null })
    expect((await app.call('traffic.exchange', { seq })).row.origin.kind).toBe('console')
  })
})

describe('console', () => {
  const sendFromConsole = (
    app: ComposedApp,
    method: string,
    path: string,
    body: string | null = null,
  ): Promise<IpcOutput<'traffic.send'>> => app.call('traffic.send', { method, path, body })

  test('sends reads as written, and returns errors of the host too', async () => {
    const app = await startWithDemo()
    const { seq } = await sendFromConsole(app, 'POST', '/notes/batch-get', '{"noteIds": [ ]}')
    expect(await fetchBodyText(app, seq, 'request')).toBe('{"noteIds": [ ]}')
    const unknownRoute = await sendFromConsole(app, 'GET', '/nowhere?a=%41')
    const { row } = await app.call('traffic.exchange', { seq: unknownRoute.seq })
    expect(row).toMatchObject({
      status: 404,
      endpoint: null,
      template: '/nowhere',
      path: '/nowhere?a=%41',
      state: 'answered',
    })
    expect(row.errorCode).toBe('ROUTE_NOT_FOUND')
    expect(await fetchBodyText(app, unknownRoute.seq, 'response')).toContain('error')
  })

  test('a HEAD is a read of the route of GET, and its empty response breaks nothing', async () => {
    const app = await startWithDemo()
    const { seq } = await sendFromConsole(app, 'HEAD', '/status')
    const { row } = await app.call('traffic.exchange', { seq })
    expect(row).toMatchObject({ method: 'HEAD', endpoint: 'status.get', state: 'answered', bytes: 0 })
    const { deviations } = await app.call('contract.deviations', {})
    expect(deviations.filter(({ endpoint }) => endpoint === 'status.get')).toEqual([])
  })

  test.each([
    ['POST', '/notes/move', '{}', 'NOT_A_READ'],
    ['DELETE', '/nowhere', null, 'NOT_A_READ'],
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
    const app = await startWithDemo()
    const before = (await app.call('traffic.info', {})).exchanges
    expect((await expectAppError(sendFromConsole(app, method, path, body))).code).toBe(code)
    expect((await app.call('traffic.info', {})).exchanges).toBe(before)
  })
})
