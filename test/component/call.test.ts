import { expect, test, vi } from 'vitest'
import { call } from '../../renderer/ipc/call.ts'
import { onServiceState, subscribe } from '../../renderer/ipc/subscriptions.ts'
import { createRefusedError } from '../../shared/errors.ts'
import { defaultSettings } from '../../shared/ipc/settings.ts'
import { installFakeServiceProcess } from '../support/vue/mounting.ts'
import { createConnectionState } from '../support/vue/states.ts'

test('rejects input that breaks the contract without sending a call', async () => {
  const { calls } = installFakeServiceProcess({})
  await expect(call('settings.update', { theme: 'pink' } as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  expect(calls).toEqual([])
})

test('rejects with the error that the service process sent', async () => {
  installFakeServiceProcess({
    'connection.get': () => {
      throw createRefusedError('PROFILE_UNKNOWN', 'gone', { n: 1 })
    },
  })
  await expect(call('connection.get', {})).rejects.toMatchObject({
    name: 'AppError',
    kind: 'refused',
    code: 'PROFILE_UNKNOWN',
    wire: { params: { n: 1 } },
  })
})

test('rejects a reply of the wrong shape instead of returning it', async () => {
  installFakeServiceProcess({
    'settings.get': () => ({ ...defaultSettings, theme: 7 }),
    'bridge.read': () => ({ meta: {}, bytes: 'x' }),
  })
  await expect(call('settings.get', {})).rejects.toMatchObject({ kind: 'internal', code: 'BAD_REPLY' })
  await expect(call('bridge.read', { endpoint: 'x', params: {}, query: {} })).rejects.toMatchObject({
    code: 'BAD_REPLY',
  })
})

test('safety 11: an aborted call is cancelled in the service process and rejects', async () => {
  let finish = (): void => undefined
  const page = installFakeServiceProcess({
    'connection.get': () => new Promise((resolve) => (finish = () => resolve(createConnectionState()))),
  })
  const abort = new AbortController()
  const pendingCall = call('connection.get', {}, { signal: abort.signal })
  await vi.waitFor(() => expect(page.calls).toHaveLength(1))
  abort.abort()
  finish()
  await expect(pendingCall).rejects.toMatchObject({ kind: 'cancelled' })
  expect(page.cancelled).toEqual([page.calls[0]?.id])
  await expect(call('connection.get', {}, { signal: abort.signal })).rejects.toMatchObject({ kind: 'cancelled' })
  expect(page.calls).toHaveLength(1)
})

test('parses pushes and drops one that breaks the contract', () => {
  const page = installFakeServiceProcess({})
  const heard: unknown[] = []
  const stop = subscribe('connection.changed', (state) => heard.push(state.epoch))
  page.push({ topic: 'connection.changed', payload: createConnectionState({ epoch: 5 }) })
  page.push({ topic: 'connection.changed', payload: { epoch: 6 } })
  page.push({ topic: '__proto__', payload: {} })
  stop()
  page.push({ topic: 'connection.changed', payload: createConnectionState({ epoch: 7 }) })
  expect(heard).toEqual([5])
})

test('reports at once whether the service process can be reached', () => {
  installFakeServiceProcess({})
  const states: boolean[] = []
  onServiceState((state) => states.push(state))()
  expect(states).toEqual([true])
})
