/** @module-tag slow */

import { expect, test } from 'vitest'
import { toListedId, getListedWriteIds, findEndpointRow } from '../../../../shared/bridge/listed-row.ts'
import type { AlterResponse } from '../../../support/hosts/altering-host.ts'
import { startWritableApp } from '../../../support/program/writable-app.ts'

const path = '/notes/{id}/ink/{id}/rotate'
const routes = [
  { method: 'POST', path, requiresMax: true },
  { method: 'DELETE', path: '/notes/{id}/marks', requiresMax: false },
  { method: 'POST', path: '/open' },
  { method: 'GET', path: '/notes/{id}/marks', query: ['color', { name: 'limit' }] },
  { method: 'GET', path: '/notes/{id}/wipe', requiresMax: true },
  { method: 'POST', path: '/notes/{id}/title', requiresMax: true },
  { method: 'POST', path: '/../escape' },
  { method: 'POST', path: '/a?b=c' },
  { method: 'TRACE', path: '/trace' },
]
const ids = [
  'listed POST /notes/{id}/ink/{id}/rotate',
  'listed DELETE /notes/{id}/marks',
  'listed POST /open',
  'listed POST /a',
]
const MARKS_ID = 'listed GET /notes/{id}/marks'

/** Starts a host that also lists unknown routes, and accepts everything that is sent to them. */
async function startListingHost() {
  const received: unknown[] = []
  const readPaths: string[] = []
  const alter: AlterResponse = (request, { status, body }) => {
    if (request.path === '/capabilities') {
      const { routes: knownRoutes } = body as { routes: object[] }
      return { status, body: { ...(body as object), routes: [...knownRoutes, ...routes] } }
    }
    if (!/rotate|marks|wipe|open(\?|$)/.test(request.path)) return null
    if (request.body === '') {
      readPaths.push(request.path)
      return { status: 200, body: { marks: [1.0], path: request.path } }
    }
    received.push([request.path, request.body])
    return { status: 200, body: { rotated: true } }
  }
  const program = await startWritableApp({ alter })
  await expect.poll(async () => (await program.app.call('connection.get', {})).phase).toBe('online')
  return { ...program, received, read: readPaths }
}

/** Starts a host that lists a DELETE, and keeps the bodies that it gets. */
async function startBodyHost() {
  const bodies: unknown[] = []
  const alter: AlterResponse = (request, { status, body }) => {
    if (request.path === '/capabilities') {
      const { routes: knownRoutes } = body as { routes: object[] }
      return { status, body: { ...(body as object), routes: [...knownRoutes, ...routes] } }
    }
    if (!request.path.endsWith('/marks')) return null
    bodies.push(request.body)
    return { status: 204, body: null }
  }
  const program = await startWritableApp({ alter })
  await expect.poll(async () => (await program.app.call('connection.get', {})).phase).toBe('online')
  return { ...program, listBodies: () => bodies }
}

const params = { id: 'N', 'id-2': 'a/b' }
const [id = ''] = ids

test('lets a user call every listed route that is unknown and has a path below the address', () => {
  expect(getListedWriteIds(routes)).toEqual([...ids.slice(0, 3), 'listed GET /notes/{id}/wipe', ...ids.slice(3)])
  for (const listedPath of ['/a/../b', '/%2e%2e/a', '//host/a', '/a b', '/a#b', 'a\nb', `/${'x'.repeat(400)}`]) {
    expect(toListedId({ method: 'POST', path: listedPath })?.includes('..') ?? false, listedPath).toBe(false)
  }
  expect(toListedId({ method: 'POST', path: '/a/../b' })).toBeNull()
  expect(toListedId({ method: 'POST', path: '/a?x=1' })).toBe('listed POST /a')
  expect(toListedId({ method: 'HEAD', path: '/a' })).toBeNull()
})

test('accepts query parameters that the host names, and any others', () => {
  const describeParameters = (listed: { method: string; path: string; [member: string]: unknown }) => {
    const route = { requiresMax: false, ...listed }
    const row = findEndpointRow(toListedId(route) ?? '', { routes: [route] })
    return row?.parameters.map(({ name, in: place, default: value }) => [place, name, ...(value ? [value] : [])])
  }
  const path = ['path', 'id']
  expect(describeParameters({ method: 'GET', path: '/x/{id}', query: ['a', { name: 'b' }] })).toEqual([
    path,
    ['query', 'a'],
    ['query', 'b'],
  ])
  expect(describeParameters({ method: 'POST', path: '/x/{id}?mode=fast&n={n}' })).toEqual([
    path,
    ['query', 'mode', 'fast'],
    ['query', 'n'],
  ])
  expect(describeParameters({ method: 'GET', path: '/x/{id}{?a,b}' })).toEqual([path, ['query', 'a'], ['query', 'b']])
  expect(describeParameters({ method: 'GET', path: '/x/{id}' })).toEqual([path])
  expect(findEndpointRow('listed GET /y', { routes: [{ method: 'GET', path: '/x' }] })).toBeNull()
  expect(findEndpointRow('listed GET /y', null)).toBeNull()
  expect(findEndpointRow('studySets.list', null)?.id).toBe('studySets.list')
})

