import { expect, test } from 'vitest'
import { listedId, listedIds } from '../../../../shared/bridge/listed-row.ts'
import type { Alter } from '../../../support/altering-host.ts'
import { running } from '../../../support/writing.ts'

const path = '/notes/{id}/ink/{id}/rotate'
const routes = [
  { method: 'POST', path, requiresMax: true },
  { method: 'DELETE', path: '/notes/{id}/marks', requiresMax: false },
  { method: 'POST', path: '/open' },
  { method: 'GET', path: '/notes/{id}/marks' },
  { method: 'POST', path: '/notes/{id}/title', requiresMax: true },
  { method: 'POST', path: '/../escape' },
  { method: 'POST', path: '/a?b=c' },
  { method: 'TRACE', path: '/trace' },
]
const ids = ['listed POST /notes/{id}/ink/{id}/rotate', 'listed DELETE /notes/{id}/marks', 'listed POST /open']

/** A host that lists routes of its own beside the known ones, and takes whatever is sent to them. */
async function listing() {
  const taken: unknown[] = []
  const alter: Alter = (asked, { status, body }) => {
    if (asked.path === '/capabilities') {
      const { routes: known } = body as { routes: object[] }
      return { status, body: { ...(body as object), routes: [...known, ...routes] } }
    }
    if (!/rotate|marks|open$/.test(asked.path)) return null
    taken.push([asked.path, asked.body])
    return { status: 200, body: { rotated: true } }
  }
  const program = await running({ alter })
  await expect.poll(async () => (await program.app.call('connection.get', {})).phase).toBe('online')
  return { ...program, taken }
}

const params = { id: 'N', 'id-2': 'a/b' }
const [id = ''] = ids

test('routes that only a host lists can be called, but what reads, what is known, and what is no path below the address', () => {
  expect(listedIds(routes)).toEqual(ids)
  for (const one of ['/a/../b', '/%2e%2e/a', '//host/a', '/a b', '/a#b', 'a\nb', `/${'x'.repeat(400)}`]) {
    expect(listedId({ method: 'POST', path: one })?.includes('..') ?? false, one).toBe(false)
  }
  expect(listedId({ method: 'POST', path: '/a/../b' })).toBeNull()
  expect(listedId({ method: 'POST', path: '/a?x=1' })).toBeNull()
})

test('the body goes as it is through the one gate, and what is not known is said', async () => {
  const { app, taken, get } = await listing()
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
  expect(taken).toEqual([])
  const { summary } = await app.call('operations.send', { ticket: prepared.ticket })
  expect(taken).toEqual([['/notes/N/ink/a%2Fb/rotate', { angle: 90 }]])
  // Nobody documents what it answers: that is no failure, and no success either.
  expect(summary).toMatchObject({ endpoint: id, state: 'unconfirmed', verdict: { done: 'not reported' } })
  expect((await get(summary.id)).body).toBe(bodyText)
})

test('what needs no subscription is told to be no write, as it is documented', async () => {
  const { app } = await listing()
  const draft = { endpoint: ids[1] ?? '', params: { id: 'N' }, query: {}, bodyText: '{}' }
  const { warnings } = await app.call('operations.prepare', draft)
  expect(warnings.map(({ code }) => code)).toEqual(['not-known-no-max'])
})

test('a route that the host does not list is refused, and so is everything while the profile is locked', async () => {
  const { app, profileId, taken } = await listing()
  const draft = { params: {}, query: {}, bodyText: '{}' }
  for (const endpoint of [
    'listed POST /not/there',
    'listed GET /notes/{id}/marks',
    'listed POST /notes/../x',
    'listed ',
  ]) {
    const failure = await app.failure('operations.prepare', { ...draft, endpoint })
    expect(failure.wire.code, endpoint).toBe('ENDPOINT_UNKNOWN')
  }
  await app.call('operations.unlock', { profileId, scope: 'lock' })
  const locked = await app.failure('operations.prepare', { ...draft, endpoint: ids[2] ?? '' })
  expect(locked.wire.code).toBe('READ_ONLY')
  expect(taken).toEqual([])
})
