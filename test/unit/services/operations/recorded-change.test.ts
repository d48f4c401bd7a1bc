import { expect, test, vi } from 'vitest'
import { startComposedApp } from '../../../support/program/composed-app.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { startDemo } from '../../../support/hosts/demo.ts'
import { ipcTopics } from '../../../../shared/ipc/index.ts'

/**
 * The recorder hands the bytes of a response over to its thread, so other readers have to come
 * first.
 */
test('the response to a write of another client counts for the pages and for its record', async () => {
  const { host } = await startDemo()
  const app = await startComposedApp(createTempDir(), ['--base-url', host.baseUrl], {
    env: { BRIDGE_TOKEN: host.token },
  })
  await vi.waitFor(async () => expect((await app.call('connection.get', {})).phase).toBe('online'))
  const { profile } = await app.call('connection.get', {})
  await app.call('operations.unlock', { profileId: profile?.id ?? '', scope: 'session' })
  const { baseUrl, key } = await app.call('clientProxy.start', {})
  const noteid = host.state.library.sets[0]?.cards[0]?.noteid ?? ''
  const response = await fetch(`${baseUrl ?? ''}/notes/hashtags`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key ?? ''}`, 'content-type': 'application/json' },
    body: JSON.stringify({ noteIds: [noteid], operation: 'add', hashtags: ['#x'], confirm: true }),
  })
  expect(await response.json()).toMatchObject({ persisted: true })
  const fetchOperation = async () => (await app.call('operations.list', { offset: 0, limit: 1 })).items[0]
  await vi.waitFor(async () => expect((await fetchOperation())?.verdict.code).toBe('saved-and-verified'))
  await vi.waitFor(() => {
    const events = app.events.filter(({ topic }) => topic === 'bridge.dataChanged')
    const changes = events.flatMap(({ payload }) => ipcTopics['bridge.dataChanged'].payload.parse(payload).changes)
    expect(changes).toMatchObject([
      { cause: { origin: { kind: 'recorded' } }, ids: { cards: [noteid] }, isCertain: true },
    ])
  })
  expect(await fetchOperation()).toMatchObject({ origin: 'recorded', state: 'persisted' })
  await host.close()
})