test('reads a listed read with any query, also with a read-only profile', async () => {
  const { app, profileId, read, received } = await startListingHost()
  await app.call('operations.unlock', { profileId, scope: 'lock' })
  const query = { color: 'a b&c', other: 7, 'ünknown=': 'x' }
  const { bytes, meta } = await app.call('bridge.read', { endpoint: MARKS_ID, params: { id: 'a/b' }, query })
  const path = '/notes/a%2Fb/marks?color=a%20b%26c&other=7&%C3%BCnknown%3D=x'
  expect([meta.path, read, meta.endpoint]).toEqual([path, [path], MARKS_ID])
  expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({ marks: [1], path })
  for (const name of ['', 'x'.repeat(200)]) {
    const failure = await app.callExpectingError('bridge.read', {
      endpoint: MARKS_ID,
      params: { id: 'N' },
      query: { [name]: 'x' },
    })
    expect(failure.wire.kind, name).toBe('refused')
  }
  expect([read.length, received]).toEqual([1, []])
})

test('does not read a listed write, whatever its method is, and sends nothing to an unlisted route', async () => {
  const { app, read, received } = await startListingHost()
  const refusals = [
    ['listed GET /notes/{id}/wipe', 'NOT_A_READ'],
    ['listed DELETE /notes/{id}/marks', 'NOT_A_READ'],
    ['listed GET /notes/{id}/other', 'ENDPOINT_UNKNOWN'],
    ['listed GET /../x', 'ENDPOINT_UNKNOWN'],
    ['listed HEAD /notes/{id}/marks', 'ENDPOINT_UNKNOWN'],
  ] as const
  for (const [endpoint, code] of refusals) {
    const failure = await app.callExpectingError('bridge.read', { endpoint, params: { id: 'N' }, query: {} })
    expect([endpoint, failure.wire.code]).toEqual([endpoint, code])
  }
  expect([read, received]).toEqual([[], []])
  const wipe = { endpoint: 'listed GET /notes/{id}/wipe', params: { id: 'N' }, query: { all: '1' } }
  const { ticket, path, body } = await app.call('operations.prepare', wipe)
  expect([path, body, read]).toEqual(['/notes/N/wipe?all=1', null, []])
  await app.call('operations.send', { ticket })
  expect(read).toEqual(['/notes/N/wipe?all=1'])
})

test('makes up no body for a DELETE that has none', async () => {
  const { app, listBodies } = await startBodyHost()
  const listed = { endpoint: 'listed DELETE /notes/{id}/marks', params: { id: 'N' }, query: {} }
  for (const body of [{}, { body: {} }, { bodyText: '{"all":true}' }]) {
    const prepared = await app.call('operations.prepare', { ...listed, ...body })
    await app.call('operations.send', { ticket: prepared.ticket })
  }
  expect(listBodies()).toEqual(['', '', { all: true }])
})

test('sends a write with a query, after showing it', async () => {
  const { app, received } = await startListingHost()
  const draft = { endpoint: 'listed POST /open', params: {}, query: { tab: 'a/b' }, bodyText: '{}' }
  const prepared = await app.call('operations.prepare', draft)
  expect([prepared.path, received]).toEqual(['/open?tab=a%2Fb', []])
  await app.call('operations.send', { ticket: prepared.ticket })
  expect(received).toEqual([['/open?tab=a%2Fb', {}]])
})

test('sends the body unchanged through the gate, and warns about an unknown effect', async () => {
  const { app, received, getOperation } = await startListingHost()
  const bodyText = '{"angle": 90.0}'
  const prepared = await app.call('operations.prepare', { endpoint: id, params, query: {}, bodyText })
  expect(prepared).toMatchObject({
    method: 'POST',
    path: '/notes/N/ink/a%2Fb/rotate',
    body: bodyText,
    added: [],
    canPreview: false,
    requiresMax: true,
    listed: true,
    access: 'write',
  })
  expect(prepared.warnings.map(({ code }) => code)).toEqual(['not-known', 'requires-max'])
  expect(received).toEqual([])
  const { summary } = await app.call('operations.send', { ticket: prepared.ticket })
  expect(received).toEqual([['/notes/N/ink/a%2Fb/rotate', { angle: 90 }]])
  // The response is not documented, so it counts neither as a failure nor as a success.
  expect(summary).toMatchObject({ endpoint: id, state: 'unconfirmed', verdict: { done: 'not reported' } })
  expect((await getOperation(summary.id)).body).toBe(bodyText)
})

test('warns differently about a route that needs no subscription, because it is documented to write nothing', async () => {
  const { app } = await startListingHost()
  const draft = { endpoint: ids[1] ?? '', params: { id: 'N' }, query: {}, bodyText: '{}' }
  const { warnings } = await app.call('operations.prepare', draft)
  expect(warnings.map(({ code }) => code)).toEqual(['not-known-no-max'])
})

test('refuses an unlisted route, and every route while the profile is locked', async () => {
  const { app, profileId, received } = await startListingHost()
  const draft = { params: {}, query: {}, bodyText: '{}' }
  for (const endpoint of [
    'listed POST /not/there',
    'listed GET /notes/{id}/other',
    'listed POST /notes/../x',
    'listed ',
  ]) {
    const failure = await app.callExpectingError('operations.prepare', { ...draft, endpoint })
    expect(failure.wire.code, endpoint).toBe('ENDPOINT_UNKNOWN')
  }
  await app.call('operations.unlock', { profileId, scope: 'lock' })
  const locked = await app.callExpectingError('operations.prepare', { ...draft, endpoint: ids[2] ?? '' })
  expect(locked.wire.code).toBe('READ_ONLY')
  expect(received).toEqual([])
})
